"""Stop and pause reach the run whatever was pressed before."""

import threading

from tandem_desktop.execution.commands import RunControl


def test_stop_is_obeyed_after_a_pause_and_its_end() -> None:
    control = RunControl()
    control.pause()
    control.resume()
    assert control.may_go_on()
    control.abort()
    assert not control.may_go_on()


def test_nothing_that_is_pressed_after_a_stop_takes_it_back() -> None:
    control = RunControl()
    control.abort()
    control.resume()
    assert not control.may_go_on()


def test_paused_run_waits_and_tells_when_it_begins_and_ends_to_wait() -> None:
    control = RunControl()
    told: list[bool] = []
    waits = threading.Event()
    control.watch(lambda is_waiting: (told.append(is_waiting), waits.set())[0])
    control.pause()
    answers: list[bool] = []
    run = threading.Thread(target=lambda: answers.append(control.may_go_on()))
    run.start()
    assert waits.wait(20)
    assert answers == []
    control.resume()
    run.join(20)
    assert answers == [True]
    assert told == [True, False]


def test_stop_at_the_very_moment_of_going_on_is_not_lost() -> None:
    for _ in range(300):
        control = RunControl()
        control.pause()
        together = threading.Barrier(2)
        edit_executor = [
            threading.Thread(target=lambda press=press, gate=together: (gate.wait(), press()))  # type: ignore[misc]
            for press in (control.abort, control.resume)
        ]
        for hand in edit_executor:
            hand.start()
        for hand in edit_executor:
            hand.join()
        assert not control.may_go_on()
