/**
 * The system calls of a sandbox: an allow-list, in the form of the engine's seccomp profiles. What is not
 * here fails with EPERM. It holds what git, shells, compilers and language runtimes need, and leaves out what
 * has let programs out of containers: other namespaces, mounts, BPF, io_uring, userfaultfd, key rings, ptrace,
 * handles to files, most families of sockets, and the system calls of 32-bit programs as a whole.
 */

type Argument = { index: number; value: number; valueTwo?: number; op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ' }
type Rule = {
  names: readonly string[]
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
  args?: readonly Argument[]
  errnoRet?: number
}

const files = [
  'access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2',
  'fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr',
  'flistxattr flock fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents',
  'getdents64 getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown lgetxattr',
  'link linkat listxattr llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat',
  'newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read',
  'readahead readlink readlinkat readv removexattr rename renameat renameat2 rmdir sendfile setxattr splice',
  'stat statfs statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime',
  'utimensat utimes write writev',
]

const memory = [
  'brk madvise membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync',
  'munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages',
]

const processes = [
  'alarm arch_prctl capget capset execve execveat exit exit_group fork futex futex_waitv get_robust_list',
  'get_thread_area getcpu getegid geteuid getgid getgroups getitimer getpgid getpgrp getpid getppid',
  'getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid ioprio_get ioprio_set kill',
  'landlock_add_rule landlock_create_ruleset landlock_restrict_self pause pidfd_open pidfd_send_signal',
  'prctl prlimit64 restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo',
  'rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max',
  'sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler',
  'sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield',
  'seccomp set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setitimer',
  'setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setuid sigaltstack signalfd',
  'signalfd4 sysinfo tgkill times tkill uname vfork wait4 waitid',
]

const time = [
  'clock_getres clock_gettime clock_nanosleep getrandom gettimeofday nanosleep time timer_create',
  'timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime',
]

const waiting = [
  'epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 io_cancel',
  'io_destroy io_getevents io_setup io_submit poll ppoll pselect6 select',
]

const communication = [
  'accept accept4 bind connect getpeername getsockname getsockopt listen mq_getsetattr mq_notify mq_open',
  'mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd recvfrom recvmmsg recvmsg semctl',
  'semget semop semtimedop sendmmsg sendmsg sendto setsockopt shmat shmctl shmdt shmget shutdown',
]

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const SOCK_STREAM = 1
const SOCK_DGRAM = 2
const typeMask = 0xf
const IPPROTO_TCP = 6
const IPPROTO_UDP = 17
const NETLINK_ROUTE = 0

const equal = (index: number, value: number): Argument => ({ index, value, op: 'SCMP_CMP_EQ' })
const masked = (index: number, mask: number, value: number): Argument => ({
  index,
  value: mask,
  valueTwo: value,
  op: 'SCMP_CMP_MASKED_EQ',
})
const allow = (names: readonly string[], args?: readonly Argument[]): Rule => ({
  names,
  action: 'SCMP_ACT_ALLOW',
  ...(args === undefined ? {} : { args }),
})

/** TCP and UDP by name or by default. Others load kernel modules that nobody here needs. */
const internetSockets = [AF_INET, AF_INET6].flatMap((family) =>
  [
    { type: SOCK_STREAM, protocols: [0, IPPROTO_TCP] },
    { type: SOCK_DGRAM, protocols: [0, IPPROTO_UDP] },
  ].flatMap(({ type, protocols }) =>
    protocols.map((protocol) =>
      allow(['socket'], [equal(0, family), masked(1, typeMask, type), equal(2, protocol)]),
    ),
  ),
)

const sockets = [
  allow(['socket', 'socketpair'], [equal(0, AF_UNIX)]),
  ...internetSockets,
  // os.networkInterfaces() and the resolver list the interfaces this way.
  allow(['socket'], [equal(0, AF_NETLINK), equal(2, NETLINK_ROUTE)]),
]

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespaces = 0x7e020000

const ENOSYS = 38
const clone = [
  allow(['clone'], [masked(0, newNamespaces, 0)]),
  // Its flags lie in memory, where no filter sees them. ENOSYS makes the C library fall back to clone.
  { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS } satisfies Rule,
]

/** Queries, PER_LINUX and UNAME26: never one that turns off the random placing of memory. */
const personality = [0x0, 0x20000, 0xffffffff].map((value) => allow(['personality'], [equal(0, value)]))

export const seccompProfile = {
  defaultAction: 'SCMP_ACT_ERRNO',
  archMap: [
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
  ],
  syscalls: [
    allow(
      [...files, ...memory, ...processes, ...time, ...waiting, ...communication].flatMap((l) => l.split(' ')),
    ),
    ...sockets,
    ...clone,
    ...personality,
  ],
} as const
