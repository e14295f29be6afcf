"""Where the shadow of a session lies, and what becomes of it when its plan is cancelled."""

import contextlib
from pathlib import Path

from tandem_desktop.domain.errors import ShadowError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.orchestration.engine import Engine


def shadow_folder(shadows: Path, session_id: SessionId) -> Path:
    return shadows / session_id


def discard_shadow(engine: Engine, session_id: SessionId) -> None:
    """Throw away what an agent did; a session that is open elsewhere looks after its own shadow."""
    folder = shadow_folder(engine.locations.shadows, session_id)
    if not folder.is_dir():
        return
    # Only a cancelled plan of an agent leads here.
    from tandem_desktop.shadow.shadow_workspace import open_shadow

    with contextlib.suppress(ShadowError):
        open_shadow(engine.workspace, folder, engine.objects, masked=()).discard()
