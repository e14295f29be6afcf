"""export, import: a plan as one file, for another person or another workspace."""

import hashlib
from pathlib import Path

from tandem_desktop.cli import shapes
from tandem_desktop.cli.answers import Answer, count, utc
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.inputs import read_input
from tandem_desktop.cli.lines import Line, Span, Tone, table
from tandem_desktop.cli.proposing import proposed
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown
from tandem_desktop.plans.bundle_format import MAX_BYTES, SUFFIX
from tandem_desktop.storage import atomic
from tandem_desktop.storage.refusals import writing


def export(call: Call) -> Answer:
    plan_id = call.plan_id()
    data = call.engine.bundles.export(plan_id)
    version = call.engine.plans.revision(plan_id)
    path = Path(call.arguments.output or f"{plan_id}{SUFFIX}")
    _save(path, data)
    sha256, digest = hashlib.sha256(data).hexdigest(), shapes.digest_of(version)
    answer = {
        "plan_id": plan_id,
        "revision": version.revision,
        "digest": digest,
        "file": str(path),
        "bytes": len(data),
        "sha256": sha256,
    }
    lines: list[Line] = [
        (Span(plan_id, Tone.STRONG), f" with {count(version.revision, 'revision')} is in {path}, {len(data):,} bytes."),
        ("Digest  ", Span(digest, Tone.STRONG)),
        f"SHA-256 of the file  {sha256}",
    ]
    return Answer(answer, lines, next=f"Elsewhere: tandem import {path.name}")


def import_bundle(call: Call) -> Answer:
    data = read_input(call.arguments.file, "a plan bundle", call.console, MAX_BYTES)
    imported = call.engine.bundles.take_in(data)
    plan_id = imported.version.plan_id
    answer = proposed(call, imported.version)
    drifted = call.engine.drift(plan_id)
    lines = [*answer.lines]
    if not imported.is_new:
        lines.insert(0, f"{plan_id} is here already; nothing was written.")
    if drifted:
        lines.append(
            Span(f"! {count(len(drifted), 'path')} here differ from what the plan was made for:", Tone.WARNING)
        )
        lines += table((Span(each.change.value, Tone.WARNING), each.path) for each in drifted)
    extra = {
        "imported": imported.is_new,
        "sha256": hashlib.sha256(data).hexdigest(),
        "drifted": [{"path": each.path, "change": each.change.value, "at": utc(each.at)} for each in drifted],
    }
    following = call.command("rebase", plan_id) if drifted else answer.next
    return Answer({**answer.data, **extra}, lines, next=following)


def _save(path: Path, data: bytes) -> None:
    with writing(path):
        try:
            atomic.create(path, data)
        except FileExistsError:
            raise BadInputError(
                f"There is a file {shown(str(path))} already.",
                path=str(path),
                next="Name another one with -o, or move it away.",
            ) from None
