"""doctor: look at everything a run depends on, and say how to mend what is wrong."""

from collections.abc import Iterator

from tandem_desktop.cli.answers import Answer, count
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.desktop_checks import agents, model, settings, window
from tandem_desktop.cli.findings import Finding, Level
from tandem_desktop.cli.lines import Line, Span, Tone, sentence
from tandem_desktop.cli.machine_checks import confinement, disk, git, python, state_folder, swapping, workspace
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.storage.locations import TANDEM_DIRECTORY, default_state_directory

_TONES = {Level.OK: Tone.ADDED, Level.INFO: Tone.PLACE, Level.WARNING: Tone.WARNING, Level.ERROR: Tone.FAILED}


def doctor(call: Call) -> Answer:
    found = list(_findings(call))
    errors = sum(finding.level is Level.ERROR for finding in found)
    data = {"ok": not errors, "checks": [finding.as_object() for finding in found]}
    lines: list[Line] = []
    for finding in found:
        lines.append(
            (Span(f"{finding.level.value:<8}", _TONES[finding.level]), f"{finding.name}: ", sentence(finding.message))
        )
        if finding.next:
            lines.append(f"          mend it: {finding.next}")
    if errors:
        return Answer(data, lines, next=f"Mend {count(errors, 'error')}, then look again: tandem doctor", exit_code=1)
    return Answer(data, lines, next=call.command("list"))


def _findings(call: Call) -> Iterator[Finding]:
    state = default_state_directory()
    yield python()
    yield git()
    yield from state_folder(state)
    yield workspace(call.workspace)
    try:
        engine = call.engine
    except TandemError as error:
        yield Finding("engine", Level.ERROR, error.message, error.next)
        return
    except OSError as error:
        yield Finding("engine", Level.ERROR, f"{error.filename}: {error.strerror}.", "Mend the state folder first.")
        return
    yield from _notebook(engine)
    yield _runs(engine)
    yield _audit(engine)
    yield swapping(engine.locations)
    yield from disk((engine.locations.workspace, engine.locations.state))
    yield from confinement()
    yield from settings(engine.locations.workspace)
    yield from window()
    yield from agents(engine.locations.shadows)
    yield model()


def _notebook(engine: Engine) -> Iterator[Finding]:
    """`.tandem` in the workspace, and the plans in it."""
    folder = engine.locations.tandem
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        yield Finding("plans", Level.ERROR, f"{folder} is not a folder of its own.", f"Move {folder} away.")
        return
    if not folder.exists():
        yield Finding("plans", Level.OK, f"There is no {TANDEM_DIRECTORY} yet; the first plan makes it.")
        return
    if not (folder / ".gitignore").is_file():
        following = f"echo '*' > {folder}/.gitignore"
        yield Finding("plans", Level.WARNING, f"{folder} has no .gitignore, so git may pick it up.", following)
    listing = engine.plans.list()
    for damaged in listing.damaged:
        yield Finding("plans", Level.ERROR, damaged.message, damaged.next)
    if not listing.damaged:
        yield Finding("plans", Level.OK, f"{count(len(listing.plans), 'plan')}, all readable.")


def _runs(engine: Engine) -> Finding:
    try:
        waiting = engine.runs.interrupted()
    except TandemError as error:
        return Finding("runs", Level.ERROR, error.message, error.next)
    if waiting:
        words = f"{waiting[0].run_id} was interrupted: {waiting[0].done} of {waiting[0].total} done."
        return Finding("runs", Level.ERROR, words, "tandem recover")
    return Finding("runs", Level.OK, f"{count(len(engine.runs.runs()), 'run')}, none interrupted.")


def _audit(engine: Engine) -> Finding:
    try:
        report = engine.audit.verify()
    except TandemError as error:
        return Finding("audit", Level.ERROR, error.message, error.next)
    if report.ok:
        return Finding("audit", Level.OK, f"{count(report.records, 'record')}, none changed and none missing.")
    words = f"The chain breaks at record {report.first_bad}."
    return Finding("audit", Level.ERROR, words, f"Compare {engine.locations.audit} with a backup.")
