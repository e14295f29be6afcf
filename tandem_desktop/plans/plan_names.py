"""From what a person types to one plan's folder, and never to any other place."""

import os
import re
from pathlib import Path

from tandem_desktop.domain.errors import PlanNotFoundError
from tandem_desktop.domain.ids import PLAN_ID, PlanId

_BEGINNING = re.compile(r"(?:PLAN-)?([0-9a-f]{4,8})", re.IGNORECASE)


def folder_of(plans: Path, plan_id: PlanId) -> Path:
    """Where a plan lies or would lie.

    Raises:
        PlanNotFoundError: the id is not one.
    """
    if not PLAN_ID.fullmatch(plan_id):
        raise unknown(plan_id)
    return plans / plan_id


def resolve(plans: Path, text: str) -> PlanId:
    """The one plan whose digits begin like this.

    Raises:
        PlanNotFoundError: none or several do.
    """
    beginning = _BEGINNING.fullmatch(text.strip())
    if not beginning:
        raise unknown(text)
    wanted = f"PLAN-{beginning[1].lower()}"
    try:
        names = sorted(name for name in os.listdir(plans) if name.startswith(wanted) and PLAN_ID.fullmatch(name))
    except FileNotFoundError:
        names = []
    if not names:
        raise unknown(text)
    if len(names) > 1:
        shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        raise PlanNotFoundError(f"{wanted} fits {len(names)} plans: {shown}.", next="Give more digits of the id.")
    return PlanId(names[0])


def unknown(text: str) -> PlanNotFoundError:
    shown = text if PLAN_ID.fullmatch(text) else repr(text[:60])
    return PlanNotFoundError(f"There is no plan {shown} in this workspace.", next="See which there are: tandem list")
