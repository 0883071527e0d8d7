/** The environment and configuration of every git child: made from nothing, so that no file of the host decides. */

/** Attributes are read from nowhere: not from SHA-1's empty tree, and not from what is no tree to SHA-256. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Hooks are run for pushes alone, which name their folder. */
const always: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.fsmonitor', 'false'],
  // Nobody asked for signed pushes: a certificate that comes all the same is shown to no program.
  ['gpg.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['core.bigFileThreshold', '16m'],
  ['core.packedGitWindowSize', '16m'],
  ['core.packedGitLimit', '256m'],
  ['core.alternateRefsCommand', 'true'],
  // Since git 2.43 a bare repository reads attributes from HEAD: `* -diff` there would hide a change from review.
  ['attr.tree', emptyTree],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['transfer.fsckObjects', 'true'],
  ['receive.fsckObjects', 'true'],
  ['receive.autogc', 'false'],
  ['receive.advertisePushOptions', 'true'],
  ['uploadpack.allowFilter', 'true'],
  // All but sparse:oid, which looks at every path of every commit: an evening's work for one request.
  ['uploadpackfilter.allow', 'false'],
  ...['blob:none', 'blob:limit', 'tree', 'object:type', 'combine'].map(
    (filter) => [`uploadpackfilter.${filter}.allow`, 'true'] as const,
  ),
  ['uploadpack.allowAnySHA1InWant', 'true'],
]

/**
 * Environment for git in one repository. `config` comes after the fixed settings and, like them, outranks every file.
 * `variables` is for what git itself or its hooks should see.
 */
export const gitEnvironment = (
  repo: string,
  config: readonly (readonly [string, string])[] = [],
  variables: Readonly<Record<string, string>> = {},
): Record<string, string> => {
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    ...variables,
  }
  const settings = [...always, ['safe.directory', repo] as const, ...config]
  env['GIT_CONFIG_COUNT'] = String(settings.length)
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return env
}
