"""The child process that runs a regular expression.

Run as a script, with the standard library alone. The first line of input is the job (pattern, flags, and what to put
in place of a match, or null to find lines), every further line a text; every line of output answers one of them.
"""

import itertools
import json
import re
import sys
from typing import TextIO

MOST_LINES = 200
MOST_CHARACTERS = 300


def serve(lines: TextIO, answers: TextIO) -> None:
    """Answer every line until there is no more."""
    job = json.loads(lines.readline())
    try:
        pattern = re.compile(job["pattern"], job["flags"])
        replacement = job["replacement"]
        if replacement is not None:
            pattern.sub(replacement, "")  # an unknown group in the replacement shows at once
    except (re.error, IndexError, OverflowError, RecursionError) as error:
        _answer(answers, {"error": str(error)})
        return
    _answer(answers, {"ready": True})
    for line in lines:
        text = json.loads(line)
        if replacement is None:
            _answer(answers, {"lines": _matching_lines(pattern, text)})
        else:
            text, places = pattern.subn(replacement, text)
            _answer(answers, {"text": text, "places": places} if places else {"places": 0})


def _matching_lines(pattern: "re.Pattern[str]", text: str) -> list[tuple[int, str]]:
    lines = ((number, line) for number, line in enumerate(text.split("\n"), start=1) if pattern.search(line))
    return [(number, line[:MOST_CHARACTERS]) for number, line in itertools.islice(lines, MOST_LINES)]


def _answer(answers: TextIO, content: dict[str, object]) -> None:
    answers.write(json.dumps(content) + "\n")
    answers.flush()


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
