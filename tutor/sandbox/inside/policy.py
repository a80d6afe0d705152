"""Every limit and every allowed system call of the sandbox, in one place. Units are in the names."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

MIB: Final = 1024 * 1024

# --- processes ---------------------------------------------------------------------------------------------------

UID_FIRST: Final = 64_000
UID_COUNT: Final = 1_000  # far more than live workers, so that a uid is long dead before it is used again
NICENESS: Final = 5  # the web page goes first, yet a busy page does not starve the checks
SLOW_NICENESS: Final = 19  # and other checks beside those that have been running for long
MOST_WAITING: Final = 3  # times the limit of a check that its worker may wait for a processor and hardly get any
GOOD_PART: Final = 0.25  # of that limit
QUICK_SECONDS: Final = 0.3  # after that a check is a slow one; a verdict takes a third of it
OOM_SCORE_ADJ: Final = 1_000  # when the machine runs out of memory, a worker goes first
UMASK: Final = 0o077

EXIT_OUT_OF_MEMORY: Final = 96
EXIT_REFUSED: Final = 97
EXIT_BROKEN: Final = 98

JOB_FD: Final = 200
RESULT_FD: Final = 201
OUTSIDE_FD: Final = 202  # only in workers that prove a single layer
ZYGOTE_OPEN_FILES: Final = 1_024
REQUEST_BYTES: Final = 1_024

# --- limits of one worker ----------------------------------------------------------------------------------------

CPU_SECONDS: Final = 330  # backstop only: wall-clock deadlines are enforced from outside, at most 300 s
OPEN_FILES: Final = 64
STACK_BYTES: Final = 8 * MIB
PENDING_SIGNALS: Final = 16
RESERVE_BYTES: Final = 8 * MIB  # given back when memory runs out, so that the frame saying so can be built

# --- wire --------------------------------------------------------------------------------------------------------

HEADER_BYTES: Final = 512 * 1024
ALL_HEADERS_BYTES: Final = 4 * MIB  # in all frames of a run together
JOB_HEADER_BYTES: Final = 4 * MIB
JOB_BODY_BYTES: Final = 256 * MIB
RESULT_TENSORS: Final = 64
JOB_TENSORS: Final = 4_096
TENSOR_DIMS: Final = 8
TENSOR_BYTES: Final = 1 << 40  # of a shape as declared, zero sizes counted as one: keeps strides from overflowing
FRAMES: Final = 512
PIPE_BYTES: Final = MIB
READ_BYTES: Final = MIB

# --- what a report tells; beyond that it stays silent ---------------------------------------------------------------

OPERATIONS: Final = 2_000  # names recorded in one call
STEPS: Final = 200  # on one tape
STEP_TENSORS: Final = 8  # given to a step, or made by it
STEP_VALUE_BYTES: Final = 64 * 1024
TAPE_BYTES: Final = MIB
RESULTS: Final = 16  # of one call
PARAMETERS: Final = 256
HIDDEN: Final = 16
KEPT: Final = 32  # tensors of a module beside its parameters
MESSAGE_CHARS: Final = 2_000

# --- patience of the trusted side --------------------------------------------------------------------------------

BOOT_SECONDS: Final = 60.0
WATCH_SECONDS: Final = 0.05  # between two looks at the memory of a worker that its system does not bound
LULL_SECONDS: Final = 0.05  # about one verdict
STARVING_SECONDS: Final = 0.03  # without a processor for so long, several ticks of the slowest clock
STANDSTILL_SECONDS: Final = 0.5  # more than that too late, and nothing on the machine ran meanwhile
BRISK_EVENTS: Final = 500  # of one run; several times what a check has
UNHURRIED_SECONDS: Final = 0.01  # between looks at a worker that says or prints more often
LOOK_SECONDS: Final = 0.25  # how soon it is seen that a source of workers has died
FORK_SECONDS: Final = 10.0
STATUS_SECONDS: Final = 5.0
WORKER_WAIT_SECONDS: Final = 30.0
SELF_TEST_SECONDS: Final = 10.0
RESTARTS_BEFORE_GIVING_UP: Final = 3
BACKOFF_FIRST_SECONDS: Final = 0.1
BACKOFF_LAST_SECONDS: Final = 5.0

# --- system calls ------------------------------------------------------------------------------------------------
# No call here opens, creates, executes, connects, forks or signals: what a worker needs is imported before the fork.


@dataclass(frozen=True, slots=True)
class Argument:
    """A condition on an argument of a call: its bits under ``mask`` are those of ``value``."""

    index: int
    value: int
    mask: int = 0xFFFF_FFFF_FFFF_FFFF


@dataclass(frozen=True, slots=True)
class Calls:
    """An allow-list. Whatever it does not name fails with ``DEFAULT_ERRNO``.

    Args:
        allowed: names of calls.
        conditions: calls that are allowed if all their arguments are as said.
        answered: errno → calls that fail with it, where a library expects just that and falls back, or says why.
    """

    allowed: tuple[str, ...]
    conditions: tuple[tuple[str, tuple[Argument, ...]], ...] = ()
    answered: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


DEFAULT_ERRNO: Final = errno.EPERM
Answers: TypeAlias = dict[int, tuple[str, ...]]

_ORDINARY: Final[tuple[str, ...]] = (
    "read", "readv", "write", "writev", "pread64", "pwrite64", "close", "lseek", "fstat", "dup", "pipe2",
    "mprotect", "munmap", "brk", "mremap", "madvise", "mincore",
    "futex", "set_robust_list", "get_robust_list", "set_tid_address", "rseq", "membarrier", "restart_syscall",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "getitimer",
    "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid",
    "getrandom", "getrusage", "sysinfo", "uname", "getcwd", "getcpu", "sched_yield", "sched_getaffinity",
    "poll", "ppoll", "select", "pselect6",
    "exit", "exit_group",
)  # fmt: skip

_MAP_TYPE: Final = 0x0F
_MAP_PRIVATE: Final = 0x02
_PRIVATE_MAPS: Final = ("mmap", (Argument(3, _MAP_PRIVATE, _MAP_TYPE),))
_OWN_LIMITS: Final = ("prlimit64", (Argument(0, 0), Argument(2, 0)))  # may be read, never set
_DESCRIPTOR_FLAGS: Final = tuple(("fcntl", (Argument(1, command),)) for command in (1, 2, 3, 4))  # F_GETFD … F_SETFL

_NO_IOCTL: Final[Answers] = {errno.ENOTTY: ("ioctl",)}
_NO_PROCESS: Final[Answers] = {errno.EAGAIN: ("clone", "fork", "vfork")}
_NOT_THERE: Final[Answers] = {
    errno.ENOSYS: ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "memfd_create",
                   "memfd_secret"),
}  # fmt: skip
_LOOKING: Final = (
    "open", "openat", "openat2", "stat", "lstat", "newfstatat", "statx", "statfs", "access", "faccessat", "faccessat2",
    "readlink", "readlinkat", "getdents", "getdents64",
)  # fmt: skip
_CHANGING: Final = (
    "creat", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "rename", "renameat", "renameat2", "truncate", "chdir",
    "fchdir", "chmod", "fchmodat", "chown", "lchown", "fchownat", "symlink", "symlinkat", "link", "linkat", "mknod", "mknodat",
    "utimensat",
)  # fmt: skip
_NO_FILES: Final[Answers] = {errno.EACCES: _LOOKING + _CHANGING}

WORKER_CALLS: Final = Calls(
    allowed=_ORDINARY,
    conditions=(_PRIVATE_MAPS, _OWN_LIMITS, *_DESCRIPTOR_FLAGS),
    answered=_NO_IOCTL | _NO_PROCESS | _NOT_THERE | _NO_FILES,
)

# --- devices ------------------------------------------------------------------------------------------------------
# A driver opens its files, starts threads and talks to the kernel by ioctl and shared memory. While it starts, no student code
# exists yet; the first list only keeps its threads from what nobody needs. The second one holds for the submission.

_CLONE_THREAD: Final = 0x0001_0000
_THREADS: Final = ("clone", (Argument(0, _CLONE_THREAD, _CLONE_THREAD),))
_DRIVER: Final = ("ioctl", "mmap", "eventfd2", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait")

DEVICE_START_CALLS: Final = Calls(
    allowed=(*_ORDINARY, *_DRIVER, *_LOOKING, "fcntl", "prctl", "prlimit64", "memfd_create", "ftruncate", "seccomp",
             "sched_setaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
             "sched_get_priority_min", "mlock", "munlock", "set_mempolicy", "mbind"),
    conditions=(_THREADS,),
    answered={errno.ENOSYS: ("clone3", "io_uring_setup", "userfaultfd")},
)  # fmt: skip
DEVICE_CALLS: Final = Calls(
    allowed=(*_ORDINARY, *_DRIVER),
    conditions=(_OWN_LIMITS, *_DESCRIPTOR_FLAGS),
    answered=_NO_PROCESS | _NOT_THERE | _NO_FILES,
)
DEVICE_OPEN_FILES: Final = 256
DEVICE_READS: Final = ("/usr", "/lib", "/lib64", "/etc", "/sys", "/proc", "/opt")
DEVICE_NODES: Final = ("nvidia*", "nvidia-caps/*", "dri/*")
