"""Has the agent of a plan make the external calls that the person approved."""

from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet

from tandem_desktop.domain.errors import SidecarTimeoutError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.execution.commands import CommandOutcome, RunControl
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.sessions.turn import CallMade

_LIMIT_S = 600.0
_LOOK_S = 0.2
_ABORTED = "stopped by the person"


class AgentCalls:
    """Makes external calls on the thread of a run, by the sessions of this process or by one opened for the call."""

    def __init__(
        self, engine: Engine, sessions: AgentSessions | None = None, thread: EngineThread | None = None
    ) -> None:
        self._engine = engine
        self._sessions = sessions
        self._thread = thread

    def make(self, plan_id: PlanId, operation: StagedOperation, control: RunControl) -> CommandOutcome:
        """Make the call of one operation, once.

        Raises:
            TandemError: the agent could not be started, or did not end in time.
        """
        call = operation.external_call
        assert call is not None
        if self._sessions is not None and self._thread is not None:
            return _outcome(_waited(self._thread.submit(self._sessions.make_call(plan_id, call)), control))
        sessions = AgentSessions(self._engine, self._engine.settings, self._engine.clock)
        with EngineThread() as thread:
            try:
                return _outcome(_waited(thread.submit(sessions.make_call(plan_id, call)), control))
            finally:
                thread.submit(sessions.close()).result()


def _waited(work: "Future[CallMade]", control: RunControl) -> CallMade | None:
    """What came of it; None when the person stopped the run first."""
    waited = 0.0
    while waited < _LIMIT_S:
        try:
            return work.result(timeout=_LOOK_S)
        except NotYet:
            waited += _LOOK_S
        except CancelledError:
            return None
        if control.is_aborted:
            break
    work.cancel()
    if control.is_aborted:
        return None
    raise SidecarTimeoutError(
        f"The agent had not made the call after {_LIMIT_S:g} seconds; whether it has an effect is not known.",
        next="Look at what the call acts on before you apply the plan again.",
    )


def _outcome(made: CallMade | None) -> CommandOutcome:
    if made is None:
        return CommandOutcome(exit_code=-1, output="", error=_ABORTED, aborted=True)
    return CommandOutcome(exit_code=1 if made.problem else 0, output=made.output, error=made.problem or None)
