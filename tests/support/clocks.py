"""Time that moves only when a test says so."""

from datetime import datetime, timedelta

from tests.support.builders import A_MOMENT


class Clock:
    """Tell a time; `forward` moves it, backwards too."""

    def __init__(self, now: datetime = A_MOMENT) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> datetime:
        self.now += timedelta(**time)
        return self.now
