/** A word on what was just done is said once: not again when the page is loaded again, or its address is shared. */

/** Takes the word from the page's address. */
export const forgetFlash = () => {
  const url = new URL(location.href)
  if (!url.searchParams.has('done')) return
  url.searchParams.delete('done')
  history.replaceState(history.state, '', url)
}
