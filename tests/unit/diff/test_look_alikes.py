"""What passes for something else, and what is only written in another language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff import look_alikes
from tandem_desktop.diff.text import visible, visible_command, visible_name

WORDS = {
    "Russian": "Привет мир отчёт файл настройки текст тест дом рост сборка",
    "Ukrainian": "Звіт налаштування їжак гілка",
    "Bulgarian": "Здравей свят файл",
    "Greek": "Καλημέρα κόσμε αναφορά ρυθμίσεις",
    "Turkish": "kapı sınır yazılım hızlı ışık",
    "French": "cœur été garçon Noël œuvre",
    "Danish": "færge smørrebrød Ærø blåbær",
    "German": "Straße Größe Übung Müller",
    "Polish": "żółć łódź święto",
    "Vietnamese": "tiếng Việt đường nước",
    "Chinese": "报告 设置 你好 世界 力量",
    "Japanese": "日本語 レポート カタカナ ＡＰＩ仕様書 設定",
    "Korean": "보고서 설정 안녕하세요",
    "Hebrew": "שלום עולם דוח",
    "Arabic": "مرحبا تقرير إعدادات",
    "Hindi": "नमस्ते रिपोर्ट सेटिंग",
    "Thai": "สวัสดี รายงาน",
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS.keys())
def test_honest_names_and_sentences_of_a_language_stay_as_they_are(words: str) -> None:
    assert visible(words) == words
    for word in words.split():
        for name in (word, f"{word}.txt", f"docs/{word}/{word}.md", f"{word} 2.txt"):
            assert visible_name(name) == name, name
    assert visible_command(f'git commit -m "{words}"') == [f'git commit -m "{words}"']


@pytest.mark.parametrize(
    "line",
    [
        "α_max = 3  # a symbol of its own",
        "Δx = λ·π², 10 µm, 5 kΩ, σ²",
        "# 使用Python的API。然后 npm install",
        "x = 'naïve café — “quoted” … 50 €'",
        "print('Ошибка: файл не найден')",
        "and/or km⁄h 1⁄2",
        "let 変数 = 1;",
        "L’été, don’t, 10–20",
        "№ 5, 20 ℃, 3 × 4",
        "1ª edición, nº 5, the 1ˢᵗ time, Mᵐᵉ Dupont, H₂O",
        "xᵢ = Aᵀ * b  # Julia",
        "paral·lel, A · B, • item",
    ],
)
def test_honest_source_and_prose_stay_as_they_are(line: str) -> None:
    assert look_alikes.in_text(line) == []


@pytest.mark.parametrize(
    "name",
    [
        "src/app.py",
        "a b.md",
        "..",
        "../up",
        ".env",
        "a..b",
        "2024-01-01T10:00.log",
        "CMakeLists.txt",
        "L’été.md",
        "paral·lel.md",
        "1ª_parte.txt",
        "nº1.txt",
        "H₂O.md",
        "x².py",
        "Müller · Söhne.txt",
        "カ・ラ.txt",
        "a–b.md",
    ],
)
def test_ordinary_names_stay_as_they_are(name: str) -> None:
    assert visible_name(name) == name


def test_texts_that_look_alike_have_one_skeleton() -> None:
    for one, other in (
        ("paypal", "раураl"),
        ("scope", "ѕсоре"),
        ("file", "ﬁle"),
        ("main", "ｍａｉｎ"),
        ("l1", "Il"),
        ("é", "e\u0301"),
    ):
        assert look_alikes.skeleton(one) == look_alikes.skeleton(other)
    assert look_alikes.skeleton("дом") != look_alikes.skeleton("dom")


@given(st.text(max_size=40))
def test_the_skeleton_of_any_text_has_itself_as_skeleton(text: str) -> None:
    once = look_alikes.skeleton(text)
    assert look_alikes.skeleton(once) == once


@given(st.text(max_size=60))
def test_what_is_drawn_of_any_text_has_no_character_that_is_marked(text: str) -> None:
    for marked, shown in (
        (look_alikes.in_text(text), visible(text)),
        (look_alikes.in_name(text), visible_name(text)),
    ):
        for at in marked:
            assert f"⟨U+{ord(text[at]):04X}⟩" in shown or ord(text[at]) < 0x20
    assert "\x1b" not in "".join(visible_command(text)) + visible_name(text)


@given(
    st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="\\:. "), min_size=1, max_size=40)
)
def test_plain_ascii_imitates_nothing(text: str) -> None:
    assert visible_name(text) == text
    assert look_alikes.in_text(text) == look_alikes.in_command(text) == []


def test_a_word_that_looks_like_another_word_of_the_file_is_found() -> None:
    assert [*look_alikes.twin_words("use admın here", "admin = 1")] == [("admın", "admin")]
    assert [*look_alikes.twin_words("kapı açık", "kapı = 1")] == []
    assert [*look_alikes.twin_words("ಐಒ ఐఒ", "ಐಒ ఐఒ")] == [("ಐಒ", "ఐఒ")], "the same in every process"


def test_a_text_of_ascii_looks_like_what_the_whole_table_says() -> None:
    every = "".join(map(chr, range(128)))
    assert look_alikes.skeleton(every) == every.translate(look_alikes._prototypes())
    assert look_alikes.skeleton("rn1O") == look_alikes.skeleton("mlO") != look_alikes.skeleton("mla")
