"""The child process that parses source code.

Each question is a line of JSON, followed by the bytes it announces; each answer is a line of JSON. The parsers are
native code that reads foreign bytes: when one fails, or does not end, only this process is lost.
"""

import json
import resource
import sys
from typing import IO, Any

from tandem_desktop.diff.definitions import definitions
from tandem_desktop.diff.hunk_classes import ChangedLines, prove

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
    changes = [ChangedLines(hunk, (a, b), (c, d)) for hunk, a, b, c, d in question["changes"]]
    places = {change: number for number, change in enumerate(changes)}
    before, after = contents
    return [[places[change], kind.value] for change, kind in prove(path, before, after, changes)]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
