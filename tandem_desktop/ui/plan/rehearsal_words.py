"""A rehearsal in words: the band below a command's row, the line above the list, the card in the approval sheet."""

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.models.rehearsed import Rehearsed
from tandem_desktop.ui.plan import wording

REALLY_RUN, APPLY_RECORDED = "Will really run", "Apply the recorded effects"
_LONGEST, _NAMED = 48, 2

Piece = tuple[str, str]
"""Words and the token of their colour."""


def pieces(found: Rehearsed) -> tuple[Piece, ...]:
    """One line: what it said last, how it ended, what it changed."""
    if found.is_waiting:
        return (("waits for its turn in the copy", "muted"),)
    last = _last_line(found.output)
    if found.is_running:
        return (("rehearsing in a copy: ", "muted"), (last or "runs…", "text"))
    if found.exit_code is None:
        return (_prefix(found), (visible(found.error), "removed_ink"))
    went_well = not found.error
    ended = f"exit {found.exit_code} in {found.seconds:.1f} s"
    said = ((last, "added_ink" if went_well else "removed_ink"), (" · ", "muted")) if last else ()
    told = [_prefix(found), *said, (ended, "text" if went_well else "removed_ink"), (f" · {changed(found)}", "text")]
    if found.doubts:
        told.append((" · cannot be previewed", "risk"))
    if found.is_settled and not found.is_stale:
        told.append((f" · {REALLY_RUN.lower()}", "muted"))
    return tuple(told)


def sentence(found: Rehearsed) -> str:
    """The same for ears."""
    if found.problem:
        return f"did not apply in the rehearsal: {visible(found.problem)}"
    return "".join(words for words, _ in pieces(found))


def changed(found: Rehearsed) -> str:
    return f"changes {wording.counted(found.count, 'path')}" if found.count else "changes no file"


def outcome(found: Rehearsed) -> str:
    """How it ended, for the opened row."""
    if found.exit_code is None:
        return f"It did not run: {visible(found.error)}"
    ended = f"It ended with exit code {found.exit_code} after {found.seconds:.1f} s and {changed(found)}."
    return f"{ended} A run would stop here: {visible(found.error)}" if found.error else ended


def previewable(found: Rehearsed) -> str:
    """Why what is shown may not be what happens; empty when it is."""
    return "Cannot be previewed: " + "; ".join(map(visible, found.doubts)) + "." if found.doubts else ""


def conditions(network: bool) -> str:
    return "with network" if network else "network off"


def recorded_commands(version: PlanVersion) -> tuple[tuple[str, int], ...]:
    """Commands that will not run, each with how many recorded effects stand in its place."""
    found: dict[str, int] = {}
    for operation in version.operations:
        if operation.recorded_from:
            found[operation.recorded_from] = found.get(operation.recorded_from, 0) + 1
    return tuple(found.items())


def recorded_effect(operation: StagedOperation) -> str:
    return f"Recorded effect of “{one_line(operation.recorded_from)}”, which will not run"


def instead(version: PlanVersion) -> str:
    """What is applied in the place of which commands; empty where every command runs."""
    recorded = recorded_commands(version)
    if not recorded:
        return ""
    commands = ", ".join(f"“{one_line(command)}”" for command, _ in recorded[:_NAMED])
    more = f" and {len(recorded) - _NAMED:,} more" if len(recorded) > _NAMED else ""
    effects = wording.counted(sum(count for _, count in recorded), "recorded effect")
    return f"{effects} instead of running {commands}{more}"


def one_line(command: str) -> str:
    """A command in a sentence."""
    return _cut(visible(" ".join(command.split())))


def _prefix(found: Rehearsed) -> Piece:
    if found.is_stale:
        return (f"stale, rehearsed as revision {found.revision}: ", "risk")
    return ("rehearsed in a copy: ", "muted")


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return _cut(visible(lines[-1].strip())) if lines else ""


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
