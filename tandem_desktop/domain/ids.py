"""Typed identifiers."""

import os
from typing import NewType

from tandem_desktop.domain.patterns import lazy_pattern

PlanId = NewType("PlanId", str)
RunId = NewType("RunId", str)
SessionId = NewType("SessionId", str)
OperationId = NewType("OperationId", str)
TaskId = NewType("TaskId", str)
RequestId = NewType("RequestId", str)
ToolCallId = NewType("ToolCallId", str)
TerminalId = NewType("TerminalId", str)

PLAN_ID = lazy_pattern(r"PLAN-[0-9a-f]{8}")
RUN_ID = lazy_pattern(r"RUN-[0-9a-f]{8}")
SESSION_ID = lazy_pattern(r"SES-[0-9a-f]{8}")
STEP_ID = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def _digits() -> str:
    """Eight, at random; `secrets` gives the same and imports six modules for it."""
    return os.urandom(4).hex()


def new_plan_id() -> PlanId:
    return PlanId(f"PLAN-{_digits()}")


def new_run_id() -> RunId:
    return RunId(f"RUN-{_digits()}")


def new_message_id() -> str:
    """For one message of a person and the turn it began."""
    return f"MSG-{_digits()}"


def new_question_id() -> RequestId:
    """For one question of an agent to the person."""
    return RequestId(f"ASK-{_digits()}")


def new_session_id() -> SessionId:
    return SessionId(f"SES-{_digits()}")
