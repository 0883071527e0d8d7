/** The connection to the container engine. dockerode is imported here and nowhere else. */
import Dockerode from 'dockerode'

export type Engine = Dockerode
export type ContainerCreateOptions = Dockerode.ContainerCreateOptions
export type MountSettings = Dockerode.MountSettings

/** Where the engine listens. Its holder is root on that machine. */
export type EngineAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }

/** Opens no connection yet: each call makes its own. The environment of this process has no say. */
export const connectEngine = (address: EngineAddress): Engine => {
  switch (address.kind) {
    case 'socket':
      return new Dockerode({ socketPath: address.path, host: '' })
    case 'tcp':
      return new Dockerode({ protocol: 'http', host: address.host, port: address.port })
  }
}
