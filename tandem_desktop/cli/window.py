"""gui: the window, on a folder or on a patch as a file manager hands it over."""

from pathlib import Path

from tandem_desktop.cli.answers import Answer
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.inputs import read_input
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.storage.locations import TANDEM_DIRECTORY

_MARKS = (TANDEM_DIRECTORY, ".git")


def gui(call: Call) -> Answer:
    chosen = call.arguments.folder or getattr(call.arguments, "workspace", None)
    if chosen and Path(chosen).is_file():
        return _shown(_open_patch(call, Path(chosen).absolute()))
    return _shown(call.open_window(Path(chosen).absolute() if chosen else None, None, ""))


def _open_patch(call: Call, patch: Path) -> int:
    """Whoever opens a file from the desktop sees no terminal: a patch that does not fit is told in the window."""
    root = Path(getattr(call.arguments, "workspace", None) or workspace_of(patch)).absolute()
    try:
        raw = read_input(str(patch), "a unified diff", call.console)
        engine = call.build_engine(root)
        try:
            plan = engine.proposals.review_patch(raw, title=patch.name).plan_id
        finally:
            engine.close()
    except TandemError as refusal:
        call.console.complain(refusal.message, refusal.next)
        return call.open_window(root, None, f"{patch.name}: {refusal.message}")
    return call.open_window(root, plan, "")


def workspace_of(patch: Path) -> Path:
    """The project a patch lies in; where there is none, its folder."""
    return next((each for each in patch.parents if any((each / mark).exists() for mark in _MARKS)), patch.parent)


def _shown(code: int) -> Answer:
    return Answer({"exit_code": code}, exit_code=code)
