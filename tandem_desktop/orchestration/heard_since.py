"""What was heard of an agent since the last question, for the segment it belongs to."""

from collections.abc import Callable

from tandem_desktop.domain.agents import ToolCall
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.staging.intercepted import InterceptedRequest
from tandem_desktop.staging.permission_interceptor import PermissionInterceptor


class HeardSince:
    """Answers with the tool calls that are new or have moved on, and the requests that were answered."""

    def __init__(self, calls: Callable[[], tuple[ToolCall, ...]], interceptor: PermissionInterceptor) -> None:
        self._calls = calls
        self._interceptor = interceptor
        self._told: dict[ToolCallId, ToolCall] = {}
        self._answered = 0

    def __call__(self) -> tuple[tuple[ToolCall, ...], tuple[InterceptedRequest, ...]]:
        calls, requests = self._calls(), self._interceptor.requests
        new_calls = tuple(call for call in calls if self._told.get(call.id) is not call)
        new_requests = requests[self._answered :]
        self._told, self._answered = {call.id: call for call in calls}, len(requests)
        return new_calls, new_requests
