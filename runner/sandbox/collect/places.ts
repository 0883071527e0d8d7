/** Where things are in the collect container. */
export const workFolder = '/work'
export const workTree = `${workFolder}/repo`
export const agentGit = `${workTree}/.git`
export const agentObjectsFolder = `${agentGit}/objects`

/** Ours alone, in memory. */
export const scratch = '/scratch'
export const repository = `${scratch}/repository`
export const indexFile = `${scratch}/index`
