"""Threads that really meet: all start at once, and the interpreter switches between them as often as it can."""

import sys
import threading
from collections.abc import Callable

SWITCH_INTERVAL_S = 1e-6
"""The default lets a short job finish before anybody else gets a turn, which hides every race."""


def run_together(*jobs: Callable[[], None]) -> None:
    """Run every job on its own thread, all at once; raise what the first of them raised."""
    together = threading.Barrier(len(jobs))
    errors: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        together.wait()
        try:
            job()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(usual)
    if errors:
        raise errors[0]
