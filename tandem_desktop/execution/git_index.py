"""Tell a git index that was merely looked at from one that was changed.

`git status` rewrites the index to refresh the times it remembers. An undo must not take that for an edit.
"""

import struct

INDEX_PATH = ".git/index"

_HEADER = struct.Struct(">4sII")
_STAT_BYTES = 40
_MODE_AT = 24
_HASH_BYTES = 20
_FIXED_BYTES = _STAT_BYTES + _HASH_BYTES + 2
_EXTENDED = 0x4000

Entry = tuple[bytes, bytes]
"""The mode; the object, flags and name."""


def same_entries(one: bytes, other: bytes) -> bool:
    """Whether both list the same files with the same contents; False when either cannot be read."""
    entries = _entries(one)
    return entries is not None and entries == _entries(other)


def _entries(data: bytes) -> list[Entry] | None:
    if len(data) < _HEADER.size:
        return None
    magic, version, count = _HEADER.unpack_from(data)
    if magic != b"DIRC" or version not in (2, 3):
        return None
    entries, offset = [], _HEADER.size
    for _ in range(count):
        flags = int.from_bytes(data[offset + _FIXED_BYTES - 2 : offset + _FIXED_BYTES], "big")
        start = offset + _FIXED_BYTES + (2 if flags & _EXTENDED else 0)
        end = data.find(b"\0", start)
        if end < 0:
            return None
        mode = data[offset + _MODE_AT : offset + _MODE_AT + 4]
        entries.append((mode, data[offset + _STAT_BYTES : end]))
        offset += (end - offset + 8) // 8 * 8
    return entries
