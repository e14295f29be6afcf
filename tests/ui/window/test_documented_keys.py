"""Every flow of the page of keys has a test that drives it by keys: here, or where the table says."""

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.keys import KEYS
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
TESTS = Path(__file__).resolve().parents[1]

_REVIEW = "window/test_every_key.py::test_keys_of_review"
_WINDOW = "window/test_every_key.py::test_keys_of_the_window"
_MESSAGE = "window/test_every_key.py::test_keys_of_the_message"
_READ = "window/test_every_key.py::test_keys_that_open_edit_and_read_an_operation_and_send_what_was_said_of_it"
_MERGE = "window/test_merging.py::test_conflicts_are_decided_by_keys_alone_with_both_orders_and_own_words"
_PANES = "window/test_panes.py::test_one_key_gives_the_plan_the_whole_window_and_brings_the_panes_back"
_HISTORY = "window/test_review_history.py::test_steps_of_a_review_are_undone_and_redone_until_the_plan_is_decided"
_GRAPH = "graph/test_tab.py::test_arrow_keys_walk_along_the_lines_and_enter_opens_the_diff"
_HERE = "window/test_documented_keys.py::"
DRIVEN = {
    "palette": "window/test_flows_more.py::test_palette_finds_an_action_by_a_few_letters",
    "keys": f"{_HERE}test_page_of_keys_and_another_folder_are_reached_by_key",
    "open-folder": f"{_HERE}test_page_of_keys_and_another_folder_are_reached_by_key",
    "settings": "window/test_settings.py::test_every_setting_is_on_the_page_and_a_choice_is_in_the_file_and_holds",
    "next-pane": _WINDOW,
    "review": _PANES,
    "rail": _WINDOW,
    "chat": _PANES,
    "zoom-in": _WINDOW,
    "zoom-out": _WINDOW,
    "zoom-reset": _WINDOW,
    "new-plan": _WINDOW,
    "implement": "window/test_flows.py::test_the_ten_steps_of_the_basic_flow_without_a_mouse",
    "rework": "window/test_flows.py::test_plan_sent_back_comes_again_as_the_next_revision_without_a_mouse",
    "undo": "window/test_flows.py::test_run_is_taken_back_to_the_last_byte",
    "plans-by-number": _WINDOW,
    "send": "window/test_flows.py::test_the_ten_steps_of_the_basic_flow_without_a_mouse",
    "new-line": _MESSAGE,
    "stop": "window/test_turns_in_flight.py::*",
    "recall": _MESSAGE,
    "delete-back": f"{_HERE}test_words_and_lines_of_a_message_are_deleted_and_passed_by_key",
    "delete-on": f"{_HERE}test_words_and_lines_of_a_message_are_deleted_and_passed_by_key",
    "by-word": f"{_HERE}test_words_and_lines_of_a_message_are_deleted_and_passed_by_key",
    "commands": f"{_HERE}test_command_is_chosen_by_keys",
    "files": _MESSAGE,
    "implement-from-chat": "window/test_every_key.py::"
    "test_control_and_enter_in_an_empty_message_field_open_the_approval_sheet_and_write_nothing",
    "view-run": f"{_HERE}test_run_is_viewed_and_undone_in_the_timeline_by_key",
    "undo-run": f"{_HERE}test_run_is_viewed_and_undone_in_the_timeline_by_key",
    "back-to-run": "window/test_taking_back.py::test_going_back_to_before_a_run_takes_back_every_one_since_as_listed",
    "walk": _GRAPH,
    "show-diff": _GRAPH,
    "zoom-graph": "graph/test_tab.py::test_keys_buttons_and_the_wheel_zoom_and_nought_shows_all_again",
    "first-answer": "window/test_every_key.py::test_in_the_bar_1_opens_the_approval_sheet_and_2_sends_the_plan_back",
    "second-answer": "window/test_every_key.py::test_in_the_bar_1_opens_the_approval_sheet_and_2_sends_the_plan_back",
    "third-answer": "window/test_turns_in_flight.py::test_denial_by_digit_takes_a_reason_to_the_agent",
    "next-operation": _REVIEW,
    "previous-operation": _REVIEW,
    "open-row": "window/test_renames.py::"
    "test_opened_rename_shows_both_places_and_the_changed_lines_and_is_found_by_its_old_name",
    "select": f"{_HERE}test_several_operations_are_dropped_and_read_whole_by_key",
    "viewed": _REVIEW,
    "next-change": _REVIEW,
    "previous-change": _REVIEW,
    "next-important": _REVIEW,
    "previous-important": _REVIEW,
    "drop": _REVIEW,
    "drop-lines": "window/test_comments.py::test_single_line_is_left_out_by_key_and_only_the_rest_is_written",
    "undo-step": _HISTORY,
    "redo-step": _HISTORY,
    "comment": _READ,
    "edit": _READ,
    "merge": f"{_HERE}test_merge_of_a_file_that_drifted_is_opened_by_key",
    "split": _REVIEW,
    "whitespace": _REVIEW,
    "ignore-space": f"{_HERE}test_several_operations_are_dropped_and_read_whole_by_key",
    "whole-file": f"{_HERE}test_several_operations_are_dropped_and_read_whole_by_key",
    "as-text": _READ,
    "as-lines": "plan/test_file_viewers.py::test_lock_file_opens_as_a_list_of_versions_and_b_shows_its_lines",
    "more-lines": "diff/test_options.py::test_a_fold_opens_by_ten_lines_at_both_ends_by_pointer_and_by_key",
    "wrap": _REVIEW,
    "open-file": _READ,
    "search": _REVIEW,
    "move-operation": _REVIEW,
    "implement-here": "window/test_renames.py::"
    "test_rename_with_an_edit_is_one_row_that_is_viewed_dropped_and_kept_by_one_key",
    "next-conflict": _MERGE,
    "previous-conflict": _MERGE,
    "take-disk": _MERGE,
    "take-proposed": _MERGE,
    "take-both": _MERGE,
    "take-own": _MERGE,
}
"""The test that presses the keys of each line of the page."""


def test_every_line_of_the_page_of_keys_has_a_test_that_presses_its_keys() -> None:
    assert set(DRIVEN) == {line.name for line in KEYS}
    for name, place in DRIVEN.items():
        file, _, wanted = place.partition("::")
        tests = [each.name for each in ast.parse((TESTS / file).read_text()).body if isinstance(each, ast.FunctionDef)]
        assert wanted == "*" or wanted in tests, f"{name}: there is no test {place}"


def test_page_of_keys_and_another_folder_are_reached_by_key(
    window: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.press(Qt.Key.Key_F1)
    window.wait(lambda: window.sees("keys-search"))
    window.press(Qt.Key.Key_Escape)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(other))
    window.press(Qt.Key.Key_O, CONTROL)
    window.wait(lambda: window.place.background.engine.locations.workspace == other)


def test_words_and_lines_of_a_message_are_deleted_and_passed_by_key(window: Person) -> None:
    composer = window.place.chat.composer
    window.go_to("composer-text")
    window.type("one two three")
    window.press(Qt.Key.Key_W, CONTROL)
    assert composer.text == "one two "
    window.press(Qt.Key.Key_B, ALT)
    window.press(Qt.Key.Key_D, ALT)
    assert composer.text.rstrip() == "one"
    window.press(Qt.Key.Key_U, CONTROL)
    window.press(Qt.Key.Key_E, CONTROL)
    window.type("four")
    assert composer.text.split()[-1] == "four"


def test_command_is_chosen_by_keys(window: Person) -> None:
    composer = window.place.chat.composer
    window.go_to("composer-text")
    window.type("/orch")
    window.wait(composer.popup.isVisible)
    window.press(Qt.Key.Key_Return)
    assert composer.text.startswith("/orchestrate")


def a_plan(window: Person) -> None:
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.go_to("operation-list")
    window.press(Qt.Key.Key_Home)


def test_several_operations_are_dropped_and_read_whole_by_key(window: Person) -> None:
    a_plan(window)
    panel = window.place.panel
    first = panel.model.row(0).operation.id
    window.wait(lambda: window.sees(f"diff-{first}"))
    reading = window.place.state
    window.press(Qt.Key.Key_F)
    window.wait(lambda: (reading.get("reading") or {}).get("context", 3) > 1_000)
    window.type("W")
    window.wait(lambda: bool((reading.get("reading") or {}).get("ignores_space")))
    window.press(Qt.Key.Key_Down, SHIFT)
    assert len(panel.operations.list.selected_rows()) == 2
    window.press(Qt.Key.Key_Space)
    assert len(panel.model.viewed) == 2


def test_run_is_viewed_and_undone_in_the_timeline_by_key(window: Person, workspace: Path) -> None:
    a_plan(window)
    before = (workspace / "app.py").read_bytes()
    panel = window.place.panel
    window.press(Qt.Key.Key_Return, CONTROL)
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    panel.tabs.show_tab("runs")
    window.wait(lambda: window.sees("runs-list"))
    window.find("runs-list").setFocus()
    window.press(Qt.Key.Key_Home)
    window.type("u")
    window.wait(lambda: window.sees("undo-back"))
    window.press(Qt.Key.Key_Escape)
    window.find("runs-list").setFocus()
    window.press(Qt.Key.Key_Return)
    window.wait(lambda: panel.tabs.current == "operations")
    assert (workspace / "app.py").read_bytes() != before


def test_merge_of_a_file_that_drifted_is_opened_by_key(window: Person, workspace: Path) -> None:
    a_plan(window)
    path = window.operations[0]
    (workspace / path).write_text((workspace / path).read_text() + "# more\n")
    window.wait(lambda: bool(window.place.panel.model.row(0).drift))
    window.go_to("operation-list")
    window.type("m")
    window.wait(lambda: window.sees("merge-take-disk"))
