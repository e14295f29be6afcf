"""Rehearsal results as window text."""

from dataclasses import dataclass

from tandem_desktop.diff.text import visible, visible_command
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.i18n import some_of, tr, tr_n


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """The rehearsal state of a command, or a file that could not be written."""

    revision: int
    problem: str = ""
    """Why a file could not be written in the copy."""
    is_waiting: bool = False
    is_running: bool = False
    output: str = ""
    exit_code: int | None = None
    """None when it never ran."""
    seconds: float = 0.0
    count: int = 0
    """How many paths it changed."""
    git: tuple[str, ...] = ()
    """What it did to git repositories, in lines."""
    effects: tuple[OperationView, ...] = ()
    """The changed paths as operations; set when the whole rehearsal has ended."""
    error: str = ""
    """Why a run would stop here."""
    doubts: tuple[str, ...] = ()
    """Why the real run may differ."""
    refusal: str = ""
    """Why its effects cannot be applied in its place; empty when they can."""
    is_settled: bool = False
    """The rehearsal has ended and the result is complete."""
    is_stale: bool = False
    """The plan changed since."""

    @property
    def is_under_way(self) -> bool:
        return self.is_waiting or self.is_running


_LONGEST, _NAMED = 48, 2

Piece = tuple[str, str]
"""Words and the token of their colour."""


def pieces(found: Rehearsed) -> tuple[Piece, ...]:
    """One line: what it said last, how it ended, what it changed."""
    if found.is_waiting:
        return ((tr("waits for its turn in the copy"), "muted"),)
    last = _last_line(found.output)
    if found.is_running:
        return ((f"{tr('rehearsing in a copy:')} ", "muted"), (last or tr("runs…"), "text"))
    if found.exit_code is None:
        return (_prefix(found), (visible(found.error), "removed_ink"))
    went_well = not found.error
    ended = tr("exit {exit_code} in {seconds} s", exit_code=found.exit_code, seconds=f"{found.seconds:.1f}")
    said = ((last, "added_ink" if went_well else "removed_ink"), (" · ", "muted")) if last else ()
    told = [_prefix(found), *said, (ended, "text" if went_well else "removed_ink"), (f" · {changed(found)}", "text")]
    if found.doubts:
        told.append((f" · {tr('cannot be previewed')}", "risk"))
    if found.is_settled and not found.is_stale:
        told.append((f" · {tr('will really run')}", "muted"))
    return tuple(told)


def sentence(found: Rehearsed) -> str:
    """The same for screen readers."""
    if found.problem:
        return tr("did not apply in the rehearsal: {problem}", problem=visible(found.problem))
    return "".join(words for words, _ in pieces(found))


def changed(found: Rehearsed) -> str:
    if found.git and not found.count:
        return tr("changes the repository")
    paths = tr_n("changes {n} path", "changes {n} paths", found.count) if found.count else tr("changes no file")
    return tr("{paths} and the repository", paths=paths) if found.git else paths


def outcome(found: Rehearsed) -> str:
    """How it ended, for the opened row."""
    if found.exit_code is None:
        return tr("It did not run: {error}", error=visible(found.error))
    ended = tr(
        "It ended with exit code {exit_code} after {seconds} s and {changed}.",
        exit_code=found.exit_code,
        seconds=f"{found.seconds:.1f}",
        changed=changed(found),
    )
    if found.git:
        ended = f"{ended} {tr('In the repository: {lines}.', lines='; '.join(map(visible, found.git)))}"
    stops = tr("A run would stop here: {error}", error=visible(found.error))
    return f"{ended} {stops}" if found.error else ended


def previewable(found: Rehearsed) -> str:
    """Why the real run may differ; empty if there is no reason."""
    doubts = "; ".join(map(visible, found.doubts))
    return tr("Cannot be previewed: {doubts}.", doubts=doubts) if doubts else ""


def conditions(network: bool) -> str:
    return tr("with network") if network else tr("network off")


def recorded_commands(version: PlanVersion) -> tuple[tuple[str, int], ...]:
    """Commands that will not run, each with how many recorded effects stand in its place."""
    found: dict[str, int] = {}
    for operation in version.operations:
        if operation.recorded_from:
            found[operation.recorded_from] = found.get(operation.recorded_from, 0) + 1
    return tuple(found.items())


def recorded_effect(operation: StagedOperation) -> str:
    command = one_line(operation.recorded_from)
    return tr("Recorded effect of “{command}”, which will not run", command=command)


def instead(version: PlanVersion) -> str:
    """What is applied in the place of which commands; empty where every command runs."""
    recorded = recorded_commands(version)
    if not recorded:
        return ""
    return tr_n(
        "{n} recorded effect instead of running {commands}",
        "{n} recorded effects instead of running {commands}",
        sum(count for _, count in recorded),
        commands=some_of([f"“{one_line(command)}”" for command, _ in recorded], _NAMED),
    )


def one_line(command: str) -> str:
    """A command in a sentence."""
    return _cut(" ".join(visible_command(" ".join(command.split()))))


def _prefix(found: Rehearsed) -> Piece:
    if found.is_stale:
        return (f"{tr('stale, rehearsed as revision {revision}:', revision=found.revision)} ", "risk")
    return (f"{tr('rehearsed in a copy:')} ", "muted")


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return _cut(visible(lines[-1].strip())) if lines else ""


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
