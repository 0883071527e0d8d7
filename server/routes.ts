/** Every URL of the forge but git's, which `app.ts` hands to the git server. */
import Router from '@koa/router'
import { paths } from '../views/paths.ts'
import { listRecords, streamLog } from './audit/audit-api.ts'
import { showAudit } from './audit/audit-page.ts'
import type { Forge } from './forge.ts'
import * as reposApi from './git/repos-api.ts'
import * as reposPages from './git/repos-pages.ts'
import { openAccess } from './http/access.ts'
import { serveAsset } from './http/assets.ts'
import { showSignIn, submitSignIn, submitSignOut } from './identity/sign-in.ts'
import * as tokensApi from './identity/tokens-api.ts'
import * as tokensPages from './identity/tokens-pages.ts'
import { streamJob } from './jobs/job-stream.ts'
import * as jobsApi from './jobs/jobs-api.ts'
import * as jobsPages from './jobs/jobs-pages.ts'
import * as webhooksApi from './webhooks/webhooks-api.ts'
import * as webhooksPages from './webhooks/webhooks-pages.ts'

export const openRoutes = (forge: Forge): Router => {
  const router = new Router({ strict: true, sensitive: true })
  const { anybody, person, page, signedIn, form } = openAccess(forge)

  router.get('/healthz', (ctx) => {
    ctx.body = 'ok\n'
  })
  router.get('/assets/:file', serveAsset)

  const api = '/api/v1'
  router.get(`${api}/me`, person(tokensApi.getMe))
  router.get(`${api}/tokens`, person(tokensApi.listTokens))
  router.post(`${api}/tokens`, person(tokensApi.postToken))
  router.delete(`${api}/tokens/:id`, person(tokensApi.deleteToken))
  router.get(`${api}/repos`, anybody(reposApi.listRepos))
  router.post(`${api}/repos`, person(reposApi.postRepo))
  router.get(`${api}/repos/:name`, anybody(reposApi.getRepo))
  router.delete(`${api}/repos/:name`, person(reposApi.deleteRepo))
  router.get(`${api}/agent-jobs`, person(listRecords))
  router.get(`${api}/audit`, person(streamLog))

  const jobs = `${api}/repos/:name/agent-jobs`
  router.get(jobs, person(jobsApi.listJobs))
  router.post(jobs, person(jobsApi.postJob))
  router.get(`${jobs}/:id`, person(jobsApi.showJob))
  router.get(`${jobs}/:id/events`, person(streamJob))
  router.post(`${jobs}/:id/cancel`, person(jobsApi.postCancel))
  router.post(`${jobs}/:id/approve`, person(jobsApi.postApprove))
  router.post(`${jobs}/:id/reject`, person(jobsApi.postReject))
  router.delete(`${jobs}/:id/refs`, person(jobsApi.deleteRefs))

  const webhooks = `${api}/webhooks`
  router.get(webhooks, person(webhooksApi.listWebhooks))
  router.post(webhooks, person(webhooksApi.postWebhook))
  router.get(`${api}/repos/:name/webhooks`, person(webhooksApi.listWebhooksOfRepo))
  router.get(`${webhooks}/:id`, person(webhooksApi.showWebhook))
  router.delete(`${webhooks}/:id`, person(webhooksApi.deleteWebhook))
  router.post(`${webhooks}/:id/pings`, person(webhooksApi.postPing))
  router.get(`${webhooks}/:id/deliveries`, person(webhooksApi.listDeliveries))
  router.get(`${webhooks}/:id/deliveries/:delivery`, person(webhooksApi.showDelivery))
  router.post(`${webhooks}/:id/deliveries/:delivery/redeliver`, person(webhooksApi.postRedelivery))

  router.get(paths.home, page(reposPages.showRepos))
  router.get(paths.signIn, page(showSignIn))
  router.post(paths.signIn, page(submitSignIn))
  router.post(paths.signOut, form(submitSignOut))
  router.get(paths.tokens, signedIn(tokensPages.showTokens))
  router.post(paths.tokens, form(tokensPages.submitToken))
  router.post('/tokens/:id/revoke', form(tokensPages.submitRevoke))
  router.get(paths.audit, signedIn(showAudit))
  router.get(paths.webhooks(null), signedIn(webhooksPages.showWebhooks))
  router.post(paths.webhooks(null), form(webhooksPages.submitWebhook))
  router.get('/repos/:name/webhooks', signedIn(webhooksPages.showWebhooksOfRepo))
  router.post('/repos/:name/webhooks', form(webhooksPages.submitWebhookOfRepo))
  router.get('/webhooks/:id', signedIn(webhooksPages.showWebhook))
  router.post('/webhooks/:id/ping', form(webhooksPages.submitPing))
  router.post('/webhooks/:id/delete', form(webhooksPages.submitDeleteWebhook))
  router.get('/webhooks/:id/deliveries/:delivery', signedIn(webhooksPages.showDelivery))
  router.post('/webhooks/:id/deliveries/:delivery/redeliver', form(webhooksPages.submitRedelivery))
  router.post(paths.repos, form(reposPages.submitRepo))
  router.get('/repos/:name', page(reposPages.showRepo))
  router.post('/repos/:name/delete', form(reposPages.submitDeleteRepo))
  router.get('/repos/:name/jobs', signedIn(jobsPages.showJobs))
  router.post('/repos/:name/jobs', form(jobsPages.submitJob))
  router.get('/repos/:name/jobs/:id', page(jobsPages.showJobPage))
  router.post('/repos/:name/jobs/:id/cancel', form(jobsPages.submitCancel))
  router.post('/repos/:name/jobs/:id/approve', form(jobsPages.submitApprove))
  router.post('/repos/:name/jobs/:id/reject', form(jobsPages.submitReject))
  router.post('/repos/:name/jobs/:id/delete-refs', form(jobsPages.submitDeleteRefs))
  router.get('/repos/:name/jobs/:id/salvaged/:attempt', signedIn(jobsPages.downloadSalvaged))
  return router
}
