"""Plans, operations and runs as JSON for scripts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tandem_desktop.cli.main import utc
from tandem_desktop.cli.plan_list import branch_point
from tandem_desktop.diff.text import Document
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation, SymlinkState, kind_of_change
from tandem_desktop.domain.plan import IgnoredFiles, PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import phase_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tandem_desktop.cli.formatting import DiffLimit
    from tandem_desktop.diff.hunk_classes import ProvedChange
    from tandem_desktop.diff.hunks import Hunk
    from tandem_desktop.domain.ids import OperationId
    from tandem_desktop.domain.runs import OperationResult, RunResult
    from tandem_desktop.domain.tasks import PlanTask
    from tandem_desktop.rehearsal.results import Rehearsal, RehearsedCommand
    from tandem_desktop.review.compare import ComparedOperation
    from tandem_desktop.review.operation_view import OperationView
    from tandem_desktop.services.commits import CommitResult, Pushed
    from tandem_desktop.services.origins import LineOrigin
    from tandem_desktop.services.runs import ListedRun
    from tandem_desktop.services.statements import Verified
    from tandem_desktop.services.train import TrainedPlan
    from tandem_desktop.staging.git_effects import GitEffect


def digest_of(version: PlanVersion) -> str:
    """The digest of what is there now, never the one the record claims."""
    return ApprovalHash.of(version).combined_hash


def proposal(version: PlanVersion, views: tuple[OperationView, ...]) -> dict[str, Any]:
    return {
        "plan_id": version.plan_id,
        "session_id": version.session_id,
        "revision": version.revision,
        "digest": digest_of(version),
        "operations": [operation(view) for view in views],
        "attention": attention_groups(views),
    }


def attention_groups(views: Iterable[OperationView]) -> list[dict[str, Any]]:
    """What needs attention, the gravest first."""
    from tandem_desktop.review.attention import attention

    return [
        {
            "flags": [flag.value for flag in group.flags],
            "kind": group.kind,
            "operations": [view.operation.id for view in group.views],
        }
        for group in attention(views)
    ]


def operation(view: OperationView) -> dict[str, Any]:
    staged = view.operation
    return {
        "id": staged.id,
        "kind": staged.kind.value,
        "path": staged.path,
        "to": staged.to,
        "command": staged.command,
        "added": view.added,
        "removed": view.removed,
        "flags": [flag.value for flag in view.flags],
        "why": {flag.value: view.why(flag) for flag in view.flags},
        "notes": list(view.notes),
        "must_be_opened": view.must_be_opened,
        "task": staged.task,
        "description": staged.description,
        **_external(staged),
    }


def _external(staged: StagedOperation) -> dict[str, Any]:
    call = staged.external_call
    if call is None:
        return {}
    return {"external": {"tool": call.tool, "arguments": json.loads(call.arguments), "target": call.target}}


def operation_in_full(
    view: OperationView,
    documents: tuple[Document, Document] | None,
    limit: DiffLimit,
    proved: tuple[ProvedChange, ...] = (),
) -> dict[str, Any]:
    """All of an operation; with its hunks when the two sides are handed in, as far as the limit goes."""
    staged = view.operation
    found = {
        **operation(view),
        "rationale": staged.rationale,
        "risk": staged.risk,
        "blocked_by": list(staged.blocked_by),
        "recorded_from": staged.recorded_from or None,
        **_states(staged),
    }
    if (call := staged.command_call) is not None:
        found |= {"cwd": call.cwd, "env": dict(call.env), "timeout_s": call.timeout_s}
    if documents is not None:
        from tandem_desktop.diff.hunk_classes import class_of

        shown, left_out = limit.of(view.hunks)
        found["hunks"] = [
            {**hunk(each, *documents), "class": class_of(whole, proved) or None, "proved": _proved(each, proved)}
            for each, whole in zip(shown, view.hunks, strict=False)
        ]
        found["lines_left_out"] = left_out
        found["too_large"] = view.is_too_large
    return found


def _proved(found: Hunk, proved: tuple[ProvedChange, ...]) -> list[dict[str, Any]]:
    """What is proved of the changes of a hunk; lines are one-based, and an empty range has no lines."""
    return [
        {
            "class": each.kind.value,
            "old_lines": [each.lines.old[0] + 1, each.lines.old[1]],
            "new_lines": [each.lines.new[0] + 1, each.lines.new[1]],
            **_other_place(each),
        }
        for each in proved
        if each.lines.hunk == found.n
    ]


def _other_place(proved: ProvedChange) -> dict[str, Any]:
    """The names of a rename; the other place of a move."""
    from tandem_desktop.diff.hunk_classes import ChangeClass

    if proved.kind is ChangeClass.RENAME:
        return {"names": proved.path}
    return {"other_path": proved.path, "other_line": proved.line} if proved.path else {}


def hunk(found: Hunk, before: Document, after: Document) -> dict[str, Any]:
    return {
        "n": found.n,
        "header": found.header,
        "added": found.added,
        "removed": found.removed,
        "lines": [
            {
                "kind": line.kind,
                "text": (after if line.kind == "+" else before).display(line.raw),
                "no_newline": line.no_newline,
            }
            for line in found.lines
        ],
    }


def hunks(found: tuple[Hunk, ...], before: bytes, after: bytes) -> list[dict[str, Any]]:
    documents = Document.of(before), Document.of(after)
    return [hunk(each, *documents) for each in found]


def plan(version: PlanVersion, meta: PlanMeta, tasks: tuple[PlanTask, ...]) -> dict[str, Any]:
    return {
        "plan_id": version.plan_id,
        "session_id": version.session_id,
        "title": version.title,
        "status": meta.status.value,
        "revision": version.revision,
        "latest_revision": meta.revision,
        "parent_revision": version.parent_revision,
        "origin": version.origin.value,
        "branched_from": branch_point(meta.branched_from),
        "digest": digest_of(version),
        "version": meta.version,
        "content": version.content,
        "context": version.context,
        "tasks": [task.model_dump(mode="json") for task in tasks],
        "notes": [note.model_dump(mode="json") for note in version.notes],
        "warnings": list(version.warnings),
        "incomplete": version.incomplete,
        "drifted": list(version.drifted),
        "confinement": version.confinement,
        "ran": ran(version),
        "ignored": ignored(version),
        "network": None if version.network is None else version.network.model_dump(mode="json"),
        "changed_on_disk": None if version.changed_on_disk is None else list(version.changed_on_disk),
        "perspectives": version.perspectives and version.perspectives.model_dump(mode="json"),
        "phase": phase_of(meta.status),
        "rejections": [{"revision": r.revision, "feedback": r.feedback, "at": utc(r.at)} for r in meta.rejections],
        "rating": meta.rating,
        "run_id": meta.execution_session,
        "planner_model": meta.planner_model,
        "executor_model": meta.executor_model,
        "created_at": utc(version.created_at),
        "updated_at": utc(meta.updated_at),
    }


def ran(version: PlanVersion) -> list[dict[str, Any]]:
    """The commands that ran in the shadow."""
    return [each.model_dump(mode="json") for each in version.ran]


def ignored(version: PlanVersion) -> dict[str, Any]:
    """What the agent left that is no part of the plan; counts of zero where there is nothing."""
    found = version.ignored or IgnoredFiles(count=0, bytes=0)
    return found.model_dump(mode="json")


def results(found: tuple[OperationResult, ...]) -> list[dict[str, Any]]:
    return [result(each) for each in found]


def result(found: OperationResult) -> dict[str, Any]:
    return {"id": found.id, "status": found.status.value, "error": found.error}


def run_result(found: RunResult) -> dict[str, Any]:
    return {
        "run_id": found.record.run_id,
        "status": found.record.status.value,
        "rolled_back": found.record.rolled_back,
        "results": results(found.results),
        "meanwhile": [{"path": each.path, "change": each.change} for each in found.record.meanwhile],
    }


def listed_run(found: ListedRun) -> dict[str, Any]:
    record = found.record
    return {
        "run_id": record.run_id,
        "plan_id": record.plan_id,
        "revision": record.revision,
        "kind": record.kind.value,
        "of": record.of,
        "status": found.status.value,
        "rolled_back": record.rolled_back,
        "started_at": utc(record.started_at),
        "ended_at": utc(record.ended_at),
        "undoable": found.undoable,
        "summary": record.summary,
    }


def git(found: Iterable[GitEffect]) -> list[dict[str, Any]]:
    """What was done to each repository, as it is told to people."""
    return [{"repository": each.repository, "lines": list(each.lines)} for each in found if each.lines]


def commit_result(made: CommitResult, pushed: Pushed | None) -> dict[str, Any]:
    return {
        "run_id": made.run_id,
        "commit": made.commits[-1].oid,
        "commits": [{"commit": each.oid, "subject": each.subject, "paths": list(each.paths)} for each in made.commits],
        "branch": made.branch,
        "parent": made.parent,
        "pushed": pushed is not None,
        "remote": pushed.remote if pushed else None,
        "pull_request": (pushed.pull_request or None) if pushed else None,
        "merged": list(made.merged),
        "left_out": [{"path": path, "reason": reason} for path, reason in made.left_out],
        "hooks": [{"name": each.name, "exit_code": each.exit_code} for each in made.hooks],
        "signed": made.is_stated,
    }


def trained_plan(told: TrainedPlan) -> dict[str, Any]:
    return {
        "plan_id": told.plan_id,
        "revision": told.revision,
        "outcome": told.outcome.value,
        "carried": told.is_carried,
        "run_id": told.ended.record.run_id if told.ended else None,
        "reason": told.problem.message if told.problem else None,
    }


def verified(found: Verified) -> dict[str, Any]:
    return {
        "commit": found.commit,
        "ok": found.ok,
        "approved_by": found.signed_by or None,
        "approved_at": found.approved_at or None,
        "digest": found.digest or None,
        "evidence": found.evidence or None,
        "plan_id": found.plan_id or None,
        "run_id": found.run_id or None,
        "reason": found.reason or None,
    }


def origin(found: LineOrigin) -> dict[str, Any]:
    record, commit, approval = found.record, found.commit, found.approval
    return {
        "path": found.path,
        "line": found.line,
        "text": found.text.decode("utf-8", "replace").rstrip("\r\n"),
        "run_id": record.run_id if record else (commit.run_id or None) if commit else None,
        "plan_id": record.plan_id if record else (commit.plan_id or None) if commit else None,
        "revision": record.revision if record else None,
        "digest": record.digest if record else (commit.digest or None) if commit else None,
        "operation": found.operation.id if found.operation else None,
        "description": found.operation.description if found.operation else None,
        "planned_by": found.agent or None,
        "approved_by": approval.by if approval else None,
        "approved_at": utc(approval.at) if approval else None,
        "evidence": (approval.evidence or None) if approval else None,
        "commit": commit.oid if commit else None,
        "edited_since": found.edited_since,
    }


def rehearsal(found: Rehearsal, told: Mapping[OperationId, tuple[GitEffect, ...]]) -> dict[str, Any]:
    """`told` is what the effects of each command mean for repositories."""
    return {
        "plan_id": found.plan_id,
        "revision": found.revision,
        "network": found.network,
        "confinement": found.confinement,
        "at": utc(found.at),
        "commands": [_rehearsed(each, told.get(each.id, ())) for each in found.commands],
        "problems": [{"step": each.step, "reason": each.reason} for each in found.problems],
    }


def _rehearsed(found: RehearsedCommand, told: tuple[GitEffect, ...]) -> dict[str, Any]:
    from tandem_desktop.staging.git_effects import without_git

    return {
        "id": found.id,
        "command": found.call.command,
        "exit_code": found.exit_code,
        "output": found.output,
        "seconds": round(found.seconds, 3),
        "effects": [
            {
                "path": each.path,
                "kind": kind_of_change(each.before, each.after).value,
                "before": _state(each.before),
                "after": _state(each.after),
            }
            for each in without_git(found.effects, told)
        ],
        "git": git(told),
        "previewable": found.is_previewable,
        "reasons": list(found.doubts),
        "outside": list(found.outside),
        "error": found.error,
    }


def compared(found: ComparedOperation) -> dict[str, Any]:
    return found.model_dump(mode="json")


def _states(staged: StagedOperation) -> dict[str, Any]:
    return {"before": _state(staged.base), "after": _state(staged.after)} if not staged.is_run else {}


def _state(found: NodeState) -> dict[str, Any]:
    if isinstance(found, FileState):
        return {"type": found.type, "sha256": found.sha256, "size": found.size, "mode": f"{found.mode:04o}"}
    if isinstance(found, SymlinkState):
        return {"type": found.type, "target": found.target}
    return {"type": found.type, "mode": f"{found.mode:04o}"} if found.type == "dir" else {"type": found.type}
