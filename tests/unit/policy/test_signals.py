"""A signal is heard however the answer is cut, and only as a word of its own."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.policy.qualification import PlanSignal, SignalListener

CREATED, UPDATED = PlanSignal.PLAN_CREATED, PlanSignal.PLAN_UPDATED


def heard(*pieces: str) -> list[PlanSignal]:
    listener = SignalListener()
    return [signal for piece in pieces for signal in listener.hear(piece)] + list(listener.end())


@pytest.mark.req("S0-75")
@pytest.mark.parametrize(
    ("text", "signals"),
    [
        ("All done.\nPLAN_CREATED\n", [CREATED]),
        ('Signal "PLAN_UPDATED".', [UPDATED]),
        ("PLAN_CREATED", [CREATED]),
        ("PLAN_CREATED then PLAN_UPDATED, PLAN_CREATED", [CREATED, UPDATED]),
        ("MY_PLAN_CREATED and PLAN_CREATED_AT are names.", []),
        ("xPLAN_CREATED. and more", []),
        ("plan created", []),
    ],
)
def test_signals_are_recognised_in_whole_and_letter_by_letter(text: str, signals: list[PlanSignal]) -> None:
    assert heard(text) == signals
    assert heard(*text) == signals


_WORDS = st.lists(
    st.sampled_from(["PLAN_CREATED", "PLAN_UPDATED", "PLAN_", "CREATED", "x", "_", " ", "\n", "."]), max_size=8
)


@given(_WORDS, st.lists(st.integers(0, 60), max_size=6))
def test_cutting_the_answer_changes_nothing(words: list[str], cuts: list[int]) -> None:
    text = "".join(words)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in itertools.pairwise(places)]
    assert heard(*pieces) == heard(text)


def test_the_next_turn_begins_anew() -> None:
    listener = SignalListener()
    assert (listener.hear("PLAN_CREATED "), listener.end()) == ((CREATED,), ())
    assert (listener.hear("PLAN_CREATED"), listener.end()) == ((), (CREATED,))
