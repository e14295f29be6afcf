import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.chat.code_block import pieces
from tandem_desktop.ui.chat.markdown import MarkdownStream, TextBlock
from tandem_desktop.ui.chat.message_view import MessageView
from tandem_desktop.ui.chat.prose_view import ProseView, SafeDocument
from tandem_desktop.ui.theme.theme import Theme
from tests.ui.chat.talk import MARKDOWN


def shown(qtbot: QtBot, theme: Theme, text: str) -> ProseView:
    view = ProseView(theme)
    qtbot.addWidget(view)
    view.set_blocks([block for block in MarkdownStream().update(text) if isinstance(block, TextBlock)])
    view.resize(400, view.heightForWidth(400))
    view.show()
    return view


def place_of(view: ProseView, words: str) -> QPoint:
    cursor = view.document().find(words)
    cursor.setPosition(cursor.position() - 1)
    return view.cursorRect(cursor).center()


def anchors(view: ProseView) -> list[str]:
    found = []
    block = view.document().begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            form = iterator.fragment().charFormat()
            if form.isAnchor():
                found.append(form.anchorHref())
            iterator += 1
        block = block.next()
    return found


def test_a_document_gives_nothing_for_any_resource() -> None:
    document = SafeDocument()
    for kind in (QTextDocument.ResourceType.ImageResource, QTextDocument.ResourceType.StyleSheetResource):
        assert document.resource(kind.value, QUrl("file:///etc/passwd")) is None


def test_raw_html_and_images_stay_words(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, '<img src="file:///etc/hostname"> <b>bold</b> ![chart](https://example.org/c.png)')
    words = view.toPlainText()
    assert '<img src="file:///etc/hostname"> <b>bold</b>' in words
    assert "[image: chart, not loaded: https://example.org/c.png]" in words
    assert "\ufffc" not in words
    assert shown(qtbot, theme, "<script>\nalert(1)\n</script>").toPlainText() == "<script> alert(1) </script>"


def test_a_link_says_where_it_leads(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, "See [your bank](https://evil.example/login) and <https://example.org>.")
    assert view.toPlainText() == "See your bank (https://evil.example/login) and https://example.org."
    assert anchors(view) == ["https://evil.example/login", "https://example.org"]


@pytest.mark.parametrize("target", ["javascript:alert(1)", "file:///etc/passwd", "tandem-file:/etc/passwd", "data:x,y"])
def test_a_link_to_anything_but_the_web_leads_nowhere(qtbot: QtBot, theme: Theme, target: str) -> None:
    view = shown(qtbot, theme, f"[press]({target})")
    assert anchors(view) == []
    assert target in view.toPlainText()


def test_a_click_on_a_link_only_tells_its_address(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, "[docs](https://example.org/docs)")
    with qtbot.waitSignal(view.link_activated) as told:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(view, "docs"))
    assert told.args == ["https://example.org/docs"]


def test_a_link_is_followed_with_tab_and_enter(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, "[docs](https://example.org/docs) and [more](https://example.org/faq)")
    view.activateWindow()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(view.hasFocus)
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    with qtbot.waitSignal(view.link_activated) as first:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    with qtbot.waitSignal(view.link_activated) as second:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert (first.args, second.args) == (["https://example.org/docs"], ["https://example.org/faq"])


def test_names_of_files_can_be_opened(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, "`app/auth.py` and [the settings](app/settings.py) but not `Settings.rate()`")
    with qtbot.waitSignal(view.file_activated) as told:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(view, "auth"))
    assert told.args == ["app/auth.py"]
    assert anchors(view) == ["tandem-file:app/auth.py", "tandem-file:app/settings.py"]


def test_prose_that_streams_in_ends_as_if_it_had_come_at_once(qtbot: QtBot, theme: Theme) -> None:
    view, stream = shown(qtbot, theme, ""), MarkdownStream()
    for at in range(1, len(MARKDOWN), 17):
        blocks = stream.update(MARKDOWN[:at])
        view.set_blocks([block for block in blocks if isinstance(block, TextBlock)])
    view.set_blocks([block for block in stream.update(MARKDOWN) if isinstance(block, TextBlock)])
    whole = shown(qtbot, theme, MARKDOWN)
    assert view.toPlainText() == whole.toPlainText()
    assert view.document().toHtml() == whole.document().toHtml()


def test_prose_and_code_alternate_and_code_keeps_its_place_while_more_comes(qtbot: QtBot, theme: Theme) -> None:
    view = MessageView(theme)
    qtbot.addWidget(view)
    view.set_text("before\n\n```py\nx = 1\n```\n")
    code = view.findChildren(type(view._parts[1][0]))[0]
    view.set_text("before\n\n```py\nx = 1\n```\n\nafter\n")
    assert [type(part).__name__ for part, _ in view._parts] == ["ProseView", "CodeBlock", "ProseView"]
    assert view._parts[1][0] is code


def test_colouring_never_changes_a_letter_of_the_code() -> None:
    code = "def f(x):\n\treturn 'a' + x  # odd   \n\n"
    assert "".join(text for text, _ in pieces(code, "python")) == code
    assert ("def", "syntax_keyword") in pieces(code, "python")
    assert pieces("a\r\nb", "python") == [("a\r\nb", "text")]
    assert pieces(code, "no-such-language") == [(code, "text")]


def test_every_item_of_a_list_stands_equally_far_from_its_mark(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, "- one\n  - two\n    - three\n- `four`\n  - **five**\n")
    image = view.viewport().grab().toImage()
    ground = image.pixelColor(image.width() - 1, 0)
    gaps = []
    block = view.document().begin()
    while block.isValid():
        line = block.layout().lineAt(0)
        top = view.document().documentLayout().blockBoundingRect(block).top() + line.y()
        left, rows = round(line.x()), range(round(top), round(top + line.height()))
        gaps.append(next(gap for gap in range(1, left) if any(image.pixelColor(left - gap, y) != ground for y in rows)))
        block = block.next()
    assert len(gaps) == 5
    assert theme.px(5) <= min(gaps)
    assert max(gaps) - min(gaps) <= 1
