"""A plan that waited too long is not ended behind anybody's back."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tandem_desktop.domain.plan_states import PlanStatus
from tests.ui.window.driver import Person


@pytest.mark.req("S3-32", "S3-41")
def test_opening_the_window_says_which_plan_has_expired(open_window: Callable[[], Person], workspace: Path) -> None:
    first = open_window()
    first.ask("/replace Hello Goodbye")
    first.wait(lambda: first.status is PlanStatus.PROPOSED)
    first.leave()
    meta = next((workspace / ".tandem" / "plans").glob("PLAN-*/meta.json"))
    long_ago = (datetime.now(UTC) - timedelta(days=31)).isoformat()
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "updated_at": long_ago}))
    again = open_window()
    again.wait(lambda: "Plan expired" in again.window.toast.text)
    again.wait(lambda: again.status is PlanStatus.EXPIRED)
    again.click("banner-restore")
    again.wait(lambda: (again.status, again.revision) == (PlanStatus.PROPOSED, 2))
