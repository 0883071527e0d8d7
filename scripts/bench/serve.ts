/** The two servers: nginx with fcgiwrap and git http-backend, and this forge. Each on a port of its own, over TLS. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import https from 'node:https'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../demo/free-port.ts'
import { SetUpError } from '../set-up-error.ts'

export type Server = { readonly name: string; readonly url: string }

const root = fileURLToPath(new URL('../..', import.meta.url))

const start = (
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  cleanUp: AsyncDisposableStack,
) => {
  const child: ChildProcess = spawn(command, args, {
    env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, ...env },
    stdio: 'ignore',
    detached: true,
  })
  cleanUp.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    // The whole group: fcgiwrap's workers outlive the one that made them.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await once(child, 'exit')
  })
}

const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = https.get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })

const untilServed = async (url: string, signal: AbortSignal): Promise<void> => {
  for (let tries = 0; !(await answers(`${url}/info/refs?service=git-upload-pack`)); tries += 1) {
    if (tries > 200) throw new SetUpError('bench-failed', `${url} does not serve the repository.`)
    await delay(50, undefined, { signal })
  }
}

const nginxConfig = (folder: string, port: number): string => `
daemon off; worker_processes 2; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events { worker_connections 256; }
http {
  access_log off; client_max_body_size 0;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/forge/tls/cert.pem; ssl_certificate_key ${folder}/forge/tls/key.pem;
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME /usr/lib/git-core/git-http-backend;
      fastcgi_param GIT_HTTP_EXPORT_ALL ""; fastcgi_param GIT_PROJECT_ROOT ${folder}/peer;
      fastcgi_param PATH_INFO $uri; fastcgi_param REMOTE_USER bench;
      fastcgi_request_buffering off; fastcgi_buffering off;
      fastcgi_pass unix:${folder}/fcgi.sock;
    }
  }
}`

/** Starts this forge on a copy of the repository. Its certificate serves the peer too, so it comes first. */
export const serveForge = async (
  folder: string,
  cleanUp: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Server> => {
  const port = await findFreePort(18_900)
  const ownerFile = path.join(folder, 'owner-token')
  const env = {
    DATA_DIR: path.join(folder, 'forge'),
    REPOS_DIR: path.join(folder, 'ours'),
    LISTEN: `127.0.0.1:${port}`,
    PUBLIC_URL: `https://localhost:${port}`,
    OWNER_TOKEN_FILE: ownerFile,
  }
  start(process.execPath, [path.join(root, 'server/main.ts')], env, cleanUp)
  await untilServed(`https://localhost:${port}/bench.git`, signal)
  const token = (await fs.readFile(ownerFile, 'utf8')).trim()
  return { name: 'this forge', url: `https://x:${token}@localhost:${port}/bench.git` }
}

/** Starts nginx, fcgiwrap and git http-backend on a copy of the repository, writable by everybody. */
export const servePeer = async (
  folder: string,
  cleanUp: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Server> => {
  const port = await findFreePort(18_950)
  await fs.writeFile(path.join(folder, 'nginx.conf'), nginxConfig(folder, port))
  const socket = path.join(folder, 'fcgi.sock')
  // -n: spawn-fcgi stays in front of the wrappers, so that they end with it.
  start('spawn-fcgi', ['-n', '-M', '0666', '-s', socket, '--', '/usr/sbin/fcgiwrap', '-c', '4'], {}, cleanUp)
  start('nginx', ['-c', path.join(folder, 'nginx.conf')], {}, cleanUp)
  const url = `https://localhost:${port}/bench.git`
  await untilServed(url, signal)
  return { name: 'nginx + git http-backend', url }
}
