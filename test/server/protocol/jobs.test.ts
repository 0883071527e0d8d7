import t from 'tap'
import { explainReason, isActive, jobState, reason } from '../../../server/protocol/jobs.ts'

t.test('a job is active from its creation to its last test, and then never again', async (t) => {
  t.same(jobState.options.filter(isActive), ['open', 'queued', 'starting', 'running', 'verifying'])
})

t.test('every reason is explained in sentences of its own', async (t) => {
  const sentences = reason.options.map(explainReason)
  t.equal(new Set(sentences).size, sentences.length)
  for (const sentence of sentences) t.match(sentence, /^[A-Z].*\.$/)
})
