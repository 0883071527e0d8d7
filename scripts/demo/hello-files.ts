/** The project that the demo pushes: small, real, with a test that the forge can verify. */
export const helloFiles: Readonly<Record<string, string>> = {
  '.agent-workspace.json': `{ "test": "node --test" }
`,
  'README.md': `# hello

A small project for the demo of Agent Workspace. \`node --test\` runs its tests.
`,
  'package.json': `{
  "name": "hello",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'greet.js': `/** Greets somebody by name. */
export const greet = (name) => \`Hello, \${name}!\`
`,
  'greet.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { greet } from './greet.js'

test('a greeting names whom it greets', () => {
  assert.match(greet('Ada'), /Ada/)
})
`,
}
