import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { git } from './git.ts'

/** A small project, as somebody might have one, whose tests a forge can verify. */
const files: Readonly<Record<string, string>> = {
  '.agent-workspace.json': `{
  "test": { "command": "node --test", "paths": ["test"] }
}
`,
  'README.md': `# tides

Tide tables for small harbours, as text for a terminal.
`,
  'package.json': `{
  "name": "tides",
  "version": "2.3.0",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'src/height.js': `/** The height of the water at a moment, between two turns of the tide. */
export function heightInFeet(before, after, at) {
  const passed = (at - before.at) / (after.at - before.at)
  const swing = (1 - Math.cos(Math.PI * passed)) / 2
  return before.feet + (after.feet - before.feet) * swing
}

/** Whether a boat of this draught may cross the bar. */
export function canCross(draughtInFeet, heightInFeet) {
  return heightInFeet - draughtInFeet >= 1.5
}
`,
  'src/report.js': `/** A line for each turn of the tide, the way the harbour office prints it. */
export function report(turns) {
  return turns
    .map(({ kind, at, feet }) => {
      const time = new Date(at).toISOString().slice(11, 16)
      return \`\${time}  \${kind.padEnd(4)}  \${feet.toFixed(1)} feet\`
    })
    .join('\\n')
}
`,
  'test/report.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { report } from '../src/report.js'

const turns = [
  { kind: 'high', at: Date.UTC(2026, 8, 27, 4, 12), feet: 14.2, metres: 4.33 },
  { kind: 'low', at: Date.UTC(2026, 8, 27, 10, 31), feet: 2.3, metres: 0.7 },
]

test('each turn of the tide has a line of its own', () => {
  assert.equal(report(turns).split('\\n').length, 2)
})

test('a line begins with the time', () => {
  assert.match(report(turns), /^04:12 {2}high/)
})
`,
}

/** Work for the `command` agent that can be watched while it is done. */
export const metresTask = `# Give tide heights in metres
for file in src/*.js; do
  echo "rewriting $file"
  sed -i 's/InFeet/InMetres/g; s/\\bfeet\\b/metres/g; s/>= 1\\.5/>= 0.5/' "$file"
  node --test || exit
done`

/** Work that a reviewer sends back: it breaks a test, talks much, and wants to go where it must not. */
export const unrulyTask = `# Print the tables on one line, and keep the charts of all harbours in the repository for offline use
git ls-remote https://telemetry.example/tides || echo "no way out: $?" >&2
charts="vendor/charts/north-sea/harbours-with-a-bar/tables-as-published-by-the-harbour-office/2026"
mkdir -p "$charts"
head -c 2000 /dev/zero > "$charts/soundings-and-corrections-for-shallow-draught.bin"
seq 1 900 | sed 's/^/04:12  high  /' > "$charts/a-year-of-turns-one-to-a-line.txt"
printf '#!/bin/sh\\nexec node src/report.js\\n' > print.sh
chmod +x print.sh
git mv README.md READ-ME-FIRST.md
sed -i "s/join('.*')/join(' ')/" src/report.js
sed -i 's/node --test/node --test || true/' package.json
for n in $(seq 1 3000); do printf 'chart %s \\033[32mkept\\033[0m\\n' "$n"; done
git add -A && git commit -qm 'Keep the charts'
echo 'A line that nobody committed, long enough that it does not fit a page: '"$(seq -s ' ' 1 120)" >> src/height.js`

/** Commits the project in an empty folder. Returns the commit. */
export const commitTides = async (work: string): Promise<string> => {
  await git(['init', '-q', '-b', 'main'], { cwd: work })
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(work, file)), { recursive: true })
    writeFileSync(path.join(work, file), text)
  }
  await git(['add', '-A'], { cwd: work })
  await git(['commit', '-qm', 'Print tide tables'], { cwd: work })
  return git(['rev-parse', 'HEAD'], { cwd: work })
}
