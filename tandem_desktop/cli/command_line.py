"""Do one call from its words to its exit code; nothing escapes without a sentence."""

import importlib
import re
from collections.abc import Callable
from typing import Any

from tandem_desktop.cli.answers import Answer
from tandem_desktop.cli.call import BuildEngine, Call, OpenWindow, Serve
from tandem_desktop.cli.console import Console
from tandem_desktop.cli.lines import Span, Tone, sentence
from tandem_desktop.cli.parser import build_parser
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.storage.failures import as_refusal

INTERRUPTED = 130
"""What a shell expects after Ctrl-C, for calls that are not runs."""
STDOUT_LOST = 4
_THIS_PLAN = re.compile(r"(?<= )PLAN(?= |$)")
"""What the engine says where it does not know which plan its caller named."""

Handler = Callable[[Call], Answer]


def run_command_line(words: list[str], build_engine: BuildEngine, open_window: OpenWindow, serve: Serve) -> int:
    """Parse, do, answer."""
    console = Console(as_json=_wants_json(words))
    try:
        arguments = build_parser().parse_args(words)
    except TandemError as error:
        return _deliver(console, _refused(error, {}))
    except SystemExit as leaving:  # --help and --version have answered already
        return leaving.code if isinstance(leaving.code, int) else 0
    call = Call(arguments, console, build_engine, open_window, serve)
    try:
        answer = _handler(arguments.handler)(call)
        return _deliver(console, answer)
    except KeyboardInterrupt:
        console.remark("Stopped.")
        return INTERRUPTED
    except Exception as error:  # the last door: every failure leaves as a sentence with an exit code
        return _deliver(console, _refused(as_refusal(error), call.known))
    finally:
        call.close()


def _handler(name: str) -> Handler:
    """Only the module of this call is imported."""
    module, _, function = name.partition(":")
    handler: Handler = getattr(importlib.import_module(f"tandem_desktop.cli.{module}"), function)
    return handler


def _deliver(console: Console, answer: Answer) -> int:
    try:
        if console.as_json:
            failed = {"error": answer.failure.as_object()} if answer.failure else {}
            console.answer_object({**failed, **answer.data})
        else:
            console.answer(answer.lines)
            if answer.next:
                console.answer([(Span("Next: ", Tone.STRONG), sentence(answer.next))])
        console.flush()
    except BrokenPipeError:
        console.give_up_stdout()  # whoever read has seen enough
    except OSError as error:
        console.give_up_stdout()
        console.complain(f"The answer could not be written: {error.strerror}.", "Make room, then look again.")
        return answer.exit_code or STDOUT_LOST
    if answer.failure:
        console.complain(answer.failure.message, answer.failure.next)
    return answer.exit_code


def _refused(error: TandemError, known: dict[str, Any]) -> Answer:
    if "plan_id" in known:
        error.next = _THIS_PLAN.sub(known["plan_id"], error.next)
    return Answer(dict(known), exit_code=error.exit_code, failure=error)


def _wants_json(words: list[str]) -> bool:
    before_end = words[: words.index("--")] if "--" in words else words
    return "--json" in before_end
