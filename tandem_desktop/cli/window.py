"""gui: the window."""

from pathlib import Path

from tandem_desktop.cli.answers import Answer
from tandem_desktop.cli.call import Call


def gui(call: Call) -> Answer:
    chosen = call.arguments.folder or getattr(call.arguments, "workspace", None)
    code = call.open_window(Path(chosen).absolute() if chosen else None, None)
    return Answer({"exit_code": code}, exit_code=code)
