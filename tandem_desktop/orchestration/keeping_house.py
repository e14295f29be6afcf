"""What a process that lives on does for its workspace by itself: now, and a few times a day."""

import asyncio
import contextlib

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.orchestration.engine import Engine

_EVERY_S = 6 * 3600.0
_PUT_AWAY_AT_ONCE = 100


async def keep_house(engine: Engine) -> None:
    """End stale plans and put old ones away until cancelled; the loop's clock never jumps."""
    while True:
        with contextlib.suppress(TandemError, OSError):  # there is another time
            await asyncio.to_thread(engine.expiry.expire)
            await asyncio.to_thread(engine.retention.put_away, _PUT_AWAY_AT_ONCE)
        await asyncio.sleep(_EVERY_S)
