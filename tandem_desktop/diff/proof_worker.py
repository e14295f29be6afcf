"""The child process that parses source code.

Each question is a line of JSON, followed by the bytes it announces; each answer is a line of JSON. The parsers are
native code that reads foreign bytes: when one fails, or does not end, only this process is lost.
"""

import json
import resource
import sys
from typing import IO, Any

from tandem_desktop.diff.definitions import definitions
from tandem_desktop.diff.hunk_classes import ChangedLines
from tandem_desktop.diff.names import roles
from tandem_desktop.diff.proofs import prove

_MEMORY = 2 << 30


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer every question until there is no more."""
    while line := questions.readline():
        question = json.loads(line)
        contents = [questions.read(size) for size in question["sizes"]]
        answers.write(json.dumps(_answer(question, contents)).encode() + b"\n")
        answers.flush()


def _answer(question: dict[str, Any], contents: list[bytes]) -> list[Any]:
    path = question["path"]
    if question["what"] == "definitions":
        return [[start, end, name] for (start, end), name in definitions(path, contents[0]).items()]
    if question["what"] == "roles":
        return [*map(list, roles(path, contents[0], question["name"].encode()).items())]
    changes = [ChangedLines(hunk, (a, b), (c, d)) for hunk, a, b, c, d in question["changes"]]
    before, after = contents
    renames = {old.encode(): new.encode() for old, new in question["renames"].items()}
    proved = prove(path, before, after, changes, renames)
    return [[each.hunk, *each.old, *each.new, kind.value] for each, kind in proved]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
