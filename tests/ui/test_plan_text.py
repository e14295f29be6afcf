import pytest

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.ui.plan_text import next_step


@pytest.mark.parametrize(
    ("advice", "told"),
    [
        ("See which there are: tandem list", ""),
        (
            "Nothing is lost: plans and runs are on disk. tandem doctor looks for it.",
            "Nothing is lost: plans and runs are on disk.",
        ),
        ("Open the folder of tandem-desktop again.", "Open the folder of tandem-desktop again."),
    ],
)
def test_the_window_gives_no_advice_for_the_command_line(advice: str, told: str) -> None:
    assert next_step(BadInputError("It failed.", next=advice)) == told
