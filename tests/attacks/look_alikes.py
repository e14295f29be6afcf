"""Names, commands, targets and identifiers that look like others."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tandem_desktop.cli.console import render
from tandem_desktop.cli.formatting import in_full
from tandem_desktop.diff.text import Document, visible_name
from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.paths import check_path
from tandem_desktop.review.operation_view import view_operation
from tandem_desktop.review.twins import twins
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.storage.objects import ObjectStore
from tests.attacks.attack import Attack, Outcome
from tests.support.builders import a_command, a_move, a_symlink, a_write

LIKE_A = {
    "Cyrillic": "а",
    "Greek alpha": "α",
    "full-width": "ａ",
    "mathematical bold": "𝐚",
    "mathematical script": "𝓪",
    "mathematical fraktur": "𝔞",
    "double-struck": "𝕒",
    "sans-serif": "𝖺",
    "monospace": "𝚊",
    "IPA": "ɑ",
    "APL": "⍺",
}
LIKE_O = {
    "Cyrillic o": "о",
    "Greek omicron": "ο",
    "Armenian o": "օ",
    "Hebrew samekh": "ס",
    "Arabic heh": "ه",
    "Devanagari zero": "०",
    "Bengali zero": "০",
    "Tamil zero": "௦",
    "Malayalam o": "ഠ",
    "Myanmar wa": "ဝ",
    "Georgian": "ჿ",
    "Deseret": "𐐬",
    "Coptic": "ⲟ",
    "Lisu": "ꓳ",
    "full-width o": "ｏ",
    "script o": "ℴ",
    "Tifinagh": "ⵔ",
    "ideographic zero": "〇",
}
OTHERS = {
    "dotted Cyrillic i": ("conf", "і", "g.py"),
    "Cyrillic je": ("", "ј", "son.py"),
    "Cyrillic dze": ("", "ѕ", "etup.py"),
    "Cyrillic er": ("", "р", "ackage.json"),
    "Cherokee": ("", "Ꮇ", "akefile"),
    "Roman numeral": ("uti", "ⅼ", "s.py"),
    "script l": ("uti", "ℓ", "s.py"),
    "Kelvin": ("", "\u212a", "eys.md"),
    "ligature": ("", "ﬁ", "le.py"),
    "full-width digit": ("v", "１", ".py"),
    "mathematical digit": ("v", "𝟏", ".py"),
    "Fullwidth dollar beside letters": ("a", "ｂ", "c.sh"),
}
SEPARATORS = {
    "one dot leader": "․",
    "full-width dot": "．",
    "small dot": "﹒",
    "ideographic dot": "。",
    "half-width dot": "｡",
    "Lisu dot": "ꓸ",
    "fraction slash": "⁄",
    "division slash": "∕",
    "big solidus": "⧸",
    "full-width slash": "／",
    "set minus": "∖",
    "full-width backslash": "＼",
    "ratio": "∶",
    "full-width colon": "：",
    "modifier colon": "꞉",
}
SIGNS = {
    "hyphen": "pre\u2010commit.py",
    "non-breaking hyphen": "docker\u2011compose.md",
    "minus": "a\u2212b.py",
    "full-width hyphen": "a\uff0db.py",
    "small hyphen": "a\ufe63b.py",
    "modifier minus": "a\u02d7b.py",
    "full-width low line": "my\uff3fmod.py",
    "dashed low line": "a\ufe4db.py",
    "tilde operator": "a\u223cb.py",
    "full-width tilde": "x\uff5e",
    "full-width at": "\uff20types/index.js",
    "full-width dollar": "\uff04x.py",
    "small dollar": "\ufe69x.py",
    "full-width plus": "c\uff0b\uff0b.py",
    "full-width bracket": "a\uff08b.py",
    "full-width equals sign": "a\uff1db",
    "click letter as a bar": "a\u01c0b.py",
    "long s": "\u017fetup.py",
    "ezh as a digit": "v\u01b7.py",
    "tone letter": "\u01bdetup.py",
    "digraph": "co\u01ccunction.py",
    "capital iota": "uti\u0196s.py",
    "turned delta": "confi\u018d.py",
    "accent after its letter": "cafe\u0301.txt",
    "accent of a folder after its letter": "re\u0301sume\u0301/x.md",
    "Hangul in parts": "\u1100\u1161.txt",
    "small capital m": "\u1d0dain.py",
    "small capital n": "\u0274pm.js",
    "small capital d": "\u1d05eploy.sh",
    "dotless i of a tool": ".g\u0131thub/workflows/x.yml",
    "long s of a tool": ".\u017fsh/config",
    "raised letter": "\u02e2etup.py",
    "lowered letter": "setu\u209a.py",
    "raised letter at the end": "conftes\u1d57.py",
    "ordinal sign": "t\u00bax.ini",
    "circled letter": "\u24e2etup.py",
    "squared letter": "\U0001f142etup.py",
    "middle dot before a name": "\u00b7env",
    "middle dot for a dot": "report\u00b7txt",
    "sinological dot": "\ua78fgitattributes",
    "dot above": "report\u02d9txt",
    "bullet operator": "\u2219npmrc",
    "dot operator": "package\u22c5json",
    "bullet": "\u2022bashrc",
    "hyphenation point": "\u2027env",
    "slash over a letter": "a\u0338b.txt",
    "long stroke over a letter": "etc\u0336.txt",
}
"""Names that look wholly like ASCII but for one sign or rare letter."""
UNSEEN = {
    "null notehead": "\U0001d159",
    "Khitan filler": "\U00016fe4",
    "object replacement": "\ufffc",
}
OTHERWISE_ON_SOME_DISKS = {
    "dot at the end": "Makefile.",
    "blank at the end": "Makefile ",
    "dots and blanks at the end": "Makefile. .",
    "blank at the end of a folder": ".github /workflows/ci.yml",
    "dot at the end of a folder": "src./app.py",
    "blank at the beginning": "src/ app.py",
    "backslash": "src\\app.py",
    "backslashes up": "a\\..\\..\\b",
    "stream": "notes.txt::$DATA",
    "named stream": "notes.txt:evil",
    "drive inside": "src/C:app.py",
    "two names with a colon": "Makefile:x",
}


def _flagged(
    operation: StagedOperation, folder: Path, shown: str, *, after: bytes = b"", before: bytes = b""
) -> Outcome:
    (folder / "objects").mkdir()
    objects = ObjectStore(folder / "objects")
    for content in (before, after):
        objects.put(content)
    names = twins([operation], lambda path: ())
    view = view_operation(operation, objects, commands_captured=True, twin=names.get(operation.id))
    documents = (Document.of(before), Document.of(after))
    printed = "\n".join(render(line) for line in in_full(view, documents))
    is_flagged = Hazard.HIDDEN_CHARACTERS in view.flags
    return Outcome.FLAGGED if is_flagged and shown in printed and view.notes else Outcome.BROKEN


def _token(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"


def _path(path: str, odd: str) -> Callable[[Path], Outcome]:
    return lambda folder: _flagged(a_write(path, b""), folder, _token(odd))


def _paths() -> Iterator[Attack]:
    for name, letter in LIKE_A.items():
        yield Attack(f"path-{name}", f"{name} in a file's name", _path(f"src/m{letter}in.py", letter))
        yield Attack(f"folder-{name}", f"{name} in a folder's name", _path(f"pack{letter}ge/x.py", letter))
    for name, letter in LIKE_O.items():
        yield Attack(f"path-{name}", f"{name} in a file's name", _path(f"src/t{letter}ols.py", letter))
    for name, (start, letter, end) in OTHERS.items():
        yield Attack(f"path-{name}", f"{name} in a file's name", _path(f"{start}{letter}{end}", letter))
    for name, sign in SEPARATORS.items():
        yield Attack(f"path-{name}", f"{name} in a path", _path(f"src{sign}app", sign))
        yield Attack(f"dotfile-{name}", f"{name} before a name", _path(f"{sign}env", sign))
    for name, whole in {
        "Cyrillic": "сору.py",
        "Greek": "ΑΒ.md",
        "full-width": "ｍａｉｎ.py",
        "script": "𝓶𝓪𝓲𝓷.py",
    }.items():
        yield Attack(f"path-whole-{name}", f"a name wholly in {name} that looks Latin", _path(whole, whole[0]))


def _signs() -> Iterator[Attack]:
    for name, path in SIGNS.items():
        odd = next(each for each in path if not each.isascii())
        yield Attack(f"path-{name}", f"{name} in a file's name", _path(path, odd))
    for name, character in UNSEEN.items():
        yield Attack(f"unseen-path-{name}", f"{name} in a name", lambda _, c=character: _refused(f"app{c}.py"))
        yield Attack(
            f"unseen-command-{name}", f"{name} in a command", lambda f, c=character: _command(f, f"ls {c};x", c)
        )
        yield Attack(f"unseen-line-{name}", f"{name} in an added line", lambda f, c=character: _unseen(f, c))


def _refused(character: str) -> Outcome:
    try:
        check_path(f"app{character}.py")
    except OutsideWorkspaceError:
        return Outcome.HELD
    return Outcome.BROKEN


def _unseen(folder: Path, character: str) -> Outcome:
    (folder / "objects").mkdir()
    after = f"x{character} = 1\n".encode()
    objects = ObjectStore(folder / "objects")
    objects.put(after)
    view = view_operation(a_write(content=after), objects, commands_captured=True)
    document = Document.of(after)
    is_drawn = _token(character) in document.display(document.lines[0])
    return Outcome.FLAGGED if is_drawn and Hazard.HIDDEN_CHARACTERS in view.flags else Outcome.BROKEN


def _disks() -> Iterator[Attack]:
    for name, path in OTHERWISE_ON_SOME_DISKS.items():
        shown = visible_name(path)
        yield Attack(f"disk-{name}", f"a path with {name}", lambda folder, p=path, s=shown: _disk(folder, p, s))


def _disk(folder: Path, path: str, shown: str) -> Outcome:
    return Outcome.BROKEN if shown == path else _flagged(a_write(path, b""), folder, shown)


def _targets() -> Iterator[Attack]:
    odd = {**LIKE_A, **SEPARATORS, "override": "\u202e", "zero width": "\u200b", "escape": "\x1b", "filler": "\u3164"}
    for name, letter in odd.items():
        run = lambda folder, c=letter: _target(folder, c)  # noqa: E731 - one line of a family
        yield Attack(f"target-{name}", f"{name} in the target of a link", run)


def _target(folder: Path, letter: str) -> Outcome:
    (folder / "objects").mkdir()
    operation = a_symlink("link", f"src/d{letter}ta", description="link it")
    view = view_operation(operation, ObjectStore(folder / "objects"), commands_captured=True)
    printed = "\n".join(render(line) for line in in_full(view, None))
    is_raw = letter in printed
    return Outcome.BROKEN if is_raw or Hazard.HIDDEN_CHARACTERS not in view.flags else Outcome.FLAGGED


COMMANDS = {
    "Cyrillic program": ("ѕudo reboot", "ѕ"),
    "Cyrillic single-letter name": ("а=1; echo $a", "а"),
    "dotless i in a program": ("gıt push", "ı"),
    "long s in a program": ("ſudo reboot", "ſ"),
    "program after a pipe": ("cat x | ѕh", "ѕ"),
    "program after sudo": ("sudo ｒｍ -rf x", "ｒ"),
    "en dash option": ("rm \u2013rf x", "\u2013"),
    "minus option": ("rm \u2212rf x", "\u2212"),
    "hyphen option": ("git push \u2010\u2010force", "\u2010"),
    "full-width semicolon": ("echo a； rm x", "；"),
    "Greek question mark": ("echo a\u037e rm x", "\u037e"),
    "full-width pipe": ("cat x ｜ sh", "｜"),
    "single quote look-alike": ("echo ‘a’", "‘"),
    "prime quote": ("echo ′a′", "′"),
    "host in Cyrillic": ("curl https://ріре.com/x", "р"),
    "host with one letter": ("curl https://gіthub.com/x", "і"),
    "host with a slash look-alike": ("curl https://github.com\u2215x.evil.example", "\u2215"),
    "host with a dot look-alike": ("curl https://github\uff0ecom/x", "\uff0e"),
    "path in an argument": ("cat src/mаin.py", "а"),
    "mathematical word": ("𝓮𝓬𝓱𝓸 hi", "𝓮"),
    "no-break space": ("ls\u00a0-l", "\u00a0"),
    "ideographic space": ("ls\u3000-l", "\u3000"),
    "hyphen in a host": ("curl https://my\u2010bank.example/x", "\u2010"),
    "full-width at": ("ssh root\uff20evil.example", "\uff20"),
    "full-width dollar": ("echo \uff04HOME", "\uff04"),
    "full-width ampersands": ("true \uff06\uff06 rm x", "\uff06"),
    "full-width quotes": ("echo \uff02a\uff02", "\uff02"),
    "click letter as an exclamation mark": ("echo a\u01c3 b", "\u01c3"),
    "asterisk operator": ("rm \u2217.py", "\u2217"),
    "Cyrillic in an option": ("chmod -R \u0430+x y", "\u0430"),
    "program in a subshell": ("$(\u0441at x)", "\u0441"),
    "program in quotes": ("bash -c '\u0441url x|sh'", "\u0441"),
    "end of a here document": ("cat <<\u0415OF\nx\nEOF", "\u0415"),
    "Hebrew words in another order": ("cp \u05d0 \u05d1", "\u05d0"),
    "quoted Hebrew words in another order": ("cp '\u05d0' '\u05d1'", "\u05d0"),
    "digits after Arabic": ("kill \u0634 1", "\u0634"),
}


def _commands() -> Iterator[Attack]:
    for name, (command, odd) in COMMANDS.items():
        run = lambda folder, c=command, o=odd: _command(folder, c, o)  # noqa: E731 - one line of a family
        yield Attack(f"command-{name}", f"a command with {name}", run)


def _command(folder: Path, command: str, odd: str) -> Outcome:
    (folder / "objects").mkdir()
    view = view_operation(
        a_command(command, description="do it"), ObjectStore(folder / "objects"), commands_captured=True
    )
    printed = "\n".join(render(line) for line in in_full(view, None))
    is_told = Hazard.HIDDEN_CHARACTERS in view.flags and _token(odd) in printed and odd not in printed
    return Outcome.FLAGGED if is_told else Outcome.BROKEN


SOURCE = {
    "mixed identifier": ("is_аdmin = True", "а"),
    "mixed in camel case": ("def checkАccess(user):", "А"),
    "whole word called": ("сору(source)", "с"),
    "whole word assigned": ("сор = 1", "с"),
    "attribute": ("self.росе", "р"),
    "full-width call": ("ｅｖａｌ(x)", "ｅ"),
    "mathematical call": ("𝒆𝒗𝒂𝒍 (x)", "𝒆"),
    "Armenian": ("cօnfig = 1", "օ"),
    "Cherokee": ("ᎪPI_KEY = 1", "Ꭺ"),
    "Greek in a word": ("pαssword = 1", "α"),
    "Coptic": ("lⲟgin()", "ⲟ"),
    "Roman numeral": ("nuⅼl = 1", "ⅼ"),
    "import": ("import оѕ", "о"),
    "decorator": ("@арр", "а"),
    "host": ("url = 'https://руріорg.example/x'", "р"),
    "host wholly in Cyrillic": ("url = 'https://сосо.com/x'", "с"),
    "slash in an address": ("u = 'https://github.com\u2044evil.example'", "\u2044"),
    "dot in a file's name": ("open('config\uff0ejson')", "\uff0e"),
    "division slash in a path": ("open('etc\u2215passwd')", "\u2215"),
    "ligature": ("ﬁle = 1", "ﬁ"),
    "hyphen in an address": ("u='https://my\u2010bank.example/x'", "\u2010"),
    "hyphen in a package": ('"left\u2010pad": "1"', "\u2010"),
    "one letter": ("\u0430 = 1", "\u0430"),
    "one letter as a parameter": ("lambda \u0445: \u0445", "\u0445"),
    "one letter as a keyword": ("f(\u0430=1)", "\u0430"),
    "Greek word that ends in Latin": ("\u03bf\u03c1\u03b5n(x)", "\u03bf"),
    "type argument": ("foo<\u0421\u043e\u0440\u0443>(x)", "\u0421"),
    "not equal that assigns": ("if (x \u01c3= y)", "\u01c3"),
    "name that ends in an exclamation mark": ("if (environment\u01c3=y)", "\u01c3"),
    "letter as a digit": ("port = 1\u0417", "\u0417"),
    "brackets of another script": ("foo\u1438T\u1433(x)", "\u1438"),
    "long s in a word": ("pas\u017fword = 1", "\u017f"),
    "digraph in a word": ("i\u01ccect()", "\u01cc"),
    "iota in a word": ("nu\u0196l = 1", "\u0196"),
    "raised letter that Python reads as a plain one": ("\u1d49val(x)", "\u1d49"),
    "raised letter in the middle": ("getat\u1d57r(x, y)", "\u1d57"),
    "lowered letter": ("__im\u209aort__('os')", "\u209a"),
    "ordinal sign in a module's name": ("import \u00bas", "\u00ba"),
    "ordinal sign in an attribute": ("x.\u00bas.system('id')", "\u00ba"),
    "raised letter after from": ("from \u1d52s import path", "\u1d52"),
    "raised letter at the end of a short name": ("o\u02e2.system('id')", "\u02e2"),
    "lowered letter at the end of a short name": ("import o\u209b", "\u209b"),
    "raised letter that is assigned": ("is_\u1d43dmin = True", "\u1d43"),
}


def _identifiers() -> Iterator[Attack]:
    for name, (line, odd) in SOURCE.items():
        run = lambda folder, text=line, o=odd: _added(folder, text, o)  # noqa: E731 - one line of a family
        yield Attack(f"source-{name}", f"an added line with {name}", run)
    for name, (old, new) in TWINS_IN_A_FILE.items():
        run = lambda folder, one=old, other=new: _twin_word(folder, one, other)  # noqa: E731 - one line of a family
        yield Attack(f"twin-word-{name}", f"an identifier that looks like another one: {name}", run)


TWINS_IN_A_FILE = {
    "dotless i": ("admin", "admın"),
    "whole Cyrillic": ("сосо".translate(str.maketrans("со", "co")), "сосо"),
    "decomposed accent": ("caf\u00e9", "cafe\u0301"),
    "ligature letters": ("coeur", "cœur"),
    "two Cyrillic words": ("\u0434\u043e\u043c", "\u0434\u03bf\u043c"),
}


def _twin_word(folder: Path, old: str, new: str) -> Outcome:
    (folder / "objects").mkdir()
    before = f"{old} = 1\n".encode()
    after = before + f"# about {new} here\n".encode()
    objects = ObjectStore(folder / "objects")
    objects.put(before)
    objects.put(after)
    view = view_operation(a_write(content=after, before=before), objects, commands_captured=True)
    return Outcome.FLAGGED if Hazard.HIDDEN_CHARACTERS in view.flags and view.notes else Outcome.BROKEN


def _added(folder: Path, line: str, odd: str) -> Outcome:
    before, after = b"x = 1\n", f"x = 1\n{line}\n".encode()
    return _flagged(a_write(content=after, before=before), folder, _token(odd), after=after, before=before)


TWINS = {
    "digit one for l": ("utils.py", "uti1s.py"),
    "capital I for l": ("helper.py", "heIper.py"),
    "zero for O": ("TODO.md", "TOD0.md"),
    "rn for m": ("common.py", "cornrnon.py"),
    "dotless i": ("main.py", "maın.py"),
    "ligature letters": ("coeur.md", "cœur.md"),
    "decomposed accent": ("caf\u00e9.md", "cafe\u0301.md"),
    "upper case": ("readme.md", "README.md"),
    "sharp s": ("strasse.md", "straße.md"),
    "dot at the end": ("Makefile", "Makefile."),
    "apostrophe": ("don't.md", "don\u2019t.md"),
    "dash": ("a-long-name.md", "a\u2013long\u2013name.md"),
    "Cyrillic twins": ("дом.md", "д\u03bfм.md"),
    "Chinese and Katakana": ("力量.md", "カ量.md"),
}


def _siblings() -> Iterator[Attack]:
    for name, (there, made) in TWINS.items():
        for kind, operation in (("new", a_write(f"src/{made}", b"")), ("moved", a_move("a.md", f"src/{made}"))):
            run = lambda folder, o=operation, t=there: _sibling(o, t)  # noqa: E731 - one line of a family
            yield Attack(f"twin-{kind}-{name}", f"a {kind} name beside one that it looks like: {name}", run)
    folder = a_write("uti1s/x.py", b"")
    in_plan = (a_write("src/utils.py", b"", id="s1"), a_write("src/uti1s.py", b"", id="s2"))
    yield Attack("twin-folder", "a new folder beside one that it looks like", lambda _: _sibling(folder, "utils"))
    yield Attack(
        "twin-in-plan",
        "two new names of one plan",
        lambda _: Outcome.FLAGGED if twins(in_plan, lambda path: ()) else Outcome.BROKEN,
    )


def _sibling(operation: StagedOperation, there: str) -> Outcome:
    return Outcome.FLAGGED if twins([operation], lambda path: (there, "other.txt")) else Outcome.BROKEN


ATTACKS = [*_paths(), *_signs(), *_disks(), *_targets(), *_commands(), *_identifiers(), *_siblings()]
