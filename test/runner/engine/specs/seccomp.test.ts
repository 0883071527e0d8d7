import t from 'tap'
import { seccompProfile } from '../../../../runner/engine/specs/seccomp.ts'

const rulesOf = (name: string) => seccompProfile.syscalls.filter(({ names }) => names.includes(name))

t.test('what is not listed is refused', async (t) => {
  t.equal(seccompProfile.defaultAction, 'SCMP_ACT_ERRNO')
})

t.test('ways out of a container are not listed', async (t) => {
  const dangerous = [
    'acct add_key bpf chroot delete_module fanotify_init finit_module fsconfig fsmount fsopen init_module',
    'io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl mbind',
    'memfd_secret modify_ldt mount mount_setattr move_mount move_pages name_to_handle_at open_by_handle_at',
    'open_tree perf_event_open pidfd_getfd pivot_root process_vm_readv process_vm_writev ptrace quotactl reboot',
    'request_key setns settimeofday swapon syslog umount2 unshare userfaultfd vmsplice',
  ].flatMap((line) => line.split(' '))
  for (const name of dangerous) t.same(rulesOf(name), [], name)
})

t.test('clone3 does not exist, and clone makes no namespace', async (t) => {
  t.match(rulesOf('clone3'), [{ action: 'SCMP_ACT_ERRNO', errnoRet: 38 }])
  const namespaces = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
  t.match(rulesOf('clone'), [
    { args: [{ index: 0, value: namespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }] },
  ])
})

t.test('every rule for sockets names a family, and there are four', async (t) => {
  const families = rulesOf('socket').map(({ args }) => args?.find(({ index }) => index === 0)?.value)
  t.same([...new Set(families)], [1, 2, 10, 16])
  t.same(
    rulesOf('socketpair').map(({ args }) => args?.[0]?.value),
    [1],
  )
})

t.test('programs of 32 bits have no way in', async (t) => {
  t.ok(seccompProfile.archMap.every(({ subArchitectures }) => subArchitectures.length === 0))
})
