"""The machine against a table written down again by hand, and against random walks."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan import Origin, Rejection
from tandem_desktop.domain.plan_states import EventKind, PlanState, PlanStatus, state_of
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.domain.state_machine import (
    MAX_REJECTIONS,
    Approve,
    Cancel,
    ExecutePlan,
    ExecutionFailed,
    Expire,
    FinishDrafting,
    MarkRedone,
    MarkUndone,
    Pause,
    PlanContext,
    PlanCreated,
    PlanEvent,
    PlanExecuted,
    PlanStateMachine,
    PlanUpdated,
    RejectPlan,
    RequestRevision,
    Reset,
    Resume,
    StageOperation,
    Stall,
    StartPlanning,
    Supersede,
    UserReviewing,
)
from tests.support.builders import A_MOMENT, PLAN_ID, a_meta, a_write

RESULT = OperationResult(id=OperationId("s1"), status=ResultStatus.COMPLETED)

EVENTS: dict[str, PlanEvent] = {
    "START_PLANNING": StartPlanning(task="rename the module"),
    "PLAN_CREATED": PlanCreated(plan_id=PLAN_ID),
    "PLAN_UPDATED": PlanUpdated(revision=7),
    "FINISH_DRAFTING": FinishDrafting(),
    "OPERATION_STAGED": StageOperation(operation=a_write()),
    "USER_REVIEWING": UserReviewing(),
    "APPROVE": Approve(notes="mind the tests"),
    "EXECUTE_PLAN": ExecutePlan(),
    "PLAN_EXECUTED": PlanExecuted(results=(RESULT,)),
    "REJECT_PLAN": RejectPlan(),
    "REQUEST_REVISION": RequestRevision(feedback="smaller steps"),
    "CANCEL": Cancel(),
    "PAUSE": Pause(),
    "RESUME": Resume(),
    "EXECUTION_FAILED": ExecutionFailed(results=(RESULT,), rolled_back=True),
    "STALL": Stall(),
    "EXPIRE": Expire(),
    "SUPERSEDE": Supersede(),
    "RUN_UNDONE": MarkUndone(),
    "RUN_REDONE": MarkRedone(),
    "RESET": Reset(),
}

# state, event, target, actions: exit, then transition, then entry; anything absent here must be refused.
EXPECTED = """
IDLE              START_PLANNING   DRAFTING          initializePlan setTask createPlanDocument
DRAFTING          PLAN_CREATED     AWAITING_APPROVAL finalizePlan setPlanId incrementRevision showExecutionPlanPanel
DRAFTING          PLAN_UPDATED     DRAFTING          updatePlan incrementRevision
DRAFTING          FINISH_DRAFTING  AWAITING_APPROVAL finalizePlan showExecutionPlanPanel
DRAFTING          OPERATION_STAGED DRAFTING          addOperation
DRAFTING          CANCEL           CANCELLED         clearPlan clearStaging
DRAFTING          EXPIRE           CANCELLED         rearmApproval markTimedOut clearStaging
DRAFTING          SUPERSEDE        CANCELLED         rearmApproval markSuperseded clearStaging
AWAITING_APPROVAL OPERATION_STAGED REVIEWING         addOperation incrementRevision rearmApproval enableDiffViewer
AWAITING_APPROVAL PLAN_UPDATED     AWAITING_APPROVAL updatePlan incrementRevision rearmApproval
AWAITING_APPROVAL USER_REVIEWING   REVIEWING         enableDiffViewer
AWAITING_APPROVAL APPROVE          AWAITING_APPROVAL recordApproval
AWAITING_APPROVAL EXECUTE_PLAN     EXECUTING         recordDecision setExecuting executeAllOperations
AWAITING_APPROVAL REQUEST_REVISION DRAFTING          recordDecision rearmApproval queueRevision incrementRevision createPlanDocument
AWAITING_APPROVAL REJECT_PLAN      CANCELLED         recordDecision rearmApproval clearStaging
AWAITING_APPROVAL CANCEL           CANCELLED         recordDecision rearmApproval clearPlan clearStaging
AWAITING_APPROVAL EXPIRE           CANCELLED         recordDecision rearmApproval markTimedOut clearStaging
AWAITING_APPROVAL SUPERSEDE        CANCELLED         recordDecision rearmApproval markSuperseded clearStaging
REVIEWING         OPERATION_STAGED REVIEWING         addOperation incrementRevision rearmApproval
REVIEWING         PLAN_UPDATED     AWAITING_APPROVAL updatePlan incrementRevision rearmApproval showExecutionPlanPanel
REVIEWING         APPROVE          REVIEWING         recordApproval
REVIEWING         EXECUTE_PLAN     EXECUTING         recordDecision setExecuting executeAllOperations
REVIEWING         REQUEST_REVISION DRAFTING          recordDecision rearmApproval queueRevision incrementRevision createPlanDocument
REVIEWING         REJECT_PLAN      CANCELLED         recordDecision rearmApproval clearStaging
REVIEWING         CANCEL           CANCELLED         recordDecision rearmApproval clearPlan clearStaging
REVIEWING         EXPIRE           CANCELLED         recordDecision rearmApproval markTimedOut clearStaging
REVIEWING         SUPERSEDE        CANCELLED         recordDecision rearmApproval markSuperseded clearStaging
EXECUTING         PLAN_EXECUTED    COMPLETED         clearExecuting recordResults clearStaging showSuccess notifyAI
EXECUTING         EXECUTION_FAILED FAILED            clearExecuting recordResults clearStaging showFailure notifyAI
EXECUTING         CANCEL           CANCELLED         clearExecuting stopExecution applyFailurePolicy recordResults notifyAI clearStaging
EXECUTING         PAUSE            PAUSED            clearExecuting pauseExecution
EXECUTING         STALL            PAUSED            clearExecuting markTimedOut
PAUSED            RESUME           EXECUTING         resumeExecution setExecuting
PAUSED            PLAN_EXECUTED    COMPLETED         recordResults clearStaging showSuccess notifyAI
PAUSED            EXECUTION_FAILED FAILED            recordResults clearStaging showFailure notifyAI
PAUSED            CANCEL           CANCELLED         stopExecution applyFailurePolicy recordResults notifyAI clearStaging
PAUSED            STALL            PAUSED            markTimedOut
COMPLETED         START_PLANNING   DRAFTING          resetPlan initializePlan createPlanDocument
COMPLETED         RESET            IDLE              resetPlan clearStaging
COMPLETED         PLAN_UPDATED     AWAITING_APPROVAL updatePlan incrementRevision rearmApproval showExecutionPlanPanel
COMPLETED         RUN_UNDONE       UNDONE            notifyAI
FAILED            START_PLANNING   DRAFTING          resetPlan initializePlan createPlanDocument
FAILED            RESET            IDLE              resetPlan clearStaging
FAILED            APPROVE          AWAITING_APPROVAL recordApproval showExecutionPlanPanel
FAILED            REQUEST_REVISION DRAFTING          rearmApproval queueRevision incrementRevision createPlanDocument
FAILED            PLAN_UPDATED     AWAITING_APPROVAL updatePlan incrementRevision rearmApproval showExecutionPlanPanel
FAILED            CANCEL           CANCELLED         clearPlan clearStaging
FAILED            RUN_UNDONE       UNDONE            notifyAI
UNDONE            START_PLANNING   DRAFTING          resetPlan initializePlan createPlanDocument
UNDONE            RESET            IDLE              resetPlan clearStaging
UNDONE            APPROVE          AWAITING_APPROVAL recordApproval showExecutionPlanPanel
UNDONE            REQUEST_REVISION DRAFTING          rearmApproval queueRevision incrementRevision createPlanDocument
UNDONE            PLAN_UPDATED     AWAITING_APPROVAL updatePlan incrementRevision rearmApproval showExecutionPlanPanel
UNDONE            CANCEL           CANCELLED         clearPlan clearStaging
UNDONE            RUN_REDONE       COMPLETED         showSuccess notifyAI
CANCELLED         START_PLANNING   DRAFTING          resetPlan initializePlan createPlanDocument
CANCELLED         RESET            IDLE              resetPlan clearStaging
CANCELLED         PLAN_UPDATED     AWAITING_APPROVAL updatePlan incrementRevision rearmApproval showExecutionPlanPanel
"""  # noqa: E501 - one row, one line
TABLE = {(row[0], row[1]): (row[2], tuple(row[3:])) for row in (line.split() for line in EXPECTED.split("\n")) if row}

STATES = (
    "IDLE",
    "DRAFTING",
    "AWAITING_APPROVAL",
    "REVIEWING",
    "EXECUTING",
    "PAUSED",
    "COMPLETED",
    "FAILED",
    "UNDONE",
    "CANCELLED",
)
# Approved and expired at once, so that every guard holds; guards have tests of their own.
MARKED = PlanContext(
    plan_id=PLAN_ID, revision=3, operations=(OperationId("s9"),), task="earlier", approved=True, timed_out=True
)


def a_machine(state: str, context: PlanContext | None = None) -> PlanStateMachine:
    return PlanStateMachine(PlanState(state), context)


@pytest.mark.req("S0-01", "S0-02")
def test_states_and_events_have_exactly_the_names_of_the_contract() -> None:
    assert tuple(PlanState) == STATES
    assert {kind.value for kind in EventKind} == set(EVENTS)
    assert {name: event.kind.value for name, event in EVENTS.items()} == {name: name for name in EVENTS}


@pytest.mark.req("S0-01", "S0-03")
def test_a_new_machine_is_idle_and_remembers_nothing() -> None:
    machine = PlanStateMachine()
    assert machine.state is PlanState.IDLE
    assert machine.context == PlanContext(plan_id=None, revision=0, operations=(), execution_results=())


@pytest.mark.req(*(f"S0-{number:02d}" for number in range(4, 24)), "S0-25", "S0-27", "S4-15")
@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("state", STATES)
def test_every_pair_of_state_and_event_does_what_the_table_says_or_changes_nothing(state: str, name: str) -> None:
    machine = a_machine(state, MARKED)
    expected = TABLE.get((state, name))
    assert machine.can(EventKind(name)) is (expected is not None)
    if expected is None:
        with pytest.raises(InvalidTransitionError) as refusal:
            machine.send(EVENTS[name])
        assert (machine.state, machine.context) == (state, MARKED)
        assert state.lower().replace("_", " ") in refusal.value.message
        assert refusal.value.next.startswith("Possible now: ")
    else:
        step = machine.send(EVENTS[name])
        assert (step.previous, step.state, step.actions) == (state, *expected)
        assert machine.state == step.state


@pytest.mark.req("S0-06", "S0-07")
@pytest.mark.parametrize("state", ["AWAITING_APPROVAL", "REVIEWING"])
def test_review_is_left_only_by_a_decision_or_when_the_plan_is_out_of_date(state: str) -> None:
    in_review = {"AWAITING_APPROVAL", "REVIEWING"}
    for (source, name), (target, actions) in TABLE.items():
        if source == state and target not in in_review:
            assert name in {"EXECUTE_PLAN", "REQUEST_REVISION", "REJECT_PLAN", "CANCEL", "EXPIRE", "SUPERSEDE"}
            assert "recordDecision" in actions


@pytest.mark.req("S0-03", "S0-11", "S0-12", "S0-18", "S0-23")
def test_context_follows_a_plan_from_task_to_results() -> None:
    machine = PlanStateMachine()
    machine.send(StartPlanning(task="tidy up"))
    assert machine.context == PlanContext(task="tidy up")
    machine.send(StageOperation(operation=a_write()))
    machine.send(PlanCreated(plan_id=PLAN_ID, revision=1))
    assert (machine.context.plan_id, machine.context.revision) == (PLAN_ID, 1)
    assert machine.context.operations == ("s1",)
    machine.send(Approve())
    machine.send(ExecutePlan())
    assert machine.context.executing
    machine.send(PlanExecuted(results=(RESULT,)))
    assert machine.context == PlanContext(plan_id=PLAN_ID, revision=1, task="tidy up", execution_results=(RESULT,))
    machine.send(Reset())
    assert machine.context == PlanContext()


@pytest.mark.req("S0-12", "S0-19", "S0-26")
@pytest.mark.parametrize("store_tells", [True, False])
def test_each_round_of_rework_raises_the_revision_by_exactly_one(store_tells: bool) -> None:
    machine = PlanStateMachine()
    machine.send(StartPlanning(task="tidy up"))
    machine.send(PlanCreated(plan_id=PLAN_ID, revision=1 if store_tells else None))
    for revision in range(2, 2 + MAX_REJECTIONS - 1):
        machine.send(RequestRevision(feedback=f"not yet {revision}"))
        assert (machine.context.revision, machine.context.feedback) == (revision - 1, f"not yet {revision}")
        machine.send(PlanCreated(plan_id=PLAN_ID, revision=revision if store_tells else None))
        assert (machine.context.revision, machine.context.feedback) == (revision, None)


@pytest.mark.req("S0-13")
def test_an_updated_draft_carries_the_number_the_store_gave_it() -> None:
    machine = a_machine("DRAFTING", PlanContext(plan_id=PLAN_ID, revision=2, feedback="again"))
    machine.send(PlanUpdated(revision=5))
    assert (machine.context.revision, machine.context.feedback) == (5, None)


@pytest.mark.req("S0-16", "S0-21")
@pytest.mark.parametrize("state", ["AWAITING_APPROVAL", "REVIEWING"])
def test_an_operation_staged_during_review_makes_a_revision_and_needs_a_new_approval(state: str) -> None:
    machine = a_machine(state, PlanContext(plan_id=PLAN_ID, revision=4))
    step = machine.send(StageOperation(operation=a_write()))
    assert "rearmApproval" in step.actions
    assert (machine.state, machine.context.revision) == ("REVIEWING", 5)
    machine.send(StageOperation(operation=a_write(id="s2"), revision=9))
    assert machine.context.revision == 9
    assert machine.context.operations == ("s1", "s2")


@pytest.mark.req("S0-28")
def test_the_window_needs_no_machine_of_its_own() -> None:
    """Its own events are these: EXECUTE is EXECUTE_PLAN, REJECT is REJECT_PLAN, done and failed end the run."""
    machine = a_machine("DRAFTING", PlanContext())
    machine.send(PlanCreated(plan_id=PLAN_ID, revision=3))
    assert (machine.state, machine.context.revision) == ("AWAITING_APPROVAL", 3)
    machine.send(StageOperation(operation=a_write()))
    assert (machine.state, len(machine.context.operations)) == ("REVIEWING", 1)
    for ended, state in ((PlanExecuted(results=(RESULT,)), "COMPLETED"), (ExecutionFailed(results=()), "FAILED")):
        machine = a_machine("REVIEWING", PlanContext(plan_id=PLAN_ID, revision=3, approved=True))
        machine.send(ExecutePlan())
        machine.send(ended)
        assert machine.state == state
        machine.send(StartPlanning(task="once more"))
        assert machine.state == "DRAFTING"
    machine = a_machine("REVIEWING", PlanContext(plan_id=PLAN_ID, revision=3))
    machine.send(RejectPlan())
    assert machine.state == "CANCELLED"


def test_staging_an_id_again_keeps_its_place() -> None:
    machine = a_machine("DRAFTING")
    for operation in (a_write(id="a"), a_write(id="b"), a_write("other.py", id="a")):
        machine.send(StageOperation(operation=operation))
    assert machine.context.operations == ("a", "b")


@pytest.mark.req("S0-09", "S0-10", "S0-25")
@pytest.mark.parametrize("state", ["COMPLETED", "FAILED", "UNDONE", "CANCELLED"])
def test_new_planning_after_an_end_starts_fresh_with_its_task(state: str) -> None:
    machine = a_machine(state, MARKED)
    machine.send(StartPlanning(task="the next thing"))
    assert machine.context == PlanContext(task="the next thing")


@pytest.mark.req("S0-15", "S0-20")
@pytest.mark.parametrize("state", ["DRAFTING", "AWAITING_APPROVAL", "REVIEWING"])
def test_cancelling_before_a_run_forgets_the_plan(state: str) -> None:
    machine = a_machine(state, MARKED)
    machine.send(Cancel())
    assert machine.context == PlanContext()


@pytest.mark.parametrize("event", [Cancel(results=(RESULT,), rolled_back=True), EVENTS["EXECUTION_FAILED"]])
@pytest.mark.parametrize("state", ["EXECUTING", "PAUSED"])
def test_a_run_cut_short_keeps_its_results_and_whether_it_was_rolled_back(state: str, event: PlanEvent) -> None:
    machine = a_machine(state, replace(MARKED, executing=state == "EXECUTING"))
    machine.send(event)
    context = machine.context
    assert (context.plan_id, context.execution_results, context.rolled_back) == (PLAN_ID, (RESULT,), True)
    assert not context.executing
    assert context.operations == ()


@pytest.mark.req("S0-08")
def test_resuming_sets_the_flag_again_without_starting_every_operation_over() -> None:
    machine = a_machine("EXECUTING", PlanContext(executing=True))
    machine.send(Pause())
    assert not machine.context.executing
    step = machine.send(Resume())
    assert machine.context.executing
    assert "executeAllOperations" not in step.actions


@pytest.mark.req("S0-24")
def test_a_run_in_which_one_operation_failed_and_the_rest_went_on_still_completes() -> None:
    failed = OperationResult(id=OperationId("s2"), status=ResultStatus.FAILED, error="no")
    machine = a_machine("EXECUTING")
    machine.send(PlanExecuted(results=(RESULT, failed)))
    assert machine.state is PlanState.COMPLETED
    assert machine.context.execution_results == (RESULT, failed)


@pytest.mark.req("S0-02")
@pytest.mark.parametrize("name", EVENTS)
def test_an_event_survives_being_written_down_and_read_back(name: str) -> None:
    adapter: TypeAdapter[PlanEvent] = TypeAdapter(PlanEvent)
    assert adapter.validate_json(adapter.dump_json(EVENTS[name])) == EVENTS[name]


RESTORED = {
    "draft": "DRAFTING",
    "proposed": "AWAITING_APPROVAL",
    "approved": "AWAITING_APPROVAL",
    "executing": "EXECUTING",
    "paused": "PAUSED",
    "completed": "COMPLETED",
    "failed": "FAILED",
    "undone": "UNDONE",
    "rejected": "DRAFTING",
    "needs_review": "REVIEWING",
    "cancelled": "CANCELLED",
    "expired": "CANCELLED",
    "stalled": "PAUSED",
    "superseded": "CANCELLED",
}


def test_every_stored_status_has_its_state() -> None:
    assert {status.value: state_of(status).value for status in PlanStatus} == RESTORED


@pytest.mark.parametrize("status", PlanStatus)
def test_a_machine_restored_from_a_record_is_stored_again_as_it_was(status: PlanStatus) -> None:
    rejection = Rejection(revision=1, feedback="no", at=A_MOMENT)
    rejections = {PlanStatus.REJECTED: (rejection,), PlanStatus.NEEDS_REVIEW: (rejection,) * 3}.get(status, ())
    machine = PlanStateMachine.restore(a_meta(status=status, rejections=rejections))
    assert (machine.status, machine.context.plan_id) == (status, PLAN_ID)


@pytest.mark.parametrize("status", [PlanStatus.EXPIRED, PlanStatus.STALLED])
def test_a_time_out_never_restores_to_where_one_click_runs_the_plan(status: PlanStatus) -> None:
    machine = PlanStateMachine.restore(a_meta(status=status))
    assert not machine.can(EventKind.APPROVE)
    assert not machine.can(EventKind.EXECUTE_PLAN)


@pytest.mark.parametrize("status", [PlanStatus.FAILED, PlanStatus.UNDONE])
def test_a_plan_whose_changes_are_not_on_disk_can_be_approved_reworked_or_cancelled(status: PlanStatus) -> None:
    machine = PlanStateMachine.restore(a_meta(status=status))
    assert all(machine.can(kind) for kind in (EventKind.APPROVE, EventKind.REQUEST_REVISION, EventKind.CANCEL))


def test_only_an_approved_plan_is_executed() -> None:
    machine = a_machine("REVIEWING", PlanContext(plan_id=PLAN_ID, revision=1))
    with pytest.raises(InvalidTransitionError, match="not approved"):
        machine.send(ExecutePlan())
    machine.send(Approve())
    machine.send(StageOperation(operation=a_write(), revision=2))
    with pytest.raises(InvalidTransitionError, match="not approved"):
        machine.send(ExecutePlan())


def test_of_the_plans_that_ended_without_a_run_only_an_expired_one_is_taken_up_again() -> None:
    for status in (PlanStatus.CANCELLED, PlanStatus.SUPERSEDED):
        with pytest.raises(InvalidTransitionError, match="expired"):
            PlanStateMachine.restore(a_meta(status=status)).send(PlanUpdated(revision=2, origin=Origin.PERSON))
    expired = PlanStateMachine.restore(a_meta(status=PlanStatus.EXPIRED))
    expired.send(PlanUpdated(revision=2, origin=Origin.PERSON))
    assert expired.status is PlanStatus.PROPOSED


@pytest.mark.req("S0-26", "S0-27")
@given(st.lists(st.tuples(st.booleans(), st.integers(min_value=0, max_value=999)), max_size=40))
def test_a_random_walk_only_ever_takes_listed_steps(choices: list[tuple[bool, int]]) -> None:
    machine = PlanStateMachine()
    for follow_the_table, choice in choices:
        listed = [event for state, event in TABLE if state == machine.state.value]
        names = listed if follow_the_table else sorted(EVENTS)
        name = names[choice % len(names)]
        before = (machine.state, machine.context)
        expected = TABLE.get((machine.state.value, name))
        try:
            step = machine.send(EVENTS[name])
        except InvalidTransitionError as refused:
            is_guarded = ": " in str(refused)
            assert expected is None or is_guarded
            assert (machine.state, machine.context) == before
        else:
            third = name == "REQUEST_REVISION" and step.state is PlanState.REVIEWING
            assert third or expected == (step.state.value, step.actions)
        assert machine.context.executing is (machine.state is PlanState.EXECUTING)
        if machine.state is PlanState.IDLE:
            assert machine.context == PlanContext()
