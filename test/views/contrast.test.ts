import fs from 'node:fs/promises'
import t from 'tap'

const css = await fs.readFile(new URL('../../views/assets/style.css', import.meta.url), 'utf8')
const [light, dark] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(
  ([, body = '']) =>
    new Map(
      [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name = '', value = '']) => [name, value]),
    ),
)

/** WCAG 2.2, relative luminance. */
const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const contrast = (a: string, b: string): number => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

const texts: readonly [string, readonly string[]][] = [
  ['ink', ['paper', 'raised', 'sunken', 'add', 'del', 'add-edge', 'del-edge']],
  ['soft', ['paper', 'raised', 'sunken', 'add', 'del']],
  ['accent', ['paper', 'raised', 'accent-wash']],
  ['accent-ink', ['accent']],
  ['good', ['paper', 'raised', 'good-wash', 'add']],
  ['bad', ['paper', 'raised', 'bad-wash', 'del']],
  ['warn', ['paper', 'raised', 'warn-wash']],
  ['busy', ['paper', 'raised', 'busy-wash']],
  ['paper', ['bad']],
]

for (const [scheme, colours] of Object.entries({ light, dark })) {
  t.test(`${scheme}: text reaches WCAG AA on every ground it stands on`, async (t) => {
    for (const [text, grounds] of texts)
      for (const ground of grounds) {
        const ratio = contrast(colours?.get(text) ?? '', colours?.get(ground) ?? '')
        t.ok(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`)
      }
    for (const ground of ['paper', 'raised'])
      t.ok(
        contrast(colours?.get('edge') ?? '', colours?.get(ground) ?? '') >= 3,
        `controls’ edges on ${ground}`,
      )
  })
}

t.test('the style sheet is small', async (t) => {
  t.ok(Buffer.byteLength(css) < 25_000)
})
