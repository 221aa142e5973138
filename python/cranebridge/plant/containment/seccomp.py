"""A seccomp filter for the child process: which system calls an FMU cannot make.

The filter is a list of what is denied, because foreign binaries need many different harmless calls.
A denied call returns "operation not permitted" to the FMU, which can go on or give up. Some calls
are judged by an argument: threads yes, processes no; a signal to oneself yes, to others no. Calls
newer than this table answer "not implemented", which the C library knows how to handle.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Mapping, Sequence

# Name: number on x86_64, number on aarch64 (-1: there is no such call).
DENIED: Mapping[str, tuple[int, int]] = {
    # network; the channel to the parent is open already
    **{"socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200)},
    **{"listen": (50, 201), "accept": (43, 202), "accept4": (288, 242)},
    # other programs, other sessions
    **{"fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "execveat": (322, 281)},
    **{"setsid": (112, 157), "setpgid": (109, 154)},
    # other processes
    **{"ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271)},
    **{"tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240)},
    **{"pidfd_send_signal": (424, 424), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438)},
    **{"process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272)},
    **{"move_pages": (279, 239), "migrate_pages": (256, 238), "setpriority": (141, 140)},
    **{"ioprio_set": (251, 30)},
    # what Landlock does not see of files: rights, owners, times, links, handles
    **{"chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452)},
    **{"chown": (92, -1), "fchown": (93, 55), "lchown": (94, -1), "fchownat": (260, 54)},
    **{"setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7)},
    **{"removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16)},
    **{"utime": (132, -1), "utimes": (235, -1), "futimesat": (261, -1), "utimensat": (280, 88)},
    **{"symlink": (88, -1), "symlinkat": (266, 36), "link": (86, -1), "linkat": (265, 37)},
    **{"mknod": (133, -1), "mknodat": (259, 33), "truncate": (76, 45)},
    **{"name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265)},
    # what it sees of folders that it cannot open: names that come and go, attributes
    **{"inotify_add_watch": (254, 27), "fanotify_init": (300, 262), "fanotify_mark": (301, 263)},
    **{"getxattr": (191, 8), "lgetxattr": (192, 9), "fgetxattr": (193, 10)},
    **{"listxattr": (194, 11), "llistxattr": (195, 12), "flistxattr": (196, 13)},
    # messages, semaphores and memory that processes share, by name or by number
    **{"shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197)},
    **{"semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192)},
    **{"msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187)},
    **{"mq_open": (240, 180), "mq_unlink": (241, 181), "mq_timedsend": (242, 182)},
    **{"mq_timedreceive": (243, 183), "mq_notify": (244, 184), "mq_getsetattr": (245, 185)},
    # memory that is not counted as its own
    **{"memfd_create": (319, 279), "memfd_secret": (447, 447)},
    # the kernel's wide doors
    **{"io_uring_setup": (425, 425), "io_uring_enter": (426, 426)},
    **{"io_uring_register": (427, 427), "bpf": (321, 280), "perf_event_open": (298, 241)},
    **{"userfaultfd": (323, 282), "keyctl": (250, 219), "add_key": (248, 217)},
    **{"request_key": (249, 218), "unshare": (272, 97), "setns": (308, 268)},
    **{"mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51)},
    **{"open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430)},
    **{"fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433)},
    **{"mount_setattr": (442, 442), "quotactl": (179, 60), "quotactl_fd": (443, 443)},
    **{"init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106)},
    **{"kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142)},
    **{"swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "syslog": (103, 116)},
    **{"settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171)},
    **{"clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162)},
}
"""Calls that are never allowed."""

JUDGED: Mapping[str, tuple[int, int]] = {
    **{"clone": (56, 220), "kill": (62, 129), "tgkill": (234, 131), "prlimit64": (302, 261)},
    **{"sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119)},
    **{"sched_setparam": (142, 118), "sched_setattr": (314, 274)},
    **{"prctl": (157, 167), "fcntl": (72, 25), "ioctl": (16, 29)},
}
"""Calls that are allowed or not by an argument."""

UNKNOWN: Mapping[str, tuple[int, int]] = {"clone3": (435, 435), "openat2": (437, 437)}
"""Calls whose arguments a filter cannot see; the C library falls back to the older ones."""

# By machine: column in the tables, architecture's word for seccomp, number of seccomp itself.
MACHINES: Mapping[str, tuple[int, int, int]] = {
    "x86_64": (0, 0xC000003E, 317),
    "aarch64": (1, 0xC00000B7, 277),
}

_LAST_KNOWN = 462  # mseal, Linux 6.10; later numbers are the same on both machines
# Instructions of a filter: linux/bpf_common.h, the codes that the kernel combines.
_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_ABOVE = 0x25  # BPF_JMP | BPF_JGT | BPF_K
_BITS = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
# What a filter returns: linux/seccomp.h.
_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERRNO = 0x00050000
# Places in struct seccomp_data.
_NUMBER = 0
_ARCHITECTURE = 4
_ARGUMENTS = 16
# Arguments of clone (linux/sched.h), prctl (linux/prctl.h), fcntl (asm-generic/fcntl.h) and ioctl
# (asm-generic/sockios.h, asm-generic/ioctls.h).
_CLONE_THREAD = 0x10000
_SET_PDEATHSIG = 1
_SET_DUMPABLE = 4
_SETOWN = 8
_SETSIG = 10
_SETOWN_EX = 15
_FIOSETOWN = 0x8901
_SIOCSPGRP = 0x8902
_TIOCSTI = 0x5412
_TIOCLINUX = 0x541C

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def install(machine: str, pid: int) -> bool:
    """Install the filter for all threads of this process; whether the kernel took it."""
    if machine not in MACHINES:
        return False
    code = b"".join(struct.pack("<HBBI", *step) for step in program(machine, pid))
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = _Program(len(code) // 8, ctypes.addressof(buffer))
    set_mode_filter, all_threads = 1, 1
    library = ctypes.CDLL(None, use_errno=True)
    number = ctypes.c_long(MACHINES[machine][2])
    answer = library.syscall(
        number, ctypes.c_uint(set_mode_filter), ctypes.c_uint(all_threads), ctypes.byref(filter_)
    )
    return bool(answer == 0)


def program(machine: str, pid: int) -> list[Instruction]:
    """Return the filter for a process: code, jump if true, jump if false, number."""
    column, architecture, _ = MACHINES[machine]
    steps: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        # also the numbers of the x32 interface, which begin at 2**30
        (_ABOVE, 0, 1, _LAST_KNOWN),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    for table, answer in ((DENIED, errno.EPERM), (UNKNOWN, errno.ENOSYS)):
        for numbers in table.values():
            if numbers[column] >= 0:
                steps += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERRNO | answer)]
    for name, block in _judged(pid).items():
        steps += [(_EQUAL, 0, len(block), JUDGED[name][column]), *block]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _judged(pid: int) -> dict[str, list[Instruction]]:
    myself = _only(0, [pid])
    own = _only(0, [0, pid])
    return {
        "clone": [_argument(0), (_BITS, 1, 0, _CLONE_THREAD), _deny(), _allow()],
        "kill": myself,
        "tgkill": myself,
        "prlimit64": own,
        "sched_setaffinity": own,
        "sched_setscheduler": own,
        "sched_setparam": own,
        "sched_setattr": own,
        # its end with the parent, and the parent's view of its files
        "prctl": _never(0, [_SET_PDEATHSIG, _SET_DUMPABLE]),
        # signals by way of a file's owner; typing into a terminal
        "fcntl": _never(1, [_SETOWN, _SETSIG, _SETOWN_EX]),
        "ioctl": _never(1, [_FIOSETOWN, _SIOCSPGRP, _TIOCSTI, _TIOCLINUX]),
    }


def _only(index: int, values: Sequence[int]) -> list[Instruction]:
    tests = [step for value in values for step in ((_EQUAL, 0, 1, value), _allow())]
    return [_argument(index), *tests, _deny()]


def _never(index: int, values: Sequence[int]) -> list[Instruction]:
    tests = [step for value in values for step in ((_EQUAL, 0, 1, value), _deny())]
    return [_argument(index), *tests, _allow()]


def _argument(index: int) -> Instruction:
    # the lower half; both machines put it first
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)


def _allow() -> Instruction:
    return (_RETURN, 0, 0, _ALLOW)


def _deny() -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | errno.EPERM)
