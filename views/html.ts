/** The only door to markup: every value that goes into a page is escaped here. */
import { type raw, html as template } from 'hono/html'

/** Markup that is safe already, because `html` made it. At run time a String object: call `toString` on a page. */
export type Html = ReturnType<typeof raw>

/** What may stand in a hole of a template. Nothing, and `false`, are left out. */
export type Child = string | number | false | null | undefined | Html | readonly Child[]

/** Markup with every value escaped, for text and for quoted attributes alike. */
export const html = (strings: TemplateStringsArray, ...values: Child[]): Html => {
  const made = template(strings, ...values)
  if (made instanceof Promise) throw new TypeError('A view takes data, never a promise of it.')
  return made
}
