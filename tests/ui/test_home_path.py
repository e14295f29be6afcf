"""A path is shown as people write it, and never as another than it is."""

from pathlib import Path

import pytest

from tandem_desktop.ui.editor import from_home


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/home/jane/projects/orders", "~/projects/orders"),
        ("/home/jane", "~"),
        ("/home/janet/orders", "/home/janet/orders"),
        ("/srv/orders", "/srv/orders"),
    ],
)
def test_only_what_lies_in_the_home_is_shown_from_there(path: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/jane")
    assert from_home(path) == from_home(Path(path)) == shown


def test_home_that_is_the_root_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert from_home("/etc/hosts") == "/etc/hosts"
