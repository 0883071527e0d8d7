import t from 'tap'
import { firstLine } from '../../views/task.ts'

t.test('a task is known by its first line, without the sign of a comment or heading', async (t) => {
  t.equal(firstLine('\n# Say it in metres\nsed -i s/feet/metres/ *'), 'Say it in metres')
  t.equal(firstLine('## Say it in metres'), 'Say it in metres')
  t.equal(firstLine('#!/bin/sh\nmake'), '#!/bin/sh')
})
