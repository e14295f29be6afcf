"""How an agent is told that the answer was no, so that it neither assumes success nor tries the same again."""


def denied(feedback: str) -> str:
    """The answer to a plan a person sent back."""
    return f"denied: {feedback.strip()}"


def cancelled_before_running(tool: str, guidance: str = "") -> str:
    """A person refused one use of a tool."""
    said = f"User guidance: {guidance.strip()}\n" if guidance.strip() else "The user gave no further guidance.\n"
    return (
        f"Tool '{tool}' execution cancelled before running.\n"
        f"{said}"
        "Do not assume the operation succeeded; request updated guidance or offer alternatives."
    )


def command_queued(number: int | None = None) -> str:
    """A command was refused because it became part of the plan."""
    name = "for the plan" if number is None else f"as operation {number}"
    return f"Not run now: the command was queued {name}. It runs when the person approves. Go on with the next step."


def command_denied() -> str:
    """A command was refused and is not part of the plan either."""
    return "Commands are not run while planning. Go on without it, and name it in the plan if it is needed."


def nobody_to_ask() -> str:
    """A question came up where no person can be asked."""
    return "Nobody is there to confirm this. Go on without it."


def answered_twice(request_id: str) -> str:
    """A request came again under an id that has its answer already."""
    return f"The request {request_id} has been answered before."


def turn_over(reason: str) -> str:
    """A request was still open when the turn, the agent or the session came to its end."""
    return f"Cancelled: {reason}" if reason else "Cancelled."
