"""The seccomp program of a Landlock sandbox: which system calls are refused, and which a supervisor carries out.

Landlock decides on the opening, making and removing of files. It knows nothing of modes, owners, times and extended
attributes, of sockets with a name, nor (before ABI 6) of signals: those calls wait until the supervisor has looked at
them. It needs only the standard library.
"""

import errno
import struct
from collections.abc import Sequence

MACHINE = "x86_64"
"""The one machine whose numbers of calls are listed here."""

_ARCHITECTURE, _FIRST_UNKNOWN = 0xC000003E, 470
_ALLOW, _NOTIFY, _ERRNO = 0x7FFF0000, 0x7FC00000, 0x00050000
_LOAD, _AND, _EQUALS, _AT_LEAST, _HAS_ANY, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_NEW_NAMESPACES, _NEW_TIME = 0x7E020000, 0x80
_FAST_OPEN = 0x20000000
_TYPE = 0xF
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_STREAM, _SEQUENCED, _TCP, _ROUTES = 1, 5, 6, 0
_ACCESS, _TRUNCATE = 0o3, 0o1000

FILE_CALLS = {
    "chmod": 90,
    "fchmod": 91,
    "chown": 92,
    "fchown": 93,
    "lchown": 94,
    "setxattr": 188,
    "lsetxattr": 189,
    "fsetxattr": 190,
    "removexattr": 197,
    "lremovexattr": 198,
    "fremovexattr": 199,
    "fchownat": 260,
    "fchmodat": 268,
    "utimensat": 280,
    "fchmodat2": 452,
}
SOCKET_CALLS = {"connect": 42, "bind": 49, "listen": 50}
TRUNCATE = {"truncate": 76}
SIGNAL_CALLS = {"kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297}
PROCESS_CALLS = {"prlimit64": 302, "sched_setaffinity": 203, "sched_setparam": 142}
PROCESS_CALLS |= {"sched_setscheduler": 144, "sched_setattr": 314}
"""Their first argument is a process; 0 is the caller."""
PRIORITY_CALLS = {"setpriority": 141, "ioprio_set": 251}
"""Their first argument says what the second one is: a process, a group or a user."""
SUPERVISED = {
    number: name
    for calls in (FILE_CALLS, SOCKET_CALLS, TRUNCATE, SIGNAL_CALLS, PROCESS_CALLS, PRIORITY_CALLS)
    for name, number in calls.items()
}

_UNKNOWN = (
    *(248, 249, 250),  # keyrings
    *(425, 426, 427),  # io_uring, whose requests no filter sees
    *(29, 30, 31, 64, 65, 66, 67, 68, 69, 70, 71, 220, 240, 241),  # memory, semaphores and queues without a file
    435,  # clone3: its flags are in memory; C libraries go back to clone
    *(132, 235, 261, 463, 466, 469),  # other calls for times and attributes, with successors above
)
"""Answered as if this kernel did not know them."""
_FORBIDDEN = (
    *(155, 161, 165, 166, 428, 429, 430, 431, 432, 433, 442, 467),  # mounts and roots
    308,  # setns
    *(175, 176, 246, 313, 320, 321, 298, 323),  # modules, kernels, programs and counters of the kernel
    *(103, 163, 164, 167, 168, 169, 170, 171, 172, 173, 179, 212, 227, 300, 304, 443),  # the machine
)
_SETTING_FLAGS = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602, 0x800C6613, 0x40806685)
"""Requests that change a file's flags through a descriptor that may only read."""
_TYPING = (0x5412, 0x541C)
_OWNER_REQUESTS, _OWNER_COMMANDS = (0x8901, 0x8902), (8, 15)
"""They name a process that is sent a signal."""

Step = tuple[int, int, int, int]
Block = Sequence[Step]
_LET_THROUGH: Step = (_RETURN, 0, 0, _ALLOW)
_ASK: Step = (_RETURN, 0, 0, _NOTIFY)


def program(abi: int, network: str) -> bytes:
    """The filter for a kernel with this ABI of Landlock; `network` is `off`, `leashed` or `open`."""
    blocks: dict[int, Block] = {}
    blocks |= dict.fromkeys(_UNKNOWN, (_refuse(errno.ENOSYS),))
    blocks |= dict.fromkeys(_FORBIDDEN, (_refuse(errno.EPERM),))
    asked = (FILE_CALLS, SOCKET_CALLS, PRIORITY_CALLS)
    blocks |= dict.fromkeys((number for calls in asked for number in calls.values()), (_ASK,))
    blocks |= dict.fromkeys(PROCESS_CALLS.values(), _if_equal(0, (0,), _LET_THROUGH, _ASK))
    blocks[41], blocks[53] = _socket(network), _pair()
    blocks[56] = _if_any(0, _NEW_NAMESPACES, _refuse(errno.EPERM))
    blocks[272] = _if_any(0, _NEW_NAMESPACES | _NEW_TIME, _refuse(errno.EPERM))
    for call, flags in ((44, 3), (46, 2), (307, 3)):
        blocks[call] = _if_any(flags, _FAST_OPEN, _refuse(errno.EOPNOTSUPP))
    requests: tuple[int, ...] = (*_SETTING_FLAGS, *_TYPING)
    if abi < 3:
        blocks |= dict.fromkeys(TRUNCATE.values(), (_ASK,))
        blocks |= {2: _no_truncating_reader(1), 257: _no_truncating_reader(2), 437: [_refuse(errno.ENOSYS)]}
    if abi < 6:
        blocks |= dict.fromkeys(SIGNAL_CALLS.values(), (_ASK,))
        blocks |= {424: [_refuse(errno.ENOSYS)], 72: _if_equal(1, _OWNER_COMMANDS, _refuse(errno.EPERM))}
        requests += _OWNER_REQUESTS
    blocks[16] = _if_equal(1, requests, _refuse(errno.EPERM))
    return _packed(blocks)


def _packed(blocks: dict[int, Block]) -> bytes:
    steps: list[Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUALS, 1, 0, _ARCHITECTURE),
        _refuse(errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _FIRST_UNKNOWN),  # calls that are newer than this list, and those of the x32 kind
        _refuse(errno.ENOSYS),
    ]
    for number, block in sorted(blocks.items()):
        steps += [(_EQUALS, 0, len(block), number), *block]
    steps.append(_LET_THROUGH)
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _socket(network: str) -> Block:
    """Local streams, questions to the kernel about routes, and what of the internet the mode allows."""
    unix = [_argument(1), (_AND, 0, 0, _TYPE), (_EQUALS, 2, 0, _STREAM), (_EQUALS, 1, 0, _SEQUENCED)]
    unix += [_refuse(errno.EPROTONOSUPPORT), _LET_THROUGH]
    routes = [_argument(2), (_EQUALS, 0, 1, _ROUTES), _LET_THROUGH, _refuse(errno.EPROTONOSUPPORT)]
    leashed = [_argument(1), (_AND, 0, 0, _TYPE), (_EQUALS, 1, 0, _STREAM), _refuse(errno.EACCES), _argument(2)]
    leashed += [(_EQUALS, 2, 0, 0), (_EQUALS, 1, 0, _TCP), _refuse(errno.EPROTONOSUPPORT), _LET_THROUGH]
    inet = {"open": [_LET_THROUGH], "leashed": leashed}.get(network, [_refuse(errno.EACCES)])
    steps = [_argument(0)]
    for family, block in ((_UNIX, unix), (_NETLINK, routes), (_INET, inet), (_INET6, inet)):
        steps += [(_EQUALS, 0, len(block), family), *block]
    return [*steps, _refuse(errno.EAFNOSUPPORT)]


def _pair() -> Block:
    """No datagrams: such a socket can be sent to any name, and the name is in memory."""
    steps = [_argument(0), (_EQUALS, 1, 0, _UNIX), _refuse(errno.EOPNOTSUPP), _argument(1), (_AND, 0, 0, _TYPE)]
    return [*steps, (_EQUALS, 2, 0, _STREAM), (_EQUALS, 1, 0, _SEQUENCED), _refuse(errno.EPROTONOSUPPORT), _LET_THROUGH]


def _no_truncating_reader(argument: int) -> Block:
    """A file is emptied by opening it, and Landlock before ABI 3 asks only for the right to read."""
    steps = [_argument(argument), (_HAS_ANY, 0, 5, _TRUNCATE), (_AND, 0, 0, _ACCESS)]
    return [*steps, (_EQUALS, 1, 0, 0), (_EQUALS, 0, 1, _ACCESS), _refuse(errno.EACCES), _LET_THROUGH, _LET_THROUGH]


def _if_any(argument: int, bits: int, then: Step) -> Block:
    return [_argument(argument), (_HAS_ANY, 0, 1, bits), then, _LET_THROUGH]


def _if_equal(argument: int, values: tuple[int, ...], then: Step, otherwise: Step = _LET_THROUGH) -> Block:
    checks = [(_EQUALS, len(values) - index, 0, value) for index, value in enumerate(values)]
    return [_argument(argument), *checks, otherwise, then]


def _argument(index: int) -> Step:
    """The lower half: each of these arguments has 32 bits to the kernel."""
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * index)


def _refuse(number: int) -> Step:
    return (_RETURN, 0, 0, _ERRNO | number)
