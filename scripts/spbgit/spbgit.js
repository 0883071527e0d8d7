#!/usr/bin/env node
// Plain JavaScript that an old Node can read, so that it can say that it is too old.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `spbgit needs Node 24 or newer; this is ${process.versions.node}. In a clone: npm exec spbgit\n`,
  )
  process.exit(1)
}
await import('./main.ts')
