"""Every attack of the corpus is held or flagged."""

from pathlib import Path

import pytest

from tests.attacks import corpus
from tests.attacks.attack import Outcome


@pytest.mark.parametrize("name", corpus.classes())
def test_no_attack_of_the_class_gets_through(name: str, tmp_path: Path) -> None:
    broken = []
    for number, attack in enumerate(corpus.attacks(name)):
        folder = tmp_path / str(number)
        folder.mkdir()
        if attack.run(folder) is Outcome.BROKEN:
            broken.append(f"{attack.id}: {attack.what}")
    assert not broken
