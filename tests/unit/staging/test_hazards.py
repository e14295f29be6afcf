"""Every flag by lists of what must carry it and of what must not."""

import json
import tomllib
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.staging.hazards import Hazard, acts_by_its_name, explain, flags, reasons
from tandem_desktop.storage.paths import resource
from tests.support.builders import a_chmod, a_command, a_delete, a_mkdir, a_move, a_symlink, a_write
from tests.support.rule_tables import TABLES, as_json


def of_write(content: bytes, path: str = "src/app.py", before: bytes | None = None) -> set[str]:
    return {flag.value for flag in flags(a_write(path, content, before=before), before, content)}


def of_path(path: str) -> set[str]:
    return of_write(b"anything\n", path)


def of_text(text: str, before: str | None = None) -> set[str]:
    return of_write(text.encode(), before=None if before is None else before.encode())


def of_command(command: str, **fields: str) -> set[str]:
    return {flag.value for flag in flags(a_command(command, **fields), None, None)}  # type: ignore[arg-type] # cwd only


PATHS = tomllib.loads(Path(__file__).with_name("hazard_paths.toml").read_text(encoding="utf-8"))
RUNS_CODE, INSTRUCTS_AGENTS, SECRET = PATHS["runs-code"], PATHS["instructs-agents"], PATHS["secret"]
ORDINARY = PATHS["ordinary"]
RECIPES = PATHS["recipes"]


@pytest.mark.parametrize(
    ("path", "flag"),
    [
        *((path, "runs-code") for path in RUNS_CODE),
        *((path, "instructs-agents") for path in INSTRUCTS_AGENTS),
        *((path, "secret") for path in SECRET),
    ],
)
def test_a_sensitive_path_is_flagged_in_every_spelling_depth_and_kind_of_operation(path: str, flag: str) -> None:
    assert flag in of_path(path)
    assert flag in of_path(path.upper())
    assert flag in of_path(path.swapcase())
    assert flag in of_path(f"deep/down/{path}")
    assert flag in of_path(f"deep\\{path}".replace("/", "\\"))
    assert flag in of_path(f"{path}.")
    assert flag in flags(a_write(path, b"2", before=b"1"), b"1", b"2")
    is_recipe = flag == "runs-code" and path in RECIPES
    assert (flag in flags(a_delete(path, b"1"), b"1", None)) is not is_recipe
    assert flag in flags(a_move("harmless.txt", path, b"1"), b"1", b"1")
    assert flag in flags(a_move(path, "harmless.txt", b"1"), b"1", b"1")
    assert flag in flags(a_symlink(path, "harmless.txt"), None, None)


@pytest.mark.parametrize("path", [".npmrc", ".git/hooks/pre-commit", "package.json", ".claude/settings.json"])
def test_to_delete_what_may_hold_a_tool_back_stays_flagged(path: str) -> None:
    assert Hazard.RUNS_CODE in flags(a_delete(path, b"1"), b"1", None)


def test_a_recipe_that_gives_way_to_a_link_is_flagged() -> None:
    assert Hazard.RUNS_CODE in flags(a_symlink("Makefile", "other"), None, None)


def test_the_lists_are_long_enough_to_be_called_lists() -> None:
    assert len(set(RUNS_CODE)) >= 100
    assert len({*RUNS_CODE, *INSTRUCTS_AGENTS, *SECRET}) >= 160


@pytest.mark.parametrize(
    "path",
    ORDINARY,
)
def test_an_ordinary_path_carries_no_flag(path: str) -> None:
    assert of_path(path) == set()


def test_the_way_accents_are_written_does_not_hide_a_path() -> None:
    assert of_path(unicodedata.normalize("NFD", "café/.envrc")) >= {"runs-code", "secret"}


@pytest.mark.parametrize("link", [".vscode", ".github", ".claude", ".cargo", "sub/.cursor", ".husky"])
def test_a_link_where_a_sensitive_folder_would_be_is_flagged(link: str) -> None:
    assert Hazard.RUNS_CODE in flags(a_symlink(link, "innocent"), None, None)


def test_an_empty_directory_is_not_flagged_for_what_may_come_to_lie_in_it() -> None:
    assert flags(a_mkdir(".github/workflows"), None, None) == ()


def a_package(**fields: object) -> bytes:
    return json.dumps({"name": "x", "version": "1.0.0", "scripts": {"test": "jest"}, **fields}).encode()


@pytest.mark.parametrize(
    ("before", "after", "flagged"),
    [
        (a_package(), a_package(version="2.0.0", description="new"), False),
        (a_package(), a_package(scripts={"test": "jest", "postinstall": "node evil.js"}), True),
        (a_package(), a_package(dependencies={"left-pad": "1.3.0"}), True),
        (a_package(), a_package(gypfile=True), True),
        (a_package(), b"{ not json", True),
        (a_package(), b"[" * 100_000, True),
        (None, a_package(), True),
        (None, b'{"name": "x"}', False),
        (a_package(), None, True),
    ],
)
def test_a_package_file_runs_code_only_if_a_key_changes_that_can(
    before: bytes | None, after: bytes | None, flagged: bool
) -> None:
    operation = (
        a_delete("package.json", before or b"") if after is None else a_write("package.json", after, before=before)
    )
    assert (Hazard.RUNS_CODE in flags(operation, before, after)) is flagged


@pytest.mark.parametrize(
    ("after", "flagged"),
    [
        (b'[project]\nname = "y"\nversion = "2"\n[tool.ruff]\nline-length = 99\n', False),
        (b'[project]\nname = "x"\n[build-system]\nrequires = ["evil"]\n', True),
        (b'[project]\nname = "x"\n[tool.hatch.build.hooks.custom]\n', True),
        (b'[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-p evil"\n', True),
        (b"not = = toml", True),
    ],
)
def test_a_project_file_runs_code_only_if_a_table_changes_that_can(after: bytes, flagged: bool) -> None:
    before = b'[project]\nname = "x"\n'
    operation = a_write("pyproject.toml", after, before=before)
    assert (Hazard.RUNS_CODE in flags(operation, before, after)) is flagged


def test_a_package_file_whose_bytes_were_not_handed_over_is_flagged() -> None:
    assert Hazard.RUNS_CODE in flags(a_write("package.json", b"{}"), None, None)
    assert Hazard.RUNS_CODE in flags(a_move("a.json", "package.json"), None, None)


def test_a_package_file_moved_into_place_brings_its_scripts() -> None:
    package = a_package()
    assert Hazard.RUNS_CODE in flags(a_move("template.json", "package.json", package), package, package)
    assert flags(a_move("template.json", "package.json", b"{}"), b"{}", b"{}") == ()


SECRETS = [
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    "key = 'AKIA" + "IOSFODNN7ABCDEFG'",
    "aws_secret_access_key = " + "wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzKEY1",
    "AWS_SECRET_ACCESS_KEY=" + "wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzKEY1",
    "token: ghp" + "_abcdefghijklmnopqrstuvwxyz0123456789",
    "github" + "_pat_11ABCDEFG0abcdefghijklmnop",
    "glpat" + "-abcdefghijklmnopqrst",
    "xoxb" + "-123456789012-abcdefghij",
    "sk-ant" + "-api03-abcdefghijklmnopqrstuvwxyz0123456789",
    "sk" + "-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
    "sk" + "_live_abcdefghijklmnopqrstuvwx",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "npm" + "_abcdefghijklmnopqrstuvwxyz0123456789",
    "postgres://admin:hunter22@db.example.org/x",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_found_where_it_is_added_and_only_there(secret: str) -> None:
    assert of_text(f"first\nx = {secret}\nlast\n") == {"secret"}
    assert of_text(f"x = {secret}\nnew line\n", before=f"x = {secret}\n") == set()
    assert "secret" in of_text(f"{secret}\n{secret}\n", before=f"{secret}\n")
    assert "secret" in of_write(f"{secret}\n".encode("utf-16"))
    assert "secret" in of_command(f"deploy --with '{secret}'")
    in_environment = a_command("deploy", env=(("TOKEN", secret),))
    assert Hazard.SECRET in flags(in_environment, None, None)


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "the risk-taking task-force through the night",
        "https://example.org:8080/path",
        "ssh://git@example.org/x.git",
        "postgres://{user}:{password}@host/db",
        "postgres://$USER:$PASS@host/db",
        "SECRET = os.environ['SECRET']",
    ],
)
def test_what_only_resembles_a_secret_is_no_secret(text: str) -> None:
    assert of_text(text) == set()


TROJAN_SOURCE = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
HIDDEN = {
    **{f"U+{ord(each):04X}": f"if access{each} == 'user':" for each in TROJAN_SOURCE},
    "arabic letter mark": "a\u061cb",
    "zero width space": "pass\u200bword",
    "zero width non-joiner between Latin letters": "pass\u200cword",
    "zero width joiner between Latin letters": "pass\u200dword",
    "word joiner": "pass\u2060word",
    "byte order mark inside": "pass\ufeffword",
    "soft hyphen": "pass\u00adword",
    "tag": "hello \U000e0068\U000e0069",
    "a run of variation selectors": "x\ufe00\ufe01\U000e0100\U000e0101",
    "variation selector after a letter": "a\ufe0f",
    "two variation selectors after an emoji": "❤\ufe0f\ufe0f",
    "two ideographic selectors": "葛\U000e0100\U000e0101",
    "hangul filler": "x\u3164",
    "half-width hangul filler": "x\uffa0",
    "combining grapheme joiner": "x\u034f",
    "braille blank": "x\u2800",
    "private use": "\ue000",
    "private use, far away": "\U00100000",
    "noncharacter": "\U0001ffff",
    "line separator": "a\u2028b",
    "paragraph separator": "a\u2029b",
    "escape": "\x1b[31mred",
    "terminal title": "\x1b]0;title\x07",
    "one-byte CSI": "\u009b31m",
    "backspace": "abc\x08\x08",
    "delete": "abc\x7f",
    "form feed": "a\x0cb",
    "cyrillic in a Latin word": "ѕudo rm",
    "cyrillic after an underscore": "user_іd",
    "greek omicron": "gοogle",
    "armenian": "gօogle",
    "cherokee": "Ꭺpple",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN.keys())
def test_hidden_characters_are_found_in_added_text_names_and_commands(text: str) -> None:
    assert of_text(f"one\n{text}\n") == {"hidden-characters"}
    assert "hidden-characters" in of_text(f"one\n{text}\n", before="one\n")
    assert "hidden-characters" in of_write(f"one\n{text}\n".encode("utf-16"))
    assert "hidden-characters" in of_path(f"src/{text}.py")
    assert "hidden-characters" in of_command(f"echo {text}")
    assert Hazard.HIDDEN_CHARACTERS in flags(a_command("make", env=(("A", text),)), None, None)
    assert of_text(f"one\n{text}\ntwo\n", before=f"one\n{text}\n") == set(), "it was there before"


@pytest.mark.parametrize(
    "text",
    [
        "plain text\twith a tab\r\n",
        "naïve café, Straße, Ångström, “quotes” – dashes… 50 €",
        "Привет, мир. Это обычный русский текст",
        "Ελληνικό κείμενο",
        "日本語のテキスト 中文 한국어",
        "葛\U000e0100飾区",
        "هذا نص عربي ٣",
        "می\u200cخواهم",
        "क्\u200dष",
        "שלום",
        "emoji ❤\ufe0f ⚠\ufe0f ☎\ufe0e 👍🏽 🎉",
        "family 👨\u200d👩\u200d👧\u200d👦 🕵🏽\u200d♂\ufe0f 🏳\ufe0f\u200d🌈",
        "keycap 1\ufe0f\u20e3 #\ufe0f\u20e3",
        "Δx = λ·π², 10 µm, 5 kΩ, σ²",
        "non\u00a0breaking space in prose",
        "API-ключ",
        "\ufeffa byte order mark at the very beginning",
    ],
)
def test_honest_text_in_any_script_is_not_flagged(text: str) -> None:
    assert of_text(text) == set()


@pytest.mark.parametrize("odd", ["ls\u00a0-l", "ls\u3000-l", "ls\r", "ls \u2003"])
def test_spaces_and_returns_that_a_shell_reads_otherwise_are_flagged_in_a_command(odd: str) -> None:
    assert "hidden-characters" in of_command(odd)


@pytest.mark.parametrize("odd", ["a\tb", "a\nb", "a\rb", "a\u00a0b"])
def test_white_space_that_deceives_is_flagged_in_a_path(odd: str) -> None:
    assert "hidden-characters" in of_path(odd)


def test_a_long_command_over_several_lines_is_not_flagged_for_its_newlines() -> None:
    assert of_command("make \\\n\ttest\nmake lint") == {"runs-code", "irreversible"}


def test_a_copied_hidden_character_is_an_added_one() -> None:
    assert of_text("a\u202eb\na\u202eb\n", before="a\u202eb\n") == {"hidden-characters"}


@pytest.mark.parametrize(
    ("operation", "flagged"),
    [
        (a_write("run.sh", mode=0o755), True),
        (a_write("run.sh", mode=0o744), True),
        (a_write("run.sh"), False),
        (a_chmod("run.sh", 0o755), True),
        (a_chmod("run.sh", 0o644, before_mode=0o755), False),
        (a_chmod("run.sh", 0o755, before_mode=0o700), True),
        (a_write("run.sh", before=b"old", mode=0o755), False),
        (a_write("run.sh", before=b"old", mode=0o755, before_mode=0o644), True),
        (a_move("run.sh", "go.sh", mode=0o755), False),
        (a_mkdir("folder"), False),
        (a_delete("run.sh", mode=0o755), False),
    ],
)
def test_a_file_that_gains_the_right_to_run_is_executable(operation: StagedOperation, flagged: bool) -> None:
    assert (Hazard.EXECUTABLE in flags(operation, None, None)) is flagged


@pytest.mark.parametrize(
    ("path", "target", "outside"),
    [
        ("current", "src", False),
        ("a/b/link", "../../c", False),
        ("a/b/link", "../../../c", True),
        ("link", "..", True),
        ("link", "a/../../b", True),
        ("link", "/etc/passwd", True),
        ("link", "C:\\Windows", True),
        ("link", "..\\x", True),
        ("a/link", "../a/../b", False),
        ("link", "..hidden", False),
    ],
)
def test_a_link_is_flagged_and_one_that_leaves_the_workspace_twice(path: str, target: str, outside: bool) -> None:
    expected = {Hazard.LINK, Hazard.OUTSIDE} if outside else {Hazard.LINK}
    assert set(flags(a_symlink(path, target), None, None)) - {Hazard.HIDDEN_CHARACTERS} == expected


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/passwd",
        "ls /",
        "rm -rf ~",
        "rm -rf ~/x",
        "cat ~root/.profile",
        "echo x > /tmp/out",
        "cp a '/opt/b'",
        'cp a "/opt/b"',
        "gcc -I/usr/include x.c",
        "FOO=/bar make",
        "cat <(tail /var/log/x)",
        "cd .. && ls",
        "cat ../secret",
        "cat a/../../b",
        "cd ..;ls",
        "echo $HOME",
        "echo ${HOME}/x",
        "curl file:///etc/passwd",
        "type C:\\Windows\\win.ini",
        "cat x</etc/passwd",
        "git -C/srv status",
        "cat /dev/nullx",
        "cat /dev/null/../sda",
    ],
)
def test_a_command_that_names_a_place_outside_is_flagged(command: str) -> None:
    assert of_command(command) == {"runs-code", "irreversible", "outside"}


@pytest.mark.parametrize(
    "command",
    [
        "make test",
        "ls src/app",
        "git diff HEAD~1..main",
        "git log ..origin/main",
        "make >/dev/null 2>&1",
        "curl -sS https://example.org/a/b/c",
        "sed s/a/b/ x.txt",
        "npm run build -- --out=dist/my-x/y",
        "python -m pytest tests/unit",
        "echo a...b",
    ],
)
def test_a_command_that_stays_inside_is_not_flagged_as_outside(command: str) -> None:
    assert of_command(command) == {"runs-code", "irreversible"}


@pytest.mark.parametrize(
    ("cwd", "outside"), [(".", False), ("src/app", False), ("..", True), ("/tmp", True), ("~", True), ("a/../..", True)]
)
def test_a_command_that_starts_outside_is_flagged(cwd: str, outside: bool) -> None:
    assert ("outside" in of_command("ls", cwd=cwd)) is outside


def test_going_up_is_counted_from_where_the_command_starts() -> None:
    assert "outside" not in of_command("cat ../x", cwd="src")
    assert "outside" in of_command("cat ../../x", cwd="src")


def test_a_command_always_runs_code_and_is_irreversible_unless_captured() -> None:
    assert flags(a_command(), None, None) == (Hazard.RUNS_CODE, Hazard.IRREVERSIBLE)
    assert flags(a_command(), None, None, commands_captured=True) == (Hazard.RUNS_CODE,)


@pytest.mark.parametrize(
    ("content", "flagged"),
    [
        (b"a\0b", True),
        (b"\x89PNG\r\n\x1a\n\0\0", True),
        ("caf\u00e9".encode("latin-1"), True),
        ("text".encode("utf-16"), False),
        ("text".encode("utf-16-be"), True),
        (b"\xfe\xff" + "text".encode("utf-16-be"), False),
        ("text".encode("utf-32"), True),
        (b"\xff\xfea", True),
        ("café 日本".encode(), False),
        (b"", False),
    ],
)
def test_what_is_not_text_is_binary_before_or_after(content: bytes, flagged: bool) -> None:
    assert ("binary" in of_write(content)) is flagged
    assert (Hazard.BINARY in flags(a_write(content=b"t", before=content), content, b"t")) is flagged
    assert (Hazard.BINARY in flags(a_delete(content=content), content, None)) is flagged


def test_moving_or_changing_the_mode_says_nothing_about_bytes_that_stay() -> None:
    blob = b"\0" * (2 << 20)
    assert flags(a_move(content=blob), blob, blob) == ()
    assert flags(a_chmod(content=blob, mode=0o600), blob, blob) == ()


@pytest.mark.parametrize(
    ("before", "after", "flagged"),
    [
        (None, b"x" * (1 << 20), False),
        (None, b"x" * ((1 << 20) + 1), True),
        (None, b"line\n" * 4999, False),
        (None, b"line\n" * 5001, True),
        (b"a\n" * 2600, b"b\n" * 2600, True),
        (b"a\n" * 2400, b"b\n" * 2400, False),
        (b"a\n" * 9000, b"a\n" * 9000 + b"b\n", False),
        (b"a\n" * 9000, b"", True),
    ],
)
def test_large_is_more_than_a_mebibyte_or_five_thousand_changed_lines(
    before: bytes | None, after: bytes, flagged: bool
) -> None:
    assert ("large" in of_write(after, before=before)) is flagged


def test_a_large_file_is_flagged_by_its_recorded_size_when_its_bytes_are_not_at_hand() -> None:
    operation = a_write(content=b"x" * ((1 << 20) + 1))
    assert flags(operation, None, None) == (Hazard.LARGE,)


def test_words_about_an_operation_change_no_flag() -> None:
    quiet = a_write(description="x", rationale="y", risk="z")
    loud = a_write(
        description="runs code \u202e /etc/passwd AGENTS.md",
        rationale="-----BEGIN PRIVATE KEY-----",
        risk="\x1b[31m",
        tool="bash",
    )
    assert flags(quiet, None, b"ok\n") == flags(loud, None, b"ok\n") == ()


def test_flags_come_in_one_fixed_order_and_once_each() -> None:
    operation = a_write(".env", b"\0\x1b" * (1 << 20), mode=0o755)
    assert flags(operation, None, b"\0\x1b" * (1 << 20)) == (
        Hazard.SECRET,
        Hazard.EXECUTABLE,
        Hazard.BINARY,
        Hazard.LARGE,
    )
    assert [hazard.value for hazard in Hazard] == [
        "runs-code",
        "instructs-agents",
        "secret",
        "outside",
        "irreversible",
        "hidden-characters",
        "executable",
        "link",
        "binary",
        "large",
    ]


@pytest.mark.parametrize("hazard", Hazard)
def test_every_hazard_is_explained_in_one_sentence(hazard: Hazard) -> None:
    sentence = explain(hazard)
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert len(sentence) < 140


@given(st.binary(max_size=200), st.one_of(st.none(), st.binary(max_size=200)))
def test_any_bytes_at_all_give_an_answer(after: bytes, before: bytes | None) -> None:
    found = flags(a_write(content=after, before=before), before, after)
    assert list(found) == [hazard for hazard in Hazard if hazard in found]


@given(st.text(max_size=80), st.text(min_size=1, max_size=80))
def test_any_text_at_all_gives_an_answer_as_path_target_or_command(path: str, command: str) -> None:
    flags(a_write(path, b""), None, b"")
    flags(a_symlink(path, command), None, None)
    assert Hazard.RUNS_CODE in flags(a_command(command, cwd=path), None, None)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.sampled_from("\t\n\r"), max_size=300))
def test_plain_ascii_hides_nothing(text: str) -> None:
    assert "hidden-characters" not in of_text(text.replace("\r", "\r\n"))


def test_a_return_within_a_line_hides_what_is_before_it() -> None:
    assert "hidden-characters" in of_text("evil()\rgood()\n")
    assert "hidden-characters" not in of_text("one\r\ntwo\r\r\nthree\r")


@pytest.mark.exhaustive
def test_every_character_of_a_hiding_category_is_flagged_between_two_letters() -> None:
    unflagged = [
        code
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Co", "Zl", "Zp"}
        and chr(code) not in "\t\n\r"
        and not of_text(f"a{chr(code)}b") & {"hidden-characters", "binary"}
    ]
    assert {unicodedata.name(chr(code)).split()[0] for code in unflagged} <= {"ARABIC", "SYRIAC", "KAITHI"}
    assert len(unflagged) <= 13


REASONS = tomllib.loads(Path(__file__).with_name("path_reasons.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("words", REASONS["why"])
def test_a_file_that_a_tool_acts_on_is_flagged_with_what_the_tool_does(words: str) -> None:
    for path in REASONS["why"][words]:
        operation = a_write(path, b"anything\n")
        assert Hazard.RUNS_CODE in flags(operation, None, b"anything\n"), path
        assert words in reasons(operation, None, b"anything\n")[Hazard.RUNS_CODE].why, path


def test_the_table_of_reasons_names_hundreds_of_files() -> None:
    assert len({path for paths in REASONS["why"].values() for path in paths}) >= 400


@pytest.mark.parametrize("path", REASONS["ordinary"]["paths"])
def test_a_file_that_no_tool_acts_on_carries_no_flag(path: str) -> None:
    assert of_path(path) == set()


def test_every_reason_is_one_sentence_of_a_kind_that_has_a_title() -> None:
    data = tomllib.loads(resource("path_rules.toml").read_text("utf-8"))
    for rule in (rule for flag in ("runs-code", "general", "instructs-agents", "secret") for rule in data[flag]):
        assert rule["why"].endswith("."), rule["why"]
        assert len(rule["why"]) <= 100, rule["why"]
        assert rule.get("kind", "tool") in data["kinds"], rule["why"]


def test_what_a_build_leaves_is_flagged_but_may_be_folded_with_its_folder() -> None:
    assert "runs-code" in of_path("dist/x.whl")
    assert not acts_by_its_name("dist/x.whl")
    assert not acts_by_its_name("build/.unheardofrc"), "only a guess by its kind"
    assert acts_by_its_name("build/Makefile")
    assert acts_by_its_name("build/AGENTS.md")


def test_a_move_onto_a_name_that_a_tool_acts_on_says_what_the_tool_does() -> None:
    operation = a_move("notes.txt", "conftest.py", b"1")
    assert reasons(operation, b"1", b"1")[Hazard.RUNS_CODE].why == "pytest imports this before the tests."


TSCONFIG = b'{\n  // a comment\n  "compilerOptions": {"strict": true, "target": "es2020"},\n}\n'


@pytest.mark.parametrize(
    ("path", "before", "after", "flagged"),
    [
        ("tsconfig.json", TSCONFIG, TSCONFIG.replace(b"es2020", b"es2022"), False),
        ("tsconfig.json", TSCONFIG, TSCONFIG.replace(b"a comment", b"another"), False),
        ("tsconfig.json", TSCONFIG, TSCONFIG.replace(b'"target"', b'"plugins": [{"name": "evil"}], "target"'), True),
        ("tsconfig.json", TSCONFIG, TSCONFIG.replace(b'"target"', b'"paths": {"a": ["./evil"]}, "target"'), True),
        ("tsconfig.json", b'{"extends": "a"}', b'{"extends": "b"}', True),
        ("tsconfig.json", b"{}", b'{"compilerOptions": {"plugins": ["x"]}, "compilerOptions": {"strict": true}}', True),
        (".prettierrc", b"semi: false\n", b"semi: true\ntabWidth: 4\n", False),
        (".prettierrc", b"semi: false\n", b"semi: false\nplugins: [./evil.js]\n", True),
        (".prettierrc", b"semi: false\n", b"'@company/config'\n", True),
        (".prettierrc.json", b"{}", b'{"overrides": [{"files": "*", "options": {"plugins": ["./x"]}}]}', True),
        (".eslintrc.json", b"{}", b'{"rules": {"semi": "error"}}', False),
        (".eslintrc.json", b"{}", b'{"parser": "./evil.js"}', True),
        (".eslintrc.json", b"{}", b'{"overrides": [{"rules": {}, "plugins": ["evil"]}]}', True),
        (".rubocop.yml", b"AllCops:\n  NewCops: enable\n", b"Layout/LineLength:\n  Max: 99\n", False),
        (".rubocop.yml", b"", b"require: ./evil\n", True),
        (".rubocop.yml", b"", b"AllCops:\n  X: <%= `id` %>\n", True),
        (".rubocop.yml", b"", b"<<: {require: ./evil}\n", True),
        (".rubocop.yml", b"", b"AllCops: &a\n  X: 1\nB: *a\n", True),
        ("setup.cfg", b"[metadata]\nversion = 1.0\n", b"[metadata]\nversion = 1.1\nname = x\n", False),
        ("setup.cfg", b"[metadata]\nversion = 1.0\n", b"[metadata]\nversion = attr: evil.version\n", True),
        ("setup.cfg", b"", b"[options.entry_points]\nx = y\n", True),
        ("setup.cfg", b"[flake8]\nmax-line-length = 80\n", b"[flake8]\nmax-line-length = 99\n", False),
        ("setup.cfg", b"", b"[flake8:local-plugins]\nextension = evil\n", True),
        ("mypy.ini", b"[mypy]\nstrict = true\n", b"[mypy]\nstrict = false\n[mypy-x.*]\nignore_errors = true\n", False),
        ("mypy.ini", b"[mypy]\n", b"[mypy]\nplugins = evil\n", True),
        ("mypy.ini", b"[mypy]\n", b"[mypy]\nPlugins = evil\n", True),
        (".coveragerc", b"", b"[report]\nshow_missing = true\n", False),
        (".coveragerc", b"", b"[run]\nplugins = evil\n", True),
        ("pyproject.toml", b"", b"[tool.mypy]\nstrict = true\n", False),
        ("pyproject.toml", b"", b'[tool.mypy]\nplugins = ["evil"]\n', True),
        ("pyproject.toml", b"", b'[tool.pytest.ini_options]\nfilterwarnings = ["ignore::evil.W"]\n', True),
        ("composer.json", b'{"version": "1"}', b'{"version": "2", "description": "x"}', False),
        ("composer.json", b"{}", b'{"scripts": {"post-install-cmd": "evil"}}', True),
        ("docs/conf.py", b"release = '1.0'\n", b"# new\nrelease = '1.1'\n", False),
        ("docs/conf.py", b"release = '1.0'\n", b"release = __import__('evil')\n", True),
        ("docs/conf.py", b"release = '1.0'\n", b"release = '1.0'\nextensions = ['evil']\n", True),
        ("docs/conf.py", b"x = 1\n", b"# coding: rot13\nx = 1\n", True),
        ("setup.py", b"setup(name='x', version='1')\n", b"setup(name='x', version='2')\n", False),
        ("setup.py", b"setup(version='1')\n", b"setup(version='1', cmdclass={})\n", True),
        ("setup.py", b"setup(version='1')\n", b"setup(version=evil())\n", True),
        ("conftest.py", b"x = 1\n", b"x = 1  # a comment\n", False),
        ("conftest.py", b"x = 1\n", b"x = 2\n", True),
        ("Chart.yaml", b"version: 1.0.0\n", b"version: 1.0.1\nappVersion: '2'\n", False),
        ("Chart.yaml", b"version: 1\n", b"version: 1\ndependencies:\n  - name: evil\n", True),
        ("mkdocs.yml", b"nav: [a.md]\n", b"nav: [a.md, b.md]\nsite_name: x\n", False),
        ("mkdocs.yml", b"", b"hooks: [evil.py]\n", True),
        ("mkdocs.yml", b"", b"\xff\xfe", True),
    ],
)
def test_a_change_of_settings_is_flagged_only_if_it_can_load_code(
    path: str, before: bytes, after: bytes, flagged: bool
) -> None:
    operation = a_write(path, after, before=before)
    assert (Hazard.RUNS_CODE in flags(operation, before, after)) is flagged


@pytest.mark.parametrize("table", TABLES)
def test_the_rules_that_are_read_are_those_that_are_written(table: str) -> None:
    written = resource(f"{table}.json").read_text("utf-8")
    assert written == as_json(table), "write it anew: python -m tests.support.rule_tables"
