/** Asking before what cannot be undone. */

/**
 * @param {string} text
 * @param {string} classes
 * @param {() => void} press
 */
const button = (text, classes, press) => {
  const element = document.createElement('button')
  element.type = 'button'
  element.className = classes
  element.textContent = text
  element.addEventListener('click', press)
  return element
}

/**
 * Asks in a modal dialog, which keeps the focus until it closes and then gives it back.
 * Escape is no, and so is what has the focus first.
 * @param {string} message a question
 * @param {string} [action] the words on the button that means yes
 * @returns {Promise<boolean>}
 */
export const spbConfirm = (message, action = 'Continue') =>
  new Promise((resolve) => {
    const dialog = document.createElement('dialog')
    dialog.className = 'confirm'
    dialog.setAttribute('role', 'alertdialog')
    dialog.setAttribute('aria-label', message)
    const question = document.createElement('p')
    question.textContent = message
    const buttons = document.createElement('div')
    buttons.className = 'buttons'
    const no = button('Keep as it is', 'button', () => dialog.close('no'))
    const yes = button(action, 'button danger', () => dialog.close('yes'))
    buttons.append(no, yes)
    dialog.append(question, buttons)
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes')
    })
    document.body.append(dialog)
    dialog.showModal()
    no.focus()
  })

/** @param {HTMLFormElement} form */
const confirmForm = (form) => {
  const box = form.querySelector('[data-without-script] input')
  if (!(box instanceof HTMLInputElement)) return
  const { confirm: question = 'Go on?', confirmAction } = form.dataset
  const askAndSend = async () => {
    if (!(await spbConfirm(question, confirmAction))) return
    box.checked = true
    form.submit()
  }
  box.required = false
  box.closest('label')?.setAttribute('hidden', '')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void askAndSend()
  })
}

/**
 * Lets the dialog take the place of the box that has to be ticked, in every form with `data-confirm`.
 * @param {ParentNode} root
 */
export const confirmForms = (root) => {
  for (const form of root.querySelectorAll('form[data-confirm]'))
    if (form instanceof HTMLFormElement) confirmForm(form)
}
