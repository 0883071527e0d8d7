/** How much of a diff one page holds: what it weighs for the forge that writes it and the browser that shows it. Pure. */
import { hasHidden, splitHidden } from '../../views/browser/hidden-characters.js'

/** Bytes of markup around a row, and for a character that is shown by its name. */
const rowWeight = 64
const hiddenWeight = 40

/** About how many bytes the text takes on a page. */
export const weigh = (text: string): number =>
  hasHidden(text) ? text.length + hiddenWeight * splitHidden(text).length : text.length

/** Takes rows while there is room for them; the first that does not fit closes it for all that follow. */
export const openPageBudget = (bytes: number) => {
  let left = bytes
  return {
    take(text: string): boolean {
      left = left < 0 ? left : left - rowWeight - weigh(text)
      return left >= 0
    },
  }
}

export type PageBudget = ReturnType<typeof openPageBudget>
