"""Attempts to get out, each harmless where it succeeds. The same text runs behind the walls and, as control, without any.

Each function returns when it succeeded and raises OSError when it was refused. ``run`` maps names to "succeeded" or "refused".
"""

import ctypes
import fcntl
import json
import mmap
import os
import resource
import select
import signal
import socket
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
PATH = "/etc/passwd"
NEW = "/tmp/tutor-attack"


def call(name, *arguments):
    if getattr(LIBC, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)


def raw(number, *arguments):
    # The numbers above 400 are the same on every architecture.
    if LIBC.syscall(ctypes.c_long(number), *arguments) == -1:
        raise OSError(ctypes.get_errno(), str(number))


def child():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def spawn():
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


def execute():
    try:
        os.execv("/nonexistent", ["x"])
    except FileNotFoundError:
        return  # nothing but the missing file stood in the way


def thread():
    try:
        started = threading.Thread(target=int)
        started.start()
    except RuntimeError as error:
        raise OSError(str(error)) from error
    started.join()


def create():
    with open(NEW, "w"):
        pass
    os.chmod(NEW, 0o600)
    os.rename(NEW, NEW + "2")
    os.unlink(NEW + "2")


def make_folder():
    os.mkdir(NEW + "-folder")
    os.rmdir(NEW + "-folder")


def lift_limit():
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except ValueError as error:
        raise OSError(str(error)) from error


def lock_shared():
    fcntl.flock(1, fcntl.LOCK_SH | fcntl.LOCK_NB)


def memory_of_another():
    size = ctypes.sizeof(ctypes.c_size_t)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.create_string_buffer(size)), size)
    remote = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.create_string_buffer(size)), size)
    call("process_vm_readv", os.getpid(), local, 1, remote, 1, 0)


ATTACKS = {
    "open": lambda: open(PATH).close(),
    "open the environment": lambda: open("/proc/self/environ").close(),
    "open the parent's memory map": lambda: open(f"/proc/{os.getppid()}/maps").close(),
    "openat2": lambda: raw(437, -100, PATH.encode(), (ctypes.c_uint64 * 3)(), 24),
    "stat": lambda: os.stat(PATH),
    "access": lambda: os.access("/", os.F_OK) or raw(439, -100, b"/", 0, 0),
    "read a link": lambda: os.readlink("/proc/self/exe"),
    "list": lambda: os.listdir("/"),
    "change folder": lambda: os.chdir("/"),
    "create, rename, unlink": create,
    "make a folder": make_folder,
    "fork": child,
    "posix_spawn": spawn,
    "exec": execute,
    "thread": thread,
    "internet socket": lambda: socket.socket().close(),
    "unix socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
    "socket pair": lambda: [end.close() for end in socket.socketpair()],
    "signal the parent": lambda: os.kill(os.getppid(), 0),
    "signal itself": lambda: os.kill(os.getpid(), 0),
    "signal by pidfd": lambda: signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 0),
    "ptrace": lambda: call("ptrace", 0, 0, None, None),
    "read a process": memory_of_another,
    "limits of the parent": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE),
    "lift a limit": lift_limit,
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 19),
    "affinity": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "share anonymous memory": lambda: mmap.mmap(-1, 4096).close(),
    "memfd": lambda: os.close(os.memfd_create("x")),
    "System V memory": lambda: call("shmctl", LIBC.shmget(0, 4096, 0o1600), 0, None),
    "epoll": lambda: select.epoll().close(),
    "eventfd": lambda: os.close(os.eventfd(0)),
    "timer": lambda: signal.setitimer(signal.ITIMER_REAL, 0),
    "copy over a descriptor": lambda: os.dup2(1, 2),
    "lock a shared file": lock_shared,
    "lock memory": lambda: call("mlock", ctypes.create_string_buffer(16), 16),
    "gain privileges": lambda: call("setresuid", *[os.getuid()] * 3),
    "new namespace of nothing": lambda: call("unshare", 0),
    "personality": lambda: call("personality", ctypes.c_ulong(0xFFFFFFFF)),
    "prctl": lambda: call("prctl", 3, 0, 0, 0, 0),
    "key ring": lambda: call("syscall", ctypes.c_long(250 if os.uname().machine == "x86_64" else 219), 0, -3, 1),
}


def run():
    outcome = {}
    for name, attack in ATTACKS.items():
        try:
            attack()
            outcome[name] = "succeeded"
        except OSError as error:
            outcome[name] = f"refused: {error}"
    return outcome


if __name__ == "__main__":
    print(json.dumps(run()))
else:
    answer = run()
