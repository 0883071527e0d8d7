import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import t from 'tap'
import { makeRepo, startForge } from '../support/forge.ts'
import { tempFolder } from '../support/temp.ts'

const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex')
const pktLine = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text

t.test('a push certificate reaches no program that verifies signatures', async (t) => {
  const bin = path.join(tempFolder(t), 'bin')
  const trap = path.join(bin, 'sprung')
  mkdirSync(bin)
  for (const program of ['gpg', 'gpgsm', 'ssh-keygen']) {
    writeFileSync(path.join(bin, program), `#!/bin/sh\necho "$0" >> ${trap}\nexit 1\n`)
    chmodSync(path.join(bin, program), 0o755)
  }
  const forge = await startForge(t, { PATH: `${bin}:${process.env['PATH']}` })
  const { base } = await makeRepo(t, forge)
  for (const kind of ['PGP SIGNATURE', 'PGP MESSAGE', 'SIGNED MESSAGE', 'SSH SIGNATURE']) {
    const ref = `refs/heads/${kind.replaceAll(' ', '-')}`
    const lines = [
      'push-cert\0report-status\n',
      'certificate version 0.1\n',
      'pusher Tess <tess@example.org> 1 +0000\n',
      '\n',
      `${'0'.repeat(40)} ${base} ${ref}\n`,
      `-----BEGIN ${kind}-----\n`,
      'x\n',
      `-----END ${kind}-----\n`,
      'push-cert-end\n',
    ]
    const status = await new Promise((resolve, reject) => {
      const request = https.request(`${forge.url}/hello.git/git-receive-pack`, {
        method: 'POST',
        ca: forge.ca,
        agent: false,
        headers: {
          authorization: `Bearer ${forge.token}`,
          'content-type': 'application/x-git-receive-pack-request',
        },
      })
      request.on('error', reject)
      request.on('response', (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode))
      })
      request.end(Buffer.concat([Buffer.from(`${lines.map(pktLine).join('')}0000`), emptyPack]))
    })
    t.equal(status, 200, kind)
  }
  t.notOk(existsSync(trap))
})
