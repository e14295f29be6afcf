"""Events are values that can be written down, and each says what happened by one unmistakable word."""

from datetime import UTC, datetime
from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from tandem_desktop.domain import events
from tandem_desktop.domain import events as task_events
from tandem_desktop.domain import events as told
from tandem_desktop.domain.advice import RiskLevel
from tandem_desktop.domain.agent_protocol import (
    AgentSaid,
    ChatEntry,
    EntryKind,
    OptionKind,
    PermissionRequest,
    PermissionVerdict,
    StopReason,
    ToolCall,
)
from tandem_desktop.domain.events import TandemEvent
from tandem_desktop.domain.ids import OperationId, PlanId, RequestId, RunId, TaskId, ToolCallId
from tandem_desktop.domain.perspectives import ChapoPerspective, Effort, Role
from tandem_desktop.domain.plan_states import EventKind, PlanAction, PlanState, PlanStatus
from tandem_desktop.domain.plan_steps import AdvisedPlan, StepStatus
from tandem_desktop.domain.questions import AgentQuestion, QuestionAction
from tandem_desktop.domain.reflection import AdjustmentAction, Assessment, OrchestrationOutcome, OrchestrationStage
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, ResultStatus, RunKind, RunStatus
from tandem_desktop.domain.tasks import PlanTask, TaskStatus, TrackedTask
from tests.support.builders import PLAN_ID, SESSION_ID, a_write

RUN, OTHER_RUN = RunId("RUN-00000001"), RunId("RUN-00000002")
STEP = OperationId("s1")
TASK = TrackedTask(id=TaskId("t1"), plan_id=PLAN_ID, subject="Update the types", blocks=(TaskId("t2"),))
NOW = datetime(2026, 1, 1, tzinfo=UTC)
RESULT = OperationResult(id=STEP, status=ResultStatus.FAILED, error="no")
ADAPTER: TypeAdapter[TandemEvent] = TypeAdapter(TandemEvent)

REQUEST = PermissionRequest(
    id=RequestId("r1"), session_id=SESSION_ID, call=ToolCall(id=ToolCallId("c1")), options=(OptionKind.ALLOW_ONCE,)
)

CHAPO = ChapoPerspective(
    analysis="It reaches far.",
    estimated_effort=Effort.MEDIUM,
    strategic_analysis="One part after the other.",
    risk_assessment=RiskLevel.MEDIUM,
    timestamp=NOW,
)
ADVISED = AdvisedPlan(
    plan_id=PLAN_ID,
    session_id=SESSION_ID,
    status=PlanStatus.PROPOSED,
    phase="waiting_plan_approval",
    chapo_perspective=CHAPO,
    summary="Do it",
    tasks=(PlanTask(id=TaskId("t1"), subject="Update the types"),),
    created_at=NOW,
)

EXAMPLES: list[TandemEvent] = [
    events.TurnStarted(session_id=SESSION_ID, text="Do it"),
    events.AgentUpdated(session_id=SESSION_ID, update=AgentSaid(text="Done")),
    events.TurnEnded(session_id=SESSION_ID, stop_reason=StopReason.END_TURN, plan_id=PLAN_ID),
    events.PermissionAsked(session_id=SESSION_ID, request=REQUEST),
    events.PermissionAnswered(session_id=SESSION_ID, request_id=REQUEST.id, verdict=PermissionVerdict.ALLOW),
    events.QuestionAsked(session_id=SESSION_ID, question=AgentQuestion(id=RequestId("ASK-1"), message="Which?")),
    events.QuestionAnswered(session_id=SESSION_ID, question_id=RequestId("ASK-1"), action=QuestionAction.DECLINE),
    events.QuestionCompleted(session_id=SESSION_ID, question_id=RequestId("ASK-1")),
    events.AgentProgramChanged(session_id=SESSION_ID, agent="opencode", text="It is another program."),
    events.ChangesWaiting(session_id=SESSION_ID, plan_id=PLAN_ID),
    events.ChatGrew(
        session_id=SESSION_ID,
        entry=ChatEntry(number=1, kind=EntryKind.PERSON, at=NOW, text="Hello"),
    ),
    events.OperationStaged(session_id=SESSION_ID, operation=a_write()),
    events.OperationUnstaged(session_id=SESSION_ID, operation_id=STEP),
    events.StagingCleared(session_id=SESSION_ID, operation_ids=(STEP,)),
    events.PlanProposed(plan_id=PLAN_ID, revision=1, digest="0" * 64),
    events.PlanApproved(plan_id=PLAN_ID, revision=1, digest="0" * 64),
    events.PlanRejected(plan_id=PLAN_ID, revision=1, reason="no", status=PlanStatus.REJECTED),
    events.PlanCancelled(plan_id=PLAN_ID),
    events.PlanSuperseded(plan_id=PLAN_ID, by=PlanId("PLAN-00000009")),
    events.PlanMoved(
        plan_id=PLAN_ID,
        session_id=SESSION_ID,
        event=EventKind.REQUEST_REVISION,
        state=PlanState.DRAFTING,
        status=PlanStatus.REJECTED,
        actions=(PlanAction.QUEUE_REVISION,),
    ),
    events.PlanExpired(plan_id=PLAN_ID),
    events.DiskTouched(plan_id=PLAN_ID),
    events.RunStarted(
        run_id=RUN,
        plan_id=PLAN_ID,
        revision=1,
        run_kind=RunKind.APPLY,
        on_failure=FailurePolicy.ROLLBACK,
        operations=3,
    ),
    events.OperationStarted(run_id=RUN, operation_id=STEP),
    events.CommandPrinted(operation_id=STEP, tail="line\n"),
    events.OperationFinished(run_id=RUN, result=RESULT),
    events.RunPaused(run_id=RUN),
    events.RunResumed(run_id=RUN),
    events.RunFinished(run_id=RUN, plan_id=PLAN_ID, status=RunStatus.FAILED, rolled_back=True),
    events.RunUndone(run_id=RUN, undone_by=OTHER_RUN),
    task_events.TaskCreated(plan_id=PLAN_ID, task=TASK),
    task_events.TaskUpdated(plan_id=PLAN_ID, task_id=TASK.id, status=TaskStatus.SKIPPED, note="It waits for 't0'."),
    task_events.TaskStarted(plan_id=PLAN_ID, task_id=TASK.id, agent="koda"),
    task_events.TaskCompleted(plan_id=PLAN_ID, task_id=TASK.id, result="2 of 2 operations done."),
    task_events.TaskFailed(plan_id=PLAN_ID, task_id=TASK.id, error="The command ended with exit code 3."),
    task_events.TasksListed(plan_id=PLAN_ID, tasks=(TASK,)),
    events.RehearsalStarted(plan_id=PLAN_ID, revision=1),
    events.CommandSaid(plan_id=PLAN_ID, operation_id=STEP, text="working"),
    events.CommandRehearsed(plan_id=PLAN_ID, operation_id=STEP, exit_code=0, seconds=0.5, effects=2),
    events.ChecksStarted(plan_id=PLAN_ID, revision=1, total=2),
    events.CheckFinished(
        plan_id=PLAN_ID, revision=1, check="pytest", with_plan=True, exit_code=None, problem="it hung", done=1, total=2
    ),
    events.AffectedTestsFinished(
        plan_id=PLAN_ID, revision=1, check="pytest", passed=3, failed=1, names=("test_app::test_sum",)
    ),
    events.ChecksEnded(plan_id=PLAN_ID, revision=1),
    events.PlanExecutionStarted(plan_id=PLAN_ID, revision=1, steps=3),
    events.PlanStepReady(plan_id=PLAN_ID, revision=1, step_ids=("s1", "s2")),
    events.PlanStepCompleted(plan_id=PLAN_ID, revision=1, step_id="s1", status=StepStatus.FAILED, error="no"),
    events.ReflectionCompleted(plan_id=PLAN_ID, run_id=RUN, assessment=Assessment.OFF_TRACK, adjustments=2),
    events.AdjustmentApplied(plan_id=PLAN_ID, revision=2, number=1, action=AdjustmentAction.SKIP, step_id="s1"),
    events.PlanExecutionCompleted(plan_id=PLAN_ID, revision=2, status=PlanStatus.COMPLETED, cycles=1),
    events.OrchestrationStarted(task="Do it"),
    events.OrchestrationMoved(stage=OrchestrationStage.REFLECTING, plan_id=PLAN_ID, cycle=1),
    events.OrchestrationEnded(plan_id=PLAN_ID, outcome=OrchestrationOutcome.MAX_CYCLES, cycles=3, problem="no more"),
    told.PlanningStarted(session_id=SESSION_ID, task="Do it", qualification="It is complex."),
    told.PerspectiveStarted(session_id=SESSION_ID, agent=Role.CHAPO, spoken_by="goose"),
    told.PerspectiveMoved(session_id=SESSION_ID, agent=Role.KODA, doing="reads app.py"),
    told.PerspectiveCompleted(session_id=SESSION_ID, agent=Role.CHAPO, perspective=CHAPO),
    told.PerspectiveFailed(session_id=SESSION_ID, agent=Role.DEVO, reason="It ended."),
    told.SynthesisStarted(session_id=SESSION_ID),
    told.SynthesisEnded(session_id=SESSION_ID, tasks=("Update the types",)),
    told.TaskDelegated(session_id=SESSION_ID, task_id="t1", subject="Update the types", agent="koda"),
    told.PlanReady(session_id=SESSION_ID, plan_id=PLAN_ID, revision=1, plan=ADVISED),
    told.PlanApprovalRequested(session_id=SESSION_ID, plan_id=PLAN_ID, revision=1, plan=ADVISED),
]


def test_the_examples_cover_every_event() -> None:
    assert [type(example) for example in EXAMPLES] == list(get_args(get_args(TandemEvent)[0]))
    assert len({example.type for example in EXAMPLES}) == len(EXAMPLES)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.type)
def test_an_event_survives_being_written_down_and_read_back(event: TandemEvent) -> None:
    assert ADAPTER.validate_json(ADAPTER.dump_json(event)) == event


@pytest.mark.req("S4-18")
@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.type)
def test_an_event_cannot_be_changed_after_it_was_told(event: TandemEvent) -> None:
    with pytest.raises(ValidationError):
        event.type = "something_else"  # type: ignore[misc, assignment] # the point of the test
