import pytest

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.recipes.recipe import RecipeArguments, read_words


def read(text: str) -> RecipeArguments:
    return read_words(text, "/do A B", wanted=("A", "B"), valued=("--in",), flags=("--loud",))


def test_quotes_hold_spaces_and_new_lines_and_the_other_quote() -> None:
    assert read("\"it's here\" 'a\nb'").arguments == ("it's here", "a\nb")


def test_backslashes_reach_the_recipe_as_they_were_typed() -> None:
    assert read(r'\bfoo\b "(\w+)\s\1"').arguments == (r"\bfoo\b", r"(\w+)\s\1")


def test_only_a_backslash_before_the_same_quote_is_taken_away() -> None:
    assert read(r'"say \"hi\"" "\n"').arguments == ('say "hi"', r"\n")


def test_options_stand_anywhere_and_take_their_value_either_way() -> None:
    words = read("--in *.py a --in=src/ b --loud")
    assert words.arguments == ("a", "b")
    assert words.options == {"--in": ("*.py", "src/"), "--loud": ()}


def test_quoted_words_and_words_after_two_dashes_are_never_options() -> None:
    assert read('"--loud" x').arguments == ("--loud", "x")
    assert read("-- --loud --in").arguments == ("--loud", "--in")


def test_empty_text_in_quotes_is_a_word() -> None:
    assert read('a ""').arguments == ("a", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a", "B is missing"),
        ("", "A and B are missing"),
        ("a b c", "a word too many: 'c'"),
        ("a b --quiet", "--quiet is not an option"),
        ("a b --loud=yes", "--loud=yes is not an option"),
        ("a b --in", "--in needs a value"),
        ('a "b', "is not closed"),
        ('"a"b c', "is not closed"),
    ],
)
def test_what_cannot_be_understood_is_said_with_the_right_form(text: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said.replace("(", r"\(")) as refused:
        read(text)
    assert "/do A B" in refused.value.next
