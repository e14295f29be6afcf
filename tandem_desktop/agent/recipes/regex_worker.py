"""Substitute with a regular expression in a process of its own, so that a pattern that never ends can be ended.

Run as a script, with the standard library alone. The first line of input is the job (pattern, replacement, flags),
every further line a text; every line of output is an answer to one of them.
"""

import json
import re
import sys
from typing import TextIO


def serve(lines: TextIO, answers: TextIO) -> None:
    """Answer every line until there is no more."""
    job = json.loads(lines.readline())
    try:
        pattern = re.compile(job["pattern"], job["flags"])
        pattern.sub(job["replacement"], "")  # an unknown group in the replacement shows at once
    except (re.error, IndexError, OverflowError, RecursionError) as error:
        _answer(answers, {"error": str(error)})
        return
    _answer(answers, {"ready": True})
    for line in lines:
        text, places = pattern.subn(job["replacement"], json.loads(line))
        _answer(answers, {"text": text, "places": places} if places else {"places": 0})


def _answer(answers: TextIO, content: dict[str, object]) -> None:
    answers.write(json.dumps(content) + "\n")
    answers.flush()


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
