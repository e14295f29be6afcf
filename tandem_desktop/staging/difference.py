"""How what is found at a path differs from what was expected there, in one word and in a clause."""

from enum import StrEnum

from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, SymlinkState


class Difference(StrEnum):
    """The five ways a path can be other than expected."""

    MODIFIED = "modified"
    DELETED = "deleted"
    CREATED = "created"
    MODE = "mode"
    TYPE = "type"


def difference(expected: NodeState, found: NodeState) -> Difference | None:
    """The one word for it, or None when both are equal."""
    if expected == found:
        return None
    match expected, found:
        case Absent(), _:
            return Difference.CREATED
        case _, Absent():
            return Difference.DELETED
        case FileState(), FileState():
            return Difference.MODE if expected.sha256 == found.sha256 else Difference.MODIFIED
        case DirectoryState(), DirectoryState():
            return Difference.MODE
        case SymlinkState(), SymlinkState():
            return Difference.MODIFIED
        case _:
            return Difference.TYPE


def told(difference: Difference, expected: NodeState, found: NodeState) -> str:
    """The clause for it, to stand after a path: "is not there any more"."""
    match difference:
        case Difference.CREATED:
            return f"is there already, as {NOUNS[found.type]}"
        case Difference.DELETED:
            return "is not there"
        case Difference.MODE:
            return f"has the mode {_mode(found)}, not {_mode(expected)}"
        case Difference.TYPE:
            return f"is {NOUNS[found.type]}, not {NOUNS[expected.type]}"
        case Difference.MODIFIED:
            return "has other content than the plan was made for"


NOUNS = {"file": "a file", "symlink": "a symbolic link", "dir": "a directory", "absent": "absent"}


def _mode(state: NodeState) -> str:
    return f"{state.mode:04o}" if isinstance(state, FileState | DirectoryState) else "none"
