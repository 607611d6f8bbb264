"""The filter of system calls for bots, as a program for the kernel (classic BPF).

Allowed is everything that a game-playing bot needs. Refused with EPERM are calls that access other processes, create
namespaces or mounts, load code into the kernel, open unusual kinds of sockets, or set locks and watches on files, with
which two bots could signal to each other. A refused call does not kill the process, because language runtimes try
such calls and work without them.
"""

from __future__ import annotations

import errno
import platform
import struct

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW = 0x7FFF0000
KILL = 0x80000000
REFUSE = 0x00050000 | errno.EPERM
NOT_IMPLEMENTED = 0x00050000 | errno.ENOSYS
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24
"""Offsets in the kernel's `struct seccomp_data`; of an argument the lower half."""
X32 = 0x40000000
"""The bit in the numbers of the x32 calls on x86-64."""

NEW_NAMESPACE = 0x7E020080
"""All flags of clone that create a namespace."""
LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1026, 1036)
"""Commands of fcntl for locks, leases, directory notifications and write hints."""
USUAL_SOCKETS = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: they reach nothing in a network namespace of its own."""

# Number on x86-64, number on ARM64 (None: no such call).
REFUSED: dict[str, tuple[int, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "mount": (165, 40),
    "umount2": (166, 39),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "memfd_secret": (447, 447),
    "flock": (73, 32),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "personality": (135, 92),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
}
LOCK_CALLS = ("flock", "inotify_add_watch")
"""Of these, the calls that set locks and watches."""
CLONE, CLONE3, FCNTL, SOCKET = (56, 220), (435, 435), (72, 25), (41, 198)

MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's constant for the architecture, and the column of its numbers in the tables above."""


def _instruction(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _when(value: int, then: int) -> bytes:
    """Return instructions that end the filter with the result `then` if the loaded value is `value`."""
    return _instruction(EQUAL, value, 0, 1) + _instruction(RETURN, then)


def _only_for(number: int, body: bytes) -> bytes:
    """Return instructions that run the body for one call only. The body must load its values and end the filter."""
    return _instruction(EQUAL, number, 0, len(body) // 8) + body


def filter_program(machine: str | None = None, *, allow_locks: bool = False) -> bytes | None:
    """Return the filter for an architecture; None if its numbers are not known.

    `allow_locks` is for builds: compilers and package managers need locks and watches.
    """
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    name, column = known
    program = _instruction(LOAD, ARCHITECTURE)
    program += _instruction(EQUAL, name, 1, 0) + _instruction(RETURN, KILL)
    program += _instruction(LOAD, NUMBER)
    if column == 0:
        program += _instruction(AT_LEAST, X32, 0, 1) + _instruction(RETURN, NOT_IMPLEMENTED)
    for call, numbers in REFUSED.items():
        number = numbers[column]
        if number is not None and not (allow_locks and call in LOCK_CALLS):
            program += _when(number, REFUSE)
    # The flags of clone3 are in memory, which a filter cannot read. Without it libraries use clone.
    program += _when(CLONE3[column], NOT_IMPLEMENTED)
    new_namespace = _instruction(ANY_BIT, NEW_NAMESPACE, 0, 1) + _instruction(RETURN, REFUSE)
    flags = _instruction(LOAD, FIRST_ARGUMENT) + new_namespace + _instruction(RETURN, ALLOW)
    program += _only_for(CLONE[column], flags)
    if not allow_locks:
        locks = b"".join(_when(command, REFUSE) for command in LOCKS)
        program += _only_for(FCNTL[column], _instruction(LOAD, SECOND_ARGUMENT) + locks + _instruction(RETURN, ALLOW))
    usual = b"".join(_when(family, ALLOW) for family in USUAL_SOCKETS)
    program += _only_for(SOCKET[column], _instruction(LOAD, FIRST_ARGUMENT) + usual + _instruction(RETURN, REFUSE))
    return program + _instruction(RETURN, ALLOW)
