import type { Page } from 'playwright-core'

const observe = `addEventListener('DOMContentLoaded', () => {
  saw('page ' + location.pathname)
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === 'attributes') saw(target.dataset.step + ' ' + target.dataset.status)
      for (const node of addedNodes)
        if (node.classList?.contains('log-line')) saw(node.textContent.trim())
    }
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['data-status'] })
})`

/**
 * What is seen on pages while nobody touches them, in its order: each page as it loads (`page /path`), each step
 * that changes (`agent running`), each line that a log gains. The list grows.
 */
export const watchPages = async (page: Page): Promise<readonly string[]> => {
  const seen: string[] = []
  await page.exposeFunction('saw', (what: string) => seen.push(what))
  await page.addInitScript({ content: observe })
  return seen
}
