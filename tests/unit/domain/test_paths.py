import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.paths import Collision, Spellings, ancestors, check_path, folded, is_inside, parent_of, shown

REFUSED = [
    # outside
    ("", "empty"),
    (".", "'.'"),
    ("./", "workspace itself"),
    ("././a", "'.'"),
    ("a/./b", "'.'"),
    ("a/.", "'.'"),
    ("..", "'..'"),
    ("../x", "'..'"),
    ("../ws-evil/x", "'..'"),
    ("a/../../x", "'..'"),
    ("a/..", "'..'"),
    ("./../x", "'..'"),
    ("a//../x", "'..'"),
    ("..\\x", "'..'"),
    ("a\\..\\..\\x", "'..'"),
    ("a/..\\x", "'..'"),
    (".. /x", "dots and spaces"),
    (".../x", "dots and spaces"),
    ("a/ /b", "dots and spaces"),
    ("/", "absolute"),
    ("/etc/passwd", "absolute"),
    ("//etc/passwd", "absolute"),
    ("\\\\server\\share\\x", "absolute"),
    ("\\x", "absolute"),
    ("C:", "drive"),
    ("C:\\x", "drive"),
    ("c:/x", "drive"),
    ("C:x", "drive"),
    ("~", "home"),
    ("~/.bashrc", "home"),
    # characters
    ("a\0b", "U+0000"),
    ("a\nb", "U+000A"),
    ("a\rb", "U+000D"),
    ("a.txt\r", "U+000D"),
    ("a\tb", "U+0009"),
    ("a\x1b[31mb", "U+001B"),
    ("a\x7fb", "U+007F"),
    ("a\x85b", "U+0085"),
    ("a\u2028b", "U+2028"),
    ("a\u2029b", "U+2029"),
    ("a\udcaeb", "surrogate"),
    ("\ud800", "surrogate"),
    ("exe.\u202etxt", "U+202E"),
    ("a\u2066b\u2069", "U+2066"),
    ("a\u200bb", "U+200B"),
    ("a\u200d", "U+200D"),
    ("\ufeffa", "U+FEFF"),
    ("a\u00adb", "U+00AD"),
    ("a\U000e0041", "U+E0041"),
    ("a\ufe0f", "U+FE0F"),
    ("\u3164", "U+3164"),
    # what belongs to git and to Tandem
    (".git", "belongs to git"),
    (".git/hooks/pre-commit", "belongs to git"),
    (".GIT/config", "belongs to git"),
    ("vendor/lib/.Git/config", "belongs to git"),
    ("sub/.git", "belongs to git"),
    (".git./config", "belongs to git"),
    (".git /config", "belongs to git"),
    (".git . ./config", "belongs to git"),
    (".git::$INDEX_ALLOCATION/config", "belongs to git"),
    (".git:config", "belongs to git"),
    ("GIT~1/config", "belongs to git"),
    ("a/git~2", "belongs to git"),
    (".g\u200cit/config", "belongs to git"),
    (".gi\u200dt/config", "belongs to git"),
    ("\ufeff.git/config", "belongs to git"),
    (".ｇｉｔ/config", "belongs to git"),
    ("\u2024git/config", "belongs to git"),
    ("a\\.git\\config", "belongs to git"),
    ("a/x\\.GIT", "belongs to git"),
    (".tandem/plans.json", "belongs to Tandem"),
    ("a/.TANDEM/x", "belongs to Tandem"),
    (".tandem.", "belongs to Tandem"),
    ("tandem~1/x", "belongs to Tandem"),
    # device names
    ("CON", "device"),
    ("nul", "device"),
    ("a/NUL.txt", "device"),
    ("aux.txt", "device"),
    ("AUX.tar.gz", "device"),
    ("prn/x", "device"),
    ("COM1", "device"),
    ("com9.log", "device"),
    ("lpt1", "device"),
    ("COM¹", "device"),
    ("con .txt", "device"),
    ("nul:x", "device"),
    ("CONIN$", "device"),
    # length
    ("a" * 256, "256 bytes"),
    ("dir/" + "é" * 128, "256 bytes"),
    ("/".join(["d" * 200] * 20) + "/" + "e" * 76, "4096 bytes"),
]

ACCEPTED = [
    ("a.txt", "a.txt"),
    ("./a.txt", "a.txt"),
    ("a//b", "a/b"),
    (".//a///b", "a/b"),
    ("dir/", "dir"),
    ("-rf", "-rf"),
    ("--help/x", "--help/x"),
    ("..a", "..a"),
    ("a..", "a.."),
    (".gitignore", ".gitignore"),
    (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
    (".gitattributes", ".gitattributes"),
    ("git", "git"),
    ("x.git/y", "x.git/y"),
    ("tandem/x", "tandem/x"),
    ("console.py", "console.py"),
    ("contest.txt", "contest.txt"),
    ("com10", "com10"),
    ("nullable.py", "nullable.py"),
    ("my con.txt", "my con.txt"),
    ("a b/c d.txt", "a b/c d.txt"),
    (" leading", " leading"),
    ("~backup", "~backup"),
    ("a~1", "a~1"),
    ("日本語/файл.txt", "日本語/файл.txt"),
    ("e\u0301.txt", "e\u0301.txt"),
    ("🎉.md", "🎉.md"),
    ("a\\b", "a\\b"),
    ("weird'\"$`;&|<>*?.txt", "weird'\"$`;&|<>*?.txt"),
    ("note:1.txt", "note:1.txt"),
    ("a" * 255, "a" * 255),
    ("é" * 127 + "a", "é" * 127 + "a"),
    ("/".join(["d" * 200] * 20) + "/" + "e" * 75, "/".join(["d" * 200] * 20) + "/" + "e" * 75),
]


def name_of_a_sample(value: str) -> str:
    """Without backslashes: pytest escapes those once more in each run of one process, and mutmut makes several."""
    return ascii(value).replace("\\", "%")[:40]


@pytest.mark.parametrize(("spelling", "reason"), REFUSED, ids=name_of_a_sample)
def test_refused_spelling_says_why_and_what_to_do(spelling, reason):
    with pytest.raises(OutsideWorkspaceError) as refusal:
        check_path(spelling)
    assert reason in refusal.value.message
    assert refusal.value.path is not None
    assert refusal.value.next
    refusal.value.message.encode()
    refusal.value.path.encode()


@pytest.mark.parametrize(("spelling", "canonical"), ACCEPTED, ids=name_of_a_sample)
def test_honest_spelling_becomes_one_canonical_path(spelling, canonical):
    assert check_path(spelling) == canonical
    assert check_path(canonical) == canonical


def test_message_shows_what_cannot_be_seen():
    with pytest.raises(OutsideWorkspaceError) as refusal:
        check_path("exe.\u202etxt")
    assert "exe.⟨U+202E⟩txt" in refusal.value.message
    assert refusal.value.path == "exe.⟨U+202E⟩txt"


def test_shown_leaves_what_can_be_seen_alone():
    assert shown("grün/日本.txt") == "grün/日本.txt"
    assert shown("a\udcaeb\n") == "a⟨U+DCAE⟩b⟨U+000A⟩"
    assert shown("x" * 500) == "x" * 120 + "…"


@given(st.text(max_size=60))
def test_whatever_is_accepted_is_relative_canonical_and_can_be_a_file_name(text):
    try:
        path = check_path(text)
    except OutsideWorkspaceError:
        return
    components = path.split("/")
    assert all(components)
    assert not {".", "..", ".git", ".tandem"} & {component.casefold() for component in components}
    assert all(0 < len(component.encode()) <= 255 for component in components)
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in path)
    assert check_path(path) == path


@given(st.text("conulaxp1GIT~.-_:/ \\", max_size=12))
def test_whatever_is_accepted_is_no_device_and_no_hidden_git_directory(text):
    try:
        path = check_path(text)
    except OutsideWorkspaceError:
        return
    for name in path.replace("\\", "/").lower().split("/"):
        stem = name.partition(".")[0].partition(":")[0].rstrip(" ")
        assert stem not in {"con", "aux", "nul", "prn", "com1", "lpt1"}
        assert name.partition(":")[0].rstrip(". ") not in {".git", "git~1"}
        assert name not in {".", ".."}


COLLIDING = [
    ("Readme.md", "README.md"),
    ("src/a.py", "Src/b.py"),
    ("é.txt", "e\u0301.txt"),
    ("straße", "STRASSE"),
    ("É/x", "e\u0301/y"),
    (".Cursor/mcp.json", ".cursor/mcp.json"),
    ("a/b/C", "a/b/c"),
]


def collides(paths) -> Collision | None:
    spellings = Spellings()
    return next((collision for path in paths if (collision := spellings.add(path))), None)


@pytest.mark.parametrize("pair", COLLIDING)
def test_paths_that_are_one_file_on_some_disk_collide(pair):
    assert folded(pair[0]) == folded(pair[1]) or "/" in pair[0]
    for order in (pair, pair[::-1]):
        collision = collides(order)
        assert collision is not None
        assert "upper and lower case" in collision.reason


def test_different_paths_and_the_same_path_twice_do_not_collide():
    assert collides(["a/b", "a/b", "a/c", "a", "A2/b", "b"]) is None


def test_parts_of_a_path():
    assert parent_of("a/b/c") == "a/b"
    assert parent_of("a") == ""
    assert ancestors("a/b/c") == ["a", "a/b"]
    assert ancestors("a") == []
    assert is_inside("a/b", "a")
    assert not is_inside("ab", "a")
    assert not is_inside("a", "a")


def test_two_spellings_of_an_accent_are_told_apart():
    told = Collision("caf\u00e9", "cafe\u0301").reason
    assert told.startswith("cafe⟨U+0301⟩ and café differ only in")


_INSIDE = "Give a path inside the workspace, relative to it, such as src/app.py."


@pytest.mark.parametrize(
    ("spelling", "told", "following"),
    [
        ("", "it is empty", _INSIDE),
        (".", "it contains a '.' component", "Leave the '.' out."),
        ("./", "it names the workspace itself, or nothing", _INSIDE),
        ("../x", "it goes up with '..'", _INSIDE),
        ("/etc/passwd", "it is absolute", _INSIDE),
        ("C:/x", "it begins with a drive letter", _INSIDE),
        ("~/x", "it begins with ~, which means a home directory outside the workspace", _INSIDE),
        ("a/.git/x", "'.git' belongs to git itself and is never written by a plan", "Leave this path out of the plan."),
        ("a" * 256, "one name in it has 256 bytes, and 255 are the limit", "Use a shorter name."),
        ("a/" * 2100 + "a", "it has 4201 bytes, and 4095 are the limit", "Use a shorter path."),
    ],
    ids=["empty", "dot", "itself", "up", "absolute", "drive", "home", "git", "long name", "long path"],
)
def test_a_refusal_is_told_in_whole_sentences(spelling, told, following):
    with pytest.raises(OutsideWorkspaceError) as refusal:
        check_path(spelling)
    assert refusal.value.message.endswith(f" is refused: {told}.")
    assert refusal.value.next == following


def test_the_path_of_a_refusal_is_whole_where_the_sentence_cuts_it():
    with pytest.raises(OutsideWorkspaceError) as refusal:
        check_path("/" + "a" * 300)
    assert refusal.value.path == "/" + "a" * 300
    assert shown("a" * 120) == "a" * 120
