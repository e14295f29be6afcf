"""Runs a command for which the kernel makes no namespaces: `without_namespaces.py COMMAND…`.

A seccomp filter refuses unshare, setns and mount, and clone with any flag that asks for a namespace, for the command
and everything it starts, root's processes among them. Nothing but the standard library is used.
"""

import ctypes
import os
import struct
import sys

_LOAD, _EQUALS, _HAS_ANY, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE, _UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026
_CLONE, _MOUNT, _UNSHARE, _SETNS, _CLONE3 = 56, 165, 272, 308, 435
_NEW_NAMESPACES = 0x7E020080
_OF_CLONE = 0x7E020000
_STEPS = (
    (_LOAD, 0, 0, 0),
    (_EQUALS, 9, 0, _MOUNT),
    (_EQUALS, 8, 0, _SETNS),
    (_EQUALS, 8, 0, _CLONE3),
    (_EQUALS, 2, 0, _UNSHARE),
    (_EQUALS, 3, 0, _CLONE),
    (_RETURN, 0, 0, _ALLOW),
    (_LOAD, 0, 0, 16),
    (_HAS_ANY, 2, 4, _NEW_NAMESPACES),
    (_LOAD, 0, 0, 16),
    (_HAS_ANY, 0, 2, _OF_CLONE),
    (_RETURN, 0, 0, _REFUSE),
    (_RETURN, 0, 0, _UNKNOWN),
    (_RETURN, 0, 0, _ALLOW),
)


def forbid_namespaces() -> None:
    """For this process and all it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    program = b"".join(struct.pack("=HBBI", *step) for step in _STEPS)
    memory = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("HP", len(_STEPS), ctypes.addressof(memory))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, described, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    forbid_namespaces()
    os.execvp(sys.argv[1], sys.argv[1:])
