/** The tags of a page, for tests that scan it. Our own output only: well-formed, attributes in double quotes. */

export type Tag = {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string
}

const tag = /<([a-z][a-z0-9]*)((?:\s+[^\s=<>"']+(?:="[^"]*")?)*)\s*>([^<]*)/g
const attribute = /([^\s=<>"']+)(?:="([^"]*)")?/g

/** Opening tags in their order, each with the text that follows it at once. */
export const tagsOf = (page: string): Tag[] =>
  [...page.matchAll(tag)].map(([, name = '', attributes = '', text = '']) => ({
    name,
    attributes: new Map([...attributes.matchAll(attribute)].map(([, key = '', value = '']) => [key, value])),
    text,
  }))

/** The tags' names with the names of their attributes: what a text must not be able to change. */
export const shapeOf = (page: string): string[] =>
  tagsOf(page).map(({ name, attributes }) => [name, ...attributes.keys()].join(' '))
