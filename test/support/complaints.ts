import type { Page } from 'playwright-core'

/**
 * All that a browser finds wrong with a site: errors and warnings, breaches of the policy among them,
 * requests that failed or were answered with an error. The list grows.
 */
export const collectComplaints = (page: Page): readonly string[] => {
  const complaints: string[] = []
  const complain = (what: string): void => {
    complaints.push(`${page.url()}: ${what}`)
  }
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complain(message.text())
  })
  page.on('pageerror', (error) => complain(String(error)))
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText
    // A page that is left gives up what it was still loading.
    if (why !== 'net::ERR_ABORTED') complain(`${request.url()} ${why}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complain(`${response.url()} answered ${response.status()}`)
  })
  return complaints
}
