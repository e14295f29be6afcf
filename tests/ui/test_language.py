"""The window speaks the language of the system where there is a catalogue of it."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

from tandem_desktop.storage.paths import resource
from tandem_desktop.ui.i18n import first_language, speak_the_language, tr, tr_n
from tests.support.catalogue import Sentence, catalogue

SAID = {Sentence("Reviewing"): {"a.py"}, Sentence("{n} files", "{n} file"): {"a.py"}}
POLISH = {"Reviewing": ["Przegląd"], "{n} files": ["{n} plik", "{n} pliki", "{n} plików"]}


def translated(template: str) -> ET.Element:
    """What somebody makes of the template who speaks the language."""
    top = ET.fromstring(template)
    for message in top.iter("message"):
        translation = message.find("translation")
        assert translation is not None
        translation.clear()
        forms = POLISH[message.findtext("source", "")]
        if message.get("numerus") == "yes":
            for form in forms:
                ET.SubElement(translation, "numerusform").text = form
        else:
            translation.text = forms[0]
    return top


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a Polish catalogue, made as the documentation says."""
    file = tmp_path / "tandem_pl.ts"
    ET.ElementTree(translated(catalogue(SAID, "pl"))).write(file, encoding="utf-8")
    release = Path(sys.executable).parent / "pyside6-lrelease"
    subprocess.run([release, file], check=True, capture_output=True)
    return tmp_path


def test_a_catalogue_made_from_the_template_is_spoken_with_all_its_plurals(folder: Path, qapp: QApplication) -> None:
    translator = QTranslator()
    assert translator.load(str(folder / "tandem_pl.qm"))
    QCoreApplication.installTranslator(translator)
    try:
        counted = [tr_n("{n} file", "{n} files", number) for number in (1, 2, 5)]
        assert (tr("Reviewing"), counted) == ("Przegląd", ["1 plik", "2 pliki", "5 plików"])
        assert tr("Not in the catalogue") == "Not in the catalogue"
    finally:
        QCoreApplication.removeTranslator(translator)


def test_the_first_language_that_is_wanted_and_there_is_spoken(folder: Path) -> None:
    assert first_language(["de-AT", "de", "pl-PL", "pl", "en"], folder) == "pl"


def test_somebody_who_wants_english_first_gets_english(folder: Path) -> None:
    assert first_language(["en-GB", "en", "pl"], folder) == ""
    assert first_language(["C"], folder) == ""


def test_a_language_is_installed_at_the_start_and_nothing_without_a_catalogue(folder: Path, qapp: QApplication) -> None:
    before = set(qapp.findChildren(QTranslator))
    assert speak_the_language(qapp, ["fr"], folder) == ""
    assert set(qapp.findChildren(QTranslator)) == before
    assert speak_the_language(qapp, ["pl-PL", "pl"], folder) == "pl"
    try:
        assert tr("Reviewing") == "Przegląd"
        assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Anuluj"
    finally:
        for each in set(qapp.findChildren(QTranslator)) - before:
            qapp.removeTranslator(each)
            each.deleteLater()


def test_bringing_a_catalogue_up_to_date_keeps_what_was_translated(folder: Path) -> None:
    known = ET.parse(folder / "tandem_pl.ts").getroot()
    anew = catalogue({Sentence("Reviewing"): {"b.py"}, Sentence("New words"): {"b.py"}}, "pl", known)
    messages = {each.findtext("source"): each.find("translation") for each in ET.fromstring(anew).iter("message")}
    assert set(messages) == {"Reviewing", "New words"}
    assert messages["Reviewing"].text == "Przegląd"
    assert messages["New words"].get("type") == "unfinished"


def test_the_template_is_found_like_every_other_resource() -> None:
    assert (resource("translations") / "tandem.ts").is_file()
