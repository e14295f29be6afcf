"""The plan panel in the states a person meets, to be looked at."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from tandem_desktop.domain.events import (
    OperationFinished,
    OperationStarted,
    PerspectiveCompleted,
    PerspectiveMoved,
    PerspectiveStarted,
    PlanningStarted,
    RunStarted,
)
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.operations import PathChange
from tandem_desktop.domain.perspectives import Role
from tandem_desktop.domain.plan_states import EventKind, PlanStatus
from tandem_desktop.domain.review import Comments, Place
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, ResultStatus, RunKind, RunRecord, RunStatus
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.execution.undo import UndoPlan
from tandem_desktop.review.compare import compare
from tandem_desktop.review.drift import Drifted
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.staging.changes import Difference
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.undo_sheet import UndoRequest
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands
from tests.support.builders import A_MOMENT, PLAN_ID, SESSION_ID, a_command, a_write
from tests.support.scripted_perspectives import all_voices
from tests.ui.pictures.stage import settle
from tests.ui.plan.pages import Contents, a_page, a_staged, every_kind, many, source_of, the_operations, viewed

RUN = RunId("RUN-0badcafe")


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    with ThreadPoolExecutor(2) as executor:
        commands = Commands()
        for name, make in _STATES.items():
            window = QWidget()
            window.setProperty("role", "panel")
            layout = QVBoxLayout(window)
            layout.setContentsMargins(0, 0, 0, 0)
            views, contents = every_kind() if name == "every-kind" else the_operations()
            panel = ExecutionPlanPanel(
                theme,
                source_of(contents, commands, executor),
                workspace="orders-api",
                now=lambda: A_MOMENT + timedelta(hours=2),
            )
            layout.addWidget(panel)
            wide, high = (420, 760) if name.startswith("narrow") else (780, 820)
            window.resize(theme.px(wide), theme.px(high))
            window.show()
            panel.operations.list.setFocus()
            make(panel, views, contents)
            settle()
            yield f"plan-{name}", window
            window.close()


def reviewed(views: tuple, **fields: object) -> PlanPage:
    return a_page(*views, **{"revision": 3, "parent": 2, **fields})  # type: ignore[arg-type]


def _reviewing(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_page(reviewed(views))
    panel.model.set_viewed(tuple(OperationId(each) for each in ("s1", "s3", "s4", "s5")))
    panel.operations.list.go_to(OperationId("s2"), open_it=True)
    panel.operations.list.setFocus()


def _attention(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    flow = b"on: push\njobs: {}\n"
    contents["w1"] = (b"on: pull_request\njobs: {}\n", flow)
    workflow = viewed(a_write(".github/workflows/ci.yml", flow, before=contents["w1"][0], id="w1"), *contents["w1"])
    panel.show_page(
        reviewed(
            (*views, workflow),
            warnings=("The agent asked for a network address that was refused.",),
            confinement="not confined: bubblewrap is missing; install the package bubblewrap",
        )
    )


def _approving(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    _attention(panel, views, contents)
    panel.set_comments(Comments(plan_id=PLAN_ID).add(Place(), "Keep the plan to rate limiting.", 1, A_MOMENT))
    panel.request(EventKind.APPROVE)


def _executing(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_page(reviewed(views))
    panel.show_progress(
        RunStarted(
            run_id=RUN,
            plan_id=PLAN_ID,
            revision=3,
            run_kind=RunKind.APPLY,
            on_failure=FailurePolicy.ROLLBACK,
            operations=len(views),
        )
    )
    for view in views[:4]:
        result = OperationResult(id=view.operation.id, status=ResultStatus.COMPLETED)
        panel.show_progress(OperationFinished(run_id=RUN, result=result))
    panel.show_progress(OperationStarted(run_id=RUN, operation_id=OperationId("s5")))


def _failed(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    output = "tests/test_auth.py ....F\n\nE   assert 429 == 200\n1 failed, 13 passed in 1.9s\n"
    results = [OperationResult(id=view.operation.id, status=ResultStatus.ROLLED_BACK) for view in views[:4]]
    error = "The command ended with 1; see its output."
    results.append(
        OperationResult(id=OperationId("s5"), status=ResultStatus.FAILED, error=error, exit_code=1, output=output)
    )
    results.append(OperationResult(id=OperationId("s6"), status=ResultStatus.SKIPPED))
    panel.show_page(reviewed(views, status=PlanStatus.FAILED, results=results, meta={"execution_session": RUN}))


def _completed(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    results = [OperationResult(id=view.operation.id, status=ResultStatus.COMPLETED) for view in views]
    panel.show_page(
        reviewed(views, status=PlanStatus.COMPLETED, results=results, meta={"execution_session": RUN, "rating": 4})
    )


def _drifted(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_page(reviewed(views, drifted=(Drifted("app/settings.py", Difference.MODIFIED),)))


def _drafting(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_drafting("Rate-limit the login route")
    for view in views[:3]:
        panel.show_progress(a_staged(view))


def _every_kind(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_page(reviewed(views))
    for view in views[3:7]:
        panel.model.set_expanded(view.operation.id, True)


def _runs(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    _completed(panel, views, contents)
    runs = tuple(
        ListedRun(
            RunRecord(
                run_id=RunId(f"RUN-0000000{number}"),
                kind=RunKind.APPLY,
                plan_id=PLAN_ID,
                revision=3 - number,
                digest="0" * 64,
                on_failure=FailurePolicy.ROLLBACK,
                status=status,
                rolled_back=status is RunStatus.FAILED,
                started_at=A_MOMENT - timedelta(hours=number * 5),
                summary="6 operations",
            ),
            status,
            status is RunStatus.COMPLETED,
        )
        for number, status in enumerate((RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.UNDONE))
    )
    panel.show_runs(runs, {PLAN_ID: "Rate-limit the login route"})
    panel.tabs.show_tab("runs")


def _undoing(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    _runs(panel, views, contents)
    record = panel.runs.model.run(0)
    assert record is not None
    changes = tuple(
        PathChange(path=view.operation.path, before=view.operation.after, after=view.operation.base)
        for view in views
        if view.operation.path
    )
    undoing = UndoPlan(changes, ("app/settings.py",), ("app",), (), (), {}, {})
    panel.show_undo(UndoRequest(record.record.run_id), undoing)


def _text(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    content = (
        "# Rate-limit the login route\n\nA token bucket per address, kept in the app state.\n\n"
        "1. Add `app/ratelimit.py`\n2. Decorate the route\n3. A setting, and **tests**\n\n"
        "## Risks\n\nA shared proxy counts as one address.\n\n```python\nlimited(lambda s: s.login_rate)\n```\n"
    )
    panel.show_page(reviewed(views, content=content))
    panel.tabs.show_tab("plan-text")


def _reworking(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_page(reviewed(views))
    panel.request(EventKind.REQUEST_REVISION)


def _compared(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_page(reviewed(views))
    assert panel.page is not None
    panel.show_comparison(2, compare(reviewed((views[3], *views[1:3])).version, panel.page.version))


def _perspectives(panel: ExecutionPlanPanel, views: tuple, contents: Contents, lost: str = "") -> None:
    panel.show_page(reviewed(views, perspectives=all_voices(lost)))
    panel.tabs.show_tab("perspectives")


def _nobody_asked(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_page(reviewed(views))
    panel.tabs.show_tab("perspectives")


def _advisors_at_work(panel: ExecutionPlanPanel, views: tuple, contents: Contents) -> None:
    panel.show_drafting("New plan")
    chapo = all_voices().chapo
    assert chapo is not None
    for event in (
        PlanningStarted(session_id=SESSION_ID, task="Refactor it"),
        PerspectiveCompleted(session_id=SESSION_ID, agent=Role.CHAPO, perspective=chapo),
        PerspectiveMoved(session_id=SESSION_ID, agent=Role.KODA, doing="Read src/auth.py"),
        PerspectiveStarted(session_id=SESSION_ID, agent=Role.DEVO),
    ):
        panel.show_progress(event)


_STATES = {
    "perspectives": _perspectives,
    "perspectives-missing": partial(_perspectives, lost="devo"),
    "perspectives-empty": _nobody_asked,
    "perspectives-at-work": _advisors_at_work,
    "narrow-perspectives": _perspectives,
    "reviewing": _reviewing,
    "attention": _attention,
    "approving": _approving,
    "executing": _executing,
    "failed": _failed,
    "completed": _completed,
    "drifted": _drifted,
    "drafting": _drafting,
    "every-kind": _every_kind,
    "compared": _compared,
    "runs": _runs,
    "undoing": _undoing,
    "text": _text,
    "empty": lambda panel, views, contents: panel.show_nothing(),
    "rework": _reworking,
    "interrupted": lambda panel, views, contents: panel.show_interrupted(
        InterruptedRun(RUN, PLAN_ID, 3, 9, A_MOMENT), "Migrate session store"
    ),
    "long": lambda panel, views, contents: panel.show_page(reviewed(many(10_000))),
    "narrow-reviewing": _reviewing,
    "narrow-attention": _attention,
    "narrow-command": lambda panel, views, contents: panel.show_page(
        reviewed((viewed(a_command("for each in $(ls);\ndo\n  echo $each\ndone", cwd="tools", id="s9")), *views))
    ),
}
