"""Text derived from a plan page: banners and reasons."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.diff.text import visible, visible_in_a_line, visible_name, visible_sentence
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.network import NetworkMode, RefusedHost
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import TRANSITIONS, EventKind, PlanStatus, state_of
from tandem_desktop.review.compare import ComparedOperation, Comparison
from tandem_desktop.review.drift import Drifted
from tandem_desktop.review.operation_view import OperationView, edited_renames
from tandem_desktop.services.pages import PlanDraft, PlanPage
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.ui.i18n import later, some_of, tr, tr_marked, tr_n
from tandem_desktop.ui.plan import wording

RAN = (PlanStatus.EXECUTING, PlanStatus.PAUSED, PlanStatus.COMPLETED, PlanStatus.FAILED, PlanStatus.STALLED)
OPEN = frozenset(status for status in PlanStatus if EventKind.APPROVE in TRANSITIONS[state_of(status)])
"""The person can approve the plan, change it or send it back."""
_NAMED = 3
_MOST_REFUSED = 12


@dataclass(frozen=True, slots=True)
class BannerText:
    """A band above the list: its tone, its sentence, its actions as (key, words)."""

    tone: str
    text: str
    actions: tuple[tuple[str, str], ...] = ()
    decides: frozenset[str] = frozenset()
    """The actions that give leave for something."""


def approval_refusal(page: PlanPage) -> str:
    """Why this page cannot be approved as it is; empty when it can."""
    version = page.version
    if page.is_read_only:
        return tr("This folder is read-only: nothing can be written in it.")
    if version.revision != page.meta.revision:
        return tr(
            "Revision {revision} is not the latest; only revision {latest} can be implemented.",
            revision=version.revision,
            latest=page.meta.revision,
        )
    if version.incomplete:
        return tr("Unfinished: {incomplete}", incomplete=visible(version.incomplete))
    if page.drifted:
        return tr_n(
            "{n} file changed on disk since staging. Rebase the plan, or put it back first.",
            "{n} files changed on disk since staging. Rebase the plan, or put them back first.",
            len(drifted_paths(page)),
        )
    if version.operations and not page.left:
        return tr("Nothing is left of the plan.")
    if page.draft is not None and page.draft.problems:
        first = page.draft.problems[0]
        return tr("With your choices {step} no longer applies. Drop it too, or keep what it needs.", step=first.step)
    return ""


def parallel_text(view: OperationView, page: PlanPage) -> str:
    """The commands a run starts in parallel with this one; empty if none."""
    others = page.beside.get(view.operation.id, ())
    if not others:
        return ""
    named = ", ".join(f"“{wording.subject(each.operation)[1]}”" for each in page.views if each.operation.id in others)
    return tr_n(
        "Runs side by side with {commands}; neither sees what the other changes.",
        "Runs side by side with {commands}; none sees what the others change.",
        len(others),
        commands=named,
    )


def drift_by_operation(views: tuple[OperationView, ...], drifted: tuple[Drifted, ...]) -> dict[OperationId, str]:
    """The sentence shown at each operation whose base drifted."""
    found: dict[OperationId, str] = {}
    if not drifted:
        return found
    by_path: dict[str, list[OperationView]] = {}
    for view in views:
        for path in view.operation.paths:
            by_path.setdefault(path, []).append(view)
    for drift in drifted:
        for view in by_path.get(drift.path, ()) or _around(drift.path, views):
            words = wording.drift_words(drift, view.operation)
            found.setdefault(view.operation.id, words)
    return found


def banners(page: PlanPage, now: datetime) -> Iterator[BannerText]:
    """The banners of a page, most urgent first."""
    version, meta = page.version, page.meta
    if version.revision != meta.revision:
        text = tr(
            "You are looking at revision {revision}. The latest is {latest}.",
            revision=version.revision,
            latest=meta.revision,
        )
        yield BannerText("info", text, (("latest", tr("Go to the latest")), ("restore", tr("Go back to this one"))))
    yield from _about_status(page)
    if (point := meta.branched_from) and meta.status in OPEN:
        text = tr(
            "An alternative to r{revision} of {plan_id}. When one of them is applied, the others give way.",
            revision=point.revision,
            plan_id=point.plan_id,
        )
        yield BannerText("info", text, (("compare-origin", tr("Compare with it")), ("origin", tr("Open it"))))
    if version.incomplete:
        text = tr(
            "The agent did not finish: {incomplete} This revision cannot be approved.",
            incomplete=visible(version.incomplete),
        )
        again = ("rework", tr("Request changes"))
        before = version.parent_revision if meta.status in OPEN else None
        back = (("previous", tr("Go back to r{revision}", revision=before)),) if before is not None else ()
        yield BannerText("error", text, (*back, again))
    if page.drifted and meta.status in OPEN:
        actions = (("merge", tr("See merge")), ("rebase", tr("Rebase")), ("rework", tr("Request changes")))
        yield BannerText("risk", _drift_sentence(page, now), actions)
    if page.draft is not None:
        yield _draft_banner(page, page.draft)
    if page.edited_page and meta.status in OPEN:
        text = tr(
            "{page} was edited by hand. It is a page for reading: what is approved and applied is {record}. "
            "To change the plan, request changes.",
            page=visible_name(page.edited_page),
            record=f"r{version.revision:03d}.json",
        )
        yield BannerText("risk", text, (("rework", tr("Request changes")),))
    if version.warnings:
        yield BannerText("risk", "\n".join(visible_sentence(warning) for warning in version.warnings))
    if version.network is not None and version.network.refused:
        ways = (("allow-agent", tr("Allow for this agent")), ("allow-once", tr("Allow this once")))
        # Allowed are all of them, so all of them have to be named.
        is_offered = meta.status in OPEN and len(version.network.refused) <= _MOST_REFUSED
        text = _refused_sentence(version.network.refused)
        yield BannerText("risk", text, ways if is_offered else (), frozenset(key for key, _ in ways))
    if _had_open_network(version):
        yield BannerText(
            "risk",
            tr(
                "While it planned, the agent had an open network: it could reach every host and what this machine "
                "serves and, on an X11 desktop, press the buttons of this window."
            ),
        )
    look = next((look for words, look in _CONFINEMENTS.items() if version.confinement.startswith(words)), "")
    if look:
        yield BannerText(
            look, tr("While it planned, the agent was {confinement}.", confinement=visible(version.confinement))
        )


def unheld_words(version: PlanVersion) -> str:
    """What did not hold the agent back while it planned, for the approval; empty where all of it did."""
    if version.confinement.startswith("not confined"):
        return tr("The agent was not confined while it planned: it could change other places by itself.")
    return tr("The agent had an open network while it planned.") if _had_open_network(version) else ""


def _had_open_network(version: PlanVersion) -> bool:
    is_open = version.network is not None and version.network.mode is NetworkMode.OPEN
    return is_open and not version.confinement.startswith("not confined")


_CONFINEMENTS = {"not confined": "risk", "confined by Landlock": "info"}
"""Those that are named on the page, each with its look; a namespace is the usual one."""


def _refused_sentence(refused: tuple[RefusedHost, ...]) -> str:
    named = [
        f"{visible_name(each.host)}:{each.port}" + (f" ×{each.count}" if each.count > 1 else "") for each in refused
    ]
    more = len(named) - _MOST_REFUSED
    hosts = ", ".join(named[:_MOST_REFUSED])
    if more > 0:
        return tr(
            "The network refused the agent {hosts} and {more} more. That is too much to be allowed at once: "
            "name what it needs in the setting network_hosts.",
            hosts=hosts,
            more=more,
        )
    return tr("The network refused the agent {hosts}.", hosts=hosts)


def changes_by_operation(comparison: Comparison) -> dict[OperationId, str]:
    """One word for each operation that is not the same as before."""
    words = {operation.id: "moved" for operation in comparison.reordered}
    words |= {operation.id: "changed" for operation in comparison.changed}
    return words | {operation.id: "new" for operation in comparison.added}


def compared_name(operation: ComparedOperation) -> str:
    """The path or the command, in one line."""
    return visible_name(operation.path) if operation.path else visible_in_a_line(operation.command or "")


def comparison_banner(earlier: int, comparison: Comparison) -> BannerText:
    """The changes from an earlier revision, with removed operations by name."""
    gone = some_of([compared_name(operation) for operation in comparison.removed], _NAMED)
    counts = comparison_counts(comparison)
    text = tr("Compared with r{earlier}: {counts}.", earlier=earlier, counts=counts)
    if gone:
        text = tr("Compared with r{earlier}: {counts} (gone: {gone}).", earlier=earlier, counts=counts, gone=gone)
    if comparison.text_changed:
        text = f"{text} {tr('The plan text changed.')}"
    return BannerText("info", text, (("compare", tr("What changed in each")), ("compared", tr("Done"))))


def comparison_counts(comparison: Comparison) -> str:
    counts = [
        f"{len(operations):,} {tr_marked(word)}"
        for operations, word in (
            (comparison.added, later("new")),
            (comparison.changed, later("changed")),
            (comparison.reordered, later("moved")),
            (comparison.removed, later("gone")),
        )
        if operations
    ]
    return ", ".join(counts) or tr("the operations are the same")


def _draft_banner(page: PlanPage, draft: PlanDraft) -> BannerText:
    choices = draft.choices
    dropped = set(choices.operations)
    rows = dropped - {move for edit, move in edited_renames(page.views).items() if edit in dropped}
    parts = [
        tr_n("{n} operation dropped", "{n} operations dropped", len(rows)) if rows else "",
        tr_n("{n} change dropped", "{n} changes dropped", choices.dropped_hunks) if choices.dropped_hunks else "",
        tr_n("{n} line left out", "{n} lines left out", choices.dropped_lines) if choices.dropped_lines else "",
        tr_n("{n} file edited", "{n} files edited", choices.edited_files) if choices.edited_files else "",
        tr("another order") if choices.order else "",
        tr("another plan text") if choices.text is not None else "",
    ]
    following = tr("Approve… saves this as revision {revision}.", revision=page.version.revision + 1)
    if draft.problems:
        following = f"{visible(draft.problems[0].step)}: {visible(draft.problems[0].reason)}"
    text = tr("Your own choices: {choices}. {following}", choices=", ".join(filter(None, parts)), following=following)
    return BannerText("risk" if draft.problems else "info", text, (("keep-all", tr("Keep everything")),))


def _about_status(page: PlanPage) -> Iterator[BannerText]:
    match page.meta.status:
        case PlanStatus.NEEDS_REVIEW:
            text = tr("The agent was sent back three times. Decide yourself: approve it, change it, or discard it.")
            yield BannerText("risk", text)
        case PlanStatus.EXPIRED:
            text = tr("This plan expired: there was no decision in time. Tandem has changed nothing on disk.")
            yield BannerText("risk", text, (("restore", tr("Bring it back as a new revision")),))
        case PlanStatus.CANCELLED:
            yield BannerText("info", tr("This plan was cancelled. Nothing of it will be run."))
        case PlanStatus.SUPERSEDED:
            text = tr("An alternative to this plan was applied, and this one gave way. Duplicate it to go on.")
            yield BannerText("info", text)
        case PlanStatus.REJECTED:
            yield BannerText("info", tr("Sent back to the agent, which is making a new revision."))
        case PlanStatus.STALLED:
            text = tr("The run of this plan was interrupted and has to be settled.")
            yield BannerText("error", text, (("settle", tr("Settle it…")),))
        case _:
            return


def drifted_paths(page: PlanPage, operation: OperationId | None = None) -> tuple[str, ...]:
    """The drifted paths; only those of `operation` if given."""
    every = dict.fromkeys(each.path for each in page.drifted)
    if operation is None:
        return tuple(every)
    paths = next((view.operation.paths for view in page.views if view.operation.id == operation), ())
    return tuple(path for path in every if path in paths)


def _drift_sentence(page: PlanPage, now: datetime) -> str:
    paths = drifted_paths(page)
    when = {each.path: f" {wording.since(each.at, now)}" for each in page.drifted if each.at is not None}
    told = [visible_name(path) + when.get(path, "") for path in paths]
    return tr_n(
        "{n} file drifted since staging ({named}). The plan cannot be implemented as it is.",
        "{n} files drifted since staging ({named}). The plan cannot be implemented as it is.",
        len(paths),
        named=some_of(told, _NAMED),
    )


def _around(path: str, views: tuple[OperationView, ...]) -> list[OperationView]:
    """Operations below a folder that was replaced, or on a folder that got something new."""
    return [
        view
        for view in views
        if any(each.startswith(f"{path}/") or path.startswith(f"{each}/") for each in view.operation.paths)
    ]


_OPENED_AT_ONCE = 2
"""A plan of more changes is opened one by one."""


def opens_by_itself(view: OperationView, page: PlanPage) -> bool:
    """Whether to expand it at first.

    A flagged change, one of two in a plan, or a command too long for its line or with hidden characters.
    """
    if view.operation.is_run:
        return not wording.is_told_in_its_line(view) or Hazard.HIDDEN_CHARACTERS in view.flags
    if view.generated == "lock file":
        return False  # the person opens it, or skips it by name
    return bool(view.flags) or page.sums.operations <= _OPENED_AT_ONCE
