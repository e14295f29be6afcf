"""Moments in few words, as the person's clock has them."""

from datetime import datetime

from tandem_desktop.ui.words import tr


def when(moment: datetime, now: datetime) -> str:
    """`14:02`, `yesterday`, `on 3 May`, as the person's clock has it."""
    local, today = moment.astimezone(), now.astimezone().date()
    days = (today - local.date()).days
    if days <= 0:
        return f"{local:%H:%M}"
    if days == 1:
        return tr("yesterday")
    year = f" {local.year}" if local.year != today.year else ""
    return tr("on {day}", day=f"{local.day} {local:%b}{year}")
