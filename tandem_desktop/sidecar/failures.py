"""What to say when an agent refuses, ends, or asks for a login: one sentence, and the next thing to do."""

import json
import signal
from typing import Any

from pydantic import ValidationError

from tandem_desktop.domain.agents import AgentFacts, AgentProfile, StopReason
from tandem_desktop.domain.errors import (
    LoginNeededError,
    SidecarError,
    SidecarExitedError,
    SidecarLaunchError,
    SidecarProtocolError,
)
from tandem_desktop.shadow.confinement import REFUSED, SAYS, UNSEEN
from tandem_desktop.sidecar.connection import AUTH_REQUIRED, RefusedError

LOOK_AT_STDERR = "Look at the agent's last words; try its command in a terminal."
_MOST_WORDS = 500
_NOT_LET = {
    REFUSED: "Start the agent again; what is missing is told by: tandem doctor",
    UNSEEN: "Install the agent, and what runs it, where nothing is hidden from it (docs/security.md, Hidden), "
    "then start it again.",
}


def of_refusal(profile: AgentProfile, facts: AgentFacts, refusal: RefusedError, what: str) -> SidecarError:
    if refusal.code == AUTH_REQUIRED:
        return login_needed(profile, facts, refusal)
    return SidecarError(f"{profile.title} could not {what}: {_words(refusal)}", next=LOOK_AT_STDERR)


def login_needed(profile: AgentProfile, facts: AgentFacts, refusal: RefusedError) -> LoginNeededError:
    ways = f" It offers: {', '.join(facts.login_methods)}." if facts.login_methods else ""
    return LoginNeededError(
        f"{profile.title} wants a login first: {_words(refusal)}{ways}",
        next=profile.needs or f"Log in with {profile.command[0]} in a terminal, then start the agent again.",
    )


def of_failed_start(profile: AgentProfile, code: int | None, error: SidecarExitedError) -> SidecarLaunchError:
    """It ended before it was greeted; where the sandbox did not let it start, that has said why."""
    said = error.stderr[-1] if error.stderr else ""
    if code in _NOT_LET and said.startswith(SAYS):
        message, then = f"{profile.title} was not started: {said.removeprefix(SAYS)}", _NOT_LET[code]
    else:
        message, then = error.message, profile.needs or LOOK_AT_STDERR
    return SidecarLaunchError(message, next=then, stderr=error.stderr)


def of_exit(profile: AgentProfile, code: int | None) -> SidecarExitedError:
    if code is None:
        how = "closed its output"
    elif code < 0:
        how = f"was ended by signal {-code} ({_signal_name(-code)})"
    else:
        how = f"ended with exit code {code}"
    return SidecarExitedError(f"{profile.title} {how}.", next=f"{LOOK_AT_STDERR} Then start it again.")


def of_closed_input(profile: AgentProfile) -> SidecarExitedError:
    return SidecarExitedError(f"{profile.title} no longer reads what it is sent.", next="Start the agent again.")


def stop_reason(result: Any) -> StopReason:
    """Why the turn ended; a reason nobody knows is an ordinary end.

    Raises:
        SidecarProtocolError: the answer is no answer to a message.
    """
    reason = result.get("stopReason") if isinstance(result, dict) else None
    if not isinstance(reason, str):
        raise SidecarProtocolError(
            "The agent ended its turn without saying why.", next="Install another version of the agent."
        )
    return StopReason(reason) if reason in frozenset(StopReason) else StopReason.END_TURN


def first_problem(problem: ValidationError) -> str:
    first = problem.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


def _words(refusal: RefusedError) -> str:
    """The agent's own reason: its message, and the details it put beside it."""
    words = str(refusal.message)
    data = refusal.data
    if isinstance(data, dict) and isinstance(data.get("details"), str):
        words = f"{words} ({data['details']})"
    elif data:
        words = f"{words} ({json.dumps(data, default=str)})"
    words = words[:_MOST_WORDS]
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
