import t from 'tap'
import { classifyGitFailure } from '../../../runner/jobs/git-failure.ts'

const cases = {
  transport: [
    "fatal: unable to access 'https://forge/p.git/': Failed to connect to forge port 443 after 0 ms: Couldn't connect to server",
    "fatal: unable to access 'https://forge/p.git/': Received HTTP code 502 from proxy after CONNECT",
    "fatal: unable to access 'https://forge/p.git/': CONNECT tunnel failed, response 502",
    "fatal: unable to access 'https://forge/p.git/': The requested URL returned error: 503",
    "fatal: unable to access 'https://forge/p.git/': GnuTLS recv error (-110): The TLS connection was non-properly terminated.",
    "fatal: unable to access 'https://forge/p.git/': Recv failure: Connection reset by peer",
    "fatal: unable to access 'https://forge/p.git/': Empty reply from server",
    'error: RPC failed; curl 56 GnuTLS recv error\nfatal: the remote end hung up unexpectedly',
    'fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF',
  ],
  unauthorized: [
    "fatal: Authentication failed for 'https://forge/p.git/'",
    "fatal: could not read Username for 'https://forge': terminal prompts disabled",
  ],
  final: [
    "fatal: unable to access 'https://forge/p.git/': Received HTTP code 403 from proxy after CONNECT",
    "fatal: unable to access 'https://forge/p.git/': The requested URL returned error: 403",
    "remote: not found\nfatal: repository 'https://forge/p.git/' not found",
    '!\tabc:refs/agents/1/proposal\t[remote rejected] (pre-receive hook declined)\nerror: failed to push some refs',
    'fatal: write error: No space left on device',
    "fatal: couldn't find remote ref refs/heads/x",
    'something that nobody knows',
    '',
  ],
} as const

for (const [kind, texts] of Object.entries(cases))
  t.test(`${kind} failures are told by what git prints`, async (t) => {
    for (const text of texts) t.equal(classifyGitFailure(text), kind, text)
  })

t.test('what a hook says about connections or passwords decides nothing', async (t) => {
  const rejected = '!\tx:y\t[remote rejected] (pre-receive hook declined)'
  t.equal(classifyGitFailure(`remote: Connection reset, error: 503\n${rejected}`), 'final')
  t.equal(classifyGitFailure(`remote: fatal: Authentication failed for you\n${rejected}`), 'final')
})
