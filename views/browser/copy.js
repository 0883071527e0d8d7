/** Copy buttons: hidden until a script can serve them. */

const shownMs = 2000

/**
 * @param {HTMLButtonElement} button
 * @param {string} words
 */
const say = (button, words) => {
  const label = button.textContent
  button.textContent = words
  setTimeout(() => {
    button.textContent = label
  }, shownMs)
}

/** @param {HTMLButtonElement} button */
const enableCopy = (button) => {
  button.hidden = false
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', () => {
    if (button.textContent !== 'Copy') return
    navigator.clipboard.writeText(button.dataset['copy'] ?? '').then(
      () => say(button, 'Copied'),
      () => say(button, 'Not allowed'),
    )
  })
}

/** @param {ParentNode} root */
export const copyButtons = (root) => {
  // Browsers have a clipboard only for pages that came over HTTPS or from this machine.
  if (!navigator.clipboard) return
  for (const button of root.querySelectorAll('[data-copy]'))
    if (button instanceof HTMLButtonElement) enableCopy(button)
}
