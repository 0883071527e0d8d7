/** The one script of every page. All of it is a help: each page works without. */
import { confirmForms } from './confirm.js'
import { copyButtons } from './copy.js'
import { forgetFlash } from './flash.js'

confirmForms(document)
copyButtons(document)
forgetFlash()

const live = document.querySelector('[data-live]')
if (live instanceof HTMLElement) {
  const { followJob } = await import('./live.js')
  followJob(live)
}
