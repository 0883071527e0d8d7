/** The users inside a container, by number: an image's own /etc/passwd has no say. */
export const users = {
  /** PID 1, which ends the container when its time is up. */
  sleeper: '901:901',
  wire: '902:902',
  courier: '904:904',
  agent: '1000:1000',
} as const

export type User = (typeof users)[keyof typeof users]
