/** The arguments and help of `spbgit agent`. */
import type { Command } from 'commander'
import {
  type CommitId,
  commitId,
  type JobId,
  jobIdText,
  type RepoName,
  repoName,
} from '../../../server/protocol/ids.ts'
import { cancel, list, reject, show } from '../commands/agent.ts'
import { approve } from '../commands/agent-approve.ts'
import { open } from '../commands/agent-open.ts'
import { run } from '../commands/agent-run.ts'
import type { Session } from '../session.ts'
import { parseBranch, parsedBy, parseReason } from './arguments.ts'
import { examples, json } from './common.ts'

const exits = `

How it ends: 0 a proposal is there, 1 it failed, 2 wrong usage, 3 nothing changed, 4 cancelled,
130 you left it with Ctrl-C (the job goes on).`

const repoArgument = ['<repo>', 'the repository', parsedBy(repoName)] as const
const jobArgument = ['<id>', 'the number of the job', parsedBy(jobIdText)] as const

const addRun = (agent: Command, session: Session): void => {
  agent
    .command('run')
    .description('give a task to an agent and follow it to its proposal')
    .argument(...repoArgument)
    .argument('<task>', 'what to do; - reads it from stdin')
    .option('--base <branch>', 'branch to start from instead of the default branch', parseBranch)
    .option('--detach', 'start the job and do not wait for it')
    .option('--json', 'write one line of JSON an event and, last, the job')
    .addHelpText(
      'after',
      examples(
        'spbgit agent run website "npm run format"',
        'spbgit agent run website --base next - < task.txt',
        'spbgit agent run website "npm update" --json | jq -r "select(.type == \\"log\\").text"',
      ) + exits,
    )
    .action(async (repo: RepoName, task: string, options: Parameters<typeof run>[3]) => {
      process.exitCode = await run(session, repo, task, options)
    })
}

const addOpen = (agent: Command, session: Session): void => {
  agent
    .command('open')
    .description('open a job for an agent that works elsewhere and pushes its proposal with a token')
    .argument(...repoArgument)
    .argument('<task>', 'what to do; - reads it from stdin')
    .option('--base <branch>', 'branch to start from instead of the default branch', parseBranch)
    .option(...json)
    .addHelpText(
      'after',
      examples(
        'spbgit agent open website "Say hello in French"',
        'spbgit agent open website - --json < task.txt | jq -r .access.token',
      ),
    )
    .action((repo: RepoName, task: string, options: Parameters<typeof open>[3]) =>
      open(session, repo, task, options),
    )
}

const addReview = (agent: Command, session: Session): void => {
  agent
    .command('approve')
    .description('put a proposal on a branch that is not the default one')
    .argument(...repoArgument)
    .argument(...jobArgument)
    .requiredOption('--branch <name>', 'branch to make or to fast-forward', parseBranch)
    .option(
      '--commit <id>',
      'the commit you reviewed; without it, the proposal as it is now',
      parsedBy(commitId),
    )
    .option('--yes', 'do not ask')
    .option(...json)
    .addHelpText(
      'after',
      examples(
        'spbgit agent approve website 42 --branch format',
        'spbgit agent approve website 42 --branch format --commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 --yes',
      ),
    )
    .action(
      (
        repo: RepoName,
        id: JobId,
        options: { branch: string; commit?: CommitId; yes?: boolean; json?: boolean },
      ) => approve(session, repo, id, options),
    )
  agent
    .command('reject')
    .description('turn a proposal down')
    .argument(...repoArgument)
    .argument(...jobArgument)
    .requiredOption('--reason <text>', 'why, for whoever reads the job later', parseReason)
    .option(...json)
    .addHelpText('after', examples('spbgit agent reject website 42 --reason "It drops the tests"'))
    .action((repo: RepoName, id: JobId, options: { reason: string; json?: boolean }) =>
      reject(session, repo, id, options),
    )
}

export const addAgent = (program: Command, session: Session): void => {
  const agent = program.command('agent').description('start, follow and review the jobs of agents')
  addRun(agent, session)
  addOpen(agent, session)
  agent
    .command('list')
    .description('list the jobs of a repository, or the audit record of every job')
    .argument('[repo]', 'the repository', parsedBy(repoName))
    .option(...json)
    .addHelpText('after', examples('spbgit agent list website', 'spbgit agent list --json'))
    .action((repo: RepoName | undefined, options: { json?: boolean }) => list(session, repo, options))
  agent
    .command('show')
    .description('show a job and its proposal')
    .argument(...repoArgument)
    .argument(...jobArgument)
    .option(...json)
    .addHelpText(
      'after',
      examples(
        'spbgit agent show website 42',
        'spbgit agent show website 42 --json | jq -r .proposal.commit',
      ),
    )
    .action((repo: RepoName, id: JobId, options: { json?: boolean }) => show(session, repo, id, options))
  addReview(agent, session)
  agent
    .command('cancel')
    .description('end a job that is still at work')
    .argument(...repoArgument)
    .argument(...jobArgument)
    .option(...json)
    .addHelpText('after', examples('spbgit agent cancel website 42'))
    .action((repo: RepoName, id: JobId, options: { json?: boolean }) => cancel(session, repo, id, options))
}
