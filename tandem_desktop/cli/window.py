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
    project = getattr(call.arguments, "workspace", None) or project_of(patch)
    root = Path(project or patch.parent).absolute()
    try:
        raw = read_input(str(patch), "a unified diff", call.console)
        engine = call.build_engine(root)
        try:
            plan = engine.proposals.review_patch(raw, title=patch.name).plan_id
        finally:
            engine.close()
    except TandemError as refusal:
        call.console.complain(refusal.message, refusal.next)
        if project is None:  # a folder of downloads is no workspace
            return call.open_window(None, None, _of_no_project(patch, refusal))
        return call.open_window(root, None, f"{patch.name}: {refusal.message}")
    return call.open_window(root, plan, "")


def project_of(patch: Path) -> Path | None:
    """The project a patch lies in, if it lies in one."""
    return next((each for each in patch.parents if any((each / mark).exists() for mark in _MARKS)), None)


def _of_no_project(patch: Path, refusal: TandemError) -> str:
    return (
        f"{patch.name} lies in no project, and does not fit its own folder: {refusal.message} "
        f"Move it into the project it is for and open it there, or type: tandem -C PROJECT review {patch.name}"
    )


def _shown(code: int) -> Answer:
    return Answer({"exit_code": code}, exit_code=code)
