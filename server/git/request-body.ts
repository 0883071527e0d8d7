/** The body of a git request: its type, its encoding, its size. */
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ForgeError } from '../errors.ts'
import type { Service } from './route.ts'

/** The ref updates before the pack. */
const commandBytes = 16 * 1024 * 1024

/** Wants and haves of a fetch, inflated: room for a very large repository, and an end. */
const largestFetchRequest = 64 * 1024 * 1024

const capped = (max: number): Transform => {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > max) done(new ForgeError('too-large', `This request is larger than ${max} bytes.`))
      else done(null, chunk)
    },
  })
}

/**
 * What a request's body goes through on its way to git: inflated where it is compressed, and bounded after inflation.
 * Throws ForgeError 415 for a type or an encoding that git does not send.
 */
export const decodersOf = (
  { headers }: IncomingMessage,
  service: Service,
  packBytes: number,
): readonly [Transform, ...Transform[]] => {
  if (headers['content-type'] !== `application/x-git-${service}-request`) {
    throw new ForgeError(
      'unsupported-media-type',
      `Content-Type must be application/x-git-${service}-request.`,
    )
  }
  const cap = capped(service === 'upload-pack' ? largestFetchRequest : packBytes + commandBytes)
  switch (headers['content-encoding'] ?? 'identity') {
    case 'identity':
      return [cap]
    case 'gzip':
    case 'x-gzip':
      return [createGunzip(), cap]
    default:
      throw new ForgeError('unsupported-media-type', 'Content-Encoding must be gzip or absent.')
  }
}
