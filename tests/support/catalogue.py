"""The sentences of the window for translators, read from its sources: python -m tests.support.catalogue.

Writes `resources/translations/tandem.ts` anew, and brings every language beside it up to date: what was translated
stays, what is new waits to be translated, what is no longer said is dropped. Qt's own `pyside6-lupdate` cannot read
these sources: it knows neither our one context nor the tables, and takes the second form of a plural for a comment.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from tandem_desktop.domain.operations import OperationKind
from tandem_desktop.domain.perspectives import TITLES
from tandem_desktop.settings import GROUPS, title_of
from tandem_desktop.staging.hazards import Hazard, bundled_rules, explain
from tandem_desktop.staging.path_rules import bundled_path_rules
from tandem_desktop.ui.i18n import CONTEXT
from tandem_desktop.ui.settings import sheet

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("tandem_desktop/ui", "tandem_desktop/app")
FOLDER = ROOT / "resources" / "translations"
TEMPLATE = FOLDER / "tandem.ts"
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'


class Sentence(NamedTuple):
    """One thing the window says; with `one` beside it where it counts."""

    text: str
    one: str = ""


Said = dict[Sentence, set[str]]
"""Every sentence, and the files it is said in."""


def sentences() -> Said:
    """Everything marked in the sources, and the texts of settings, operation kinds, perspectives and hazards."""
    found: Said = {}
    for file in sources():
        for sentence in marked(ast.parse(file.read_text("utf-8"))):
            found.setdefault(sentence, set()).add(file.relative_to(ROOT).as_posix())
    for text in _settings_sentences():
        found.setdefault(Sentence(text), set()).add("tandem_desktop/settings")
    for spec in (kind.spec for kind in OperationKind):
        for text in (spec.label, spec.participle):
            found.setdefault(Sentence(text), set()).add("tandem_desktop/domain/operations.py")
    for text in TITLES.values():
        found.setdefault(Sentence(text), set()).add("tandem_desktop/domain/perspectives.py")
    for hazard in Hazard:
        found.setdefault(Sentence(explain(hazard)), set()).add("resources/hazards.toml")
    rules = bundled_path_rules()
    for text in (*rules.whys, *rules.kinds.values(), bundled_rules().explanations["command"]):
        found.setdefault(Sentence(text), set()).add("resources/path_rules.toml")
    found.pop(Sentence(""), None)
    return found


def _settings_sentences() -> Iterator[str]:
    for group, names in GROUPS:
        yield group
        for name in names:
            choices = map(sheet._choice, sheet.choices(name))
            yield from (title_of(name), sheet._explanation(name), *choices)


def sources() -> Iterator[Path]:
    for folder in SOURCES:
        yield from sorted((ROOT / folder).rglob("*.py"))


def marked(tree: ast.AST) -> Iterator[Sentence]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="tr" | "later"), args=[ast.Constant(value=str(text))]):
                yield Sentence(text)
            case ast.Call(
                func=ast.Name(id="tr_n"), args=[ast.Constant(value=str(one)), ast.Constant(value=str(many)), _]
            ):
                yield Sentence(many, one)
            case ast.Call(func=ast.Name(id="tr_table"), args=[ast.Dict(values=values)]):
                yield from (Sentence(each.value) for each in values if isinstance(each, ast.Constant))


def catalogue(said: Said, language: str = "", known: ET.Element | None = None) -> str:
    """The file of a language, with what is known of it already; without a language the template."""
    top = ET.Element("TS", version="2.1", sourcelanguage="en", **({"language": language} if language else {}))
    context = ET.SubElement(top, "context")
    ET.SubElement(context, "name").text = CONTEXT
    translated = {
        _key(message): message.find("translation") for message in (top if known is None else known).iter("message")
    }
    for sentence, files in sorted(said.items()):
        context.append(_message(sentence, files, translated.get((sentence.text, bool(sentence.one)))))
    ET.indent(top, "    ")
    return f"{_HEAD}{ET.tostring(top, encoding='unicode')}\n"


def _message(sentence: Sentence, files: set[str], translation: ET.Element | None) -> ET.Element:
    message = ET.Element("message", {"numerus": "yes"} if sentence.one else {})
    for file in sorted(files):
        ET.SubElement(message, "location", filename=f"../../{file}")
    ET.SubElement(message, "source").text = sentence.text
    if sentence.one:
        ET.SubElement(message, "extracomment").text = f"Of one: {sentence.one}"
    if translation is None:
        translation = ET.Element("translation", type="unfinished")
        if sentence.one:
            ET.SubElement(translation, "numerusform")
    message.append(translation)
    return message


def _key(message: ET.Element) -> tuple[str, bool]:
    return message.findtext("source", ""), message.get("numerus") == "yes"


def main() -> None:
    said = sentences()
    TEMPLATE.write_text(catalogue(said), encoding="utf-8")
    for file in sorted(FOLDER.glob("tandem_*.ts")):
        known = ET.parse(file).getroot()
        file.write_text(catalogue(said, file.stem.partition("_")[2], known), encoding="utf-8")


if __name__ == "__main__":
    main()
