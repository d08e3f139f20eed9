"""Everything that is said can be said in each language: templates, sentences, plurals, dates, numbers."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cache
from string import Formatter
from typing import Any

import pytest
import sqlalchemy as sa
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po
from jinja2 import nodes
from jinja2.ext import extract_from_ast

from readtrack.infra import i18n, resources
from readtrack.infra.i18n import LANGUAGES
from readtrack.infra.models import Person
from readtrack.web.templating.environment import environment
from tests import make
from tests.pages import spoken_in
from tests.tables import cases

TEMPLATES = resources.find("templates")
LOCALE = resources.find("locale")
TOP = LOCALE.parent
OTHERS = tuple(language for language in LANGUAGES if language != i18n.ENGLISH)
KEYWORDS = {"_": None, "gettext": None, "N_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
CALL = re.compile(r"\b(N?_|\w*gettext)\(")
MESSAGES = {"_", "gettext", "ngettext", "pgettext"}
ATTRIBUTE = re.compile(r'[\w:-]+="[^"]*"')  # what macros write into a tag
NAMED = re.compile(r"%\((\w+)\)s")
NAMES = {  # said alike in every language: of programs, formats, and of each language in itself
    "Atom", "BibTeX", "CSL-JSON", "CSV", "DOI", "English", "Deutsch", "HTML", "JSON", "Markdown", "PDF", "RIS", "UTC",
    "français", "arXiv", "readtrack",
}  # fmt: skip
CODE = {"code", "kbd", "pre", "script", "style"}


def templates() -> list[str]:
    return sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html"))


@cache
def parsed(name: str) -> nodes.Template:
    return environment(i18n.ENGLISH).parse((TEMPLATES / name).read_text("utf-8"), name)


@cache
def said() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every message of the source and the templates, singular and plural, with the file that says it."""
    found: list[tuple[str, Any]] = []
    for path in sorted((TOP / "src").rglob("*.py")):
        if CALL.search(path.read_text("utf-8")):  # to take a file to pieces takes long
            found += [(path.name, forms) for _, forms, _, _ in extract_from_file("python", path, KEYWORDS)]
    for name in templates():
        for _, function, strings in extract_from_ast(parsed(name), [*KEYWORDS]):
            forms = [text for text in ([strings] if isinstance(strings, str) else strings or ()) if text is not None]
            found.append((name, forms[function == "pgettext" :]))
    return tuple((name, (forms,) if isinstance(forms, str) else tuple(forms)) for name, forms in found)


@cache
def catalogue(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / "readtrack.po").open("rb") as file:
        return read_po(file, locale=language.replace("-", "_"))


def messages(language: str) -> Iterator[tuple[Message, list[str], list[str]]]:
    """Those that are translated: each with its English forms and its own."""
    for message in catalogue(language):
        if message.id and any(own := _forms(message.string)):
            yield message, _forms(message.id), own


def _forms(said: str | Sequence[str] | None) -> list[str]:
    return [said] if isinstance(said, str) else list(said or ())


def holes(sentence: str) -> set[str]:
    """What is filled in: %(name)s in templates, {name} in Python."""
    named = {name for _, name, _, _ in Formatter().parse(sentence) if name} if "{" in sentence else set()
    return named | set(NAMED.findall(sentence))


# What templates say


@cases("name", templates())
def test_every_word_of_a_template_is_translatable(name):
    written = "".join(node.data for node in parsed(name).find_all(nodes.TemplateData))

    said_there = (ATTRIBUTE.sub("", piece).strip(" ·") for piece in spoken_in(written, CODE))
    assert [piece for piece in said_there if piece and piece not in NAMES] == []


@cases("name", templates())
def test_every_sentence_in_a_template_expression_is_translatable(name):
    marked = {
        id(part)
        for call in parsed(name).find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name in MESSAGES
        for part in call.args
    }
    sentences = re.compile(r"[A-Z][a-z]+( |$)|\w+ .*[a-z]{2}[.…?:]$")
    found = [const.value for const in parsed(name).find_all(nodes.Const) if id(const) not in marked]

    assert [text for text in found if isinstance(text, str) and sentences.match(text) and text not in NAMES] == []


@pytest.mark.slow  # reads every template
def test_a_template_message_has_no_percent_sign_outside_placeholders():
    spoiled = [
        sentence
        for name, forms in said()
        if name.endswith(".html")
        for sentence in forms
        if "%" in NAMED.sub("", sentence).replace("%%", "")
    ]

    assert spoiled == []


def test_a_message_is_a_literal_with_all_its_placeholders_named():
    unnamed = [sentence for _, forms in said() for sentence in forms if "{}" in sentence or "%s" in sentence]

    assert unnamed == []


# The catalogues


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_placeholders_of_the_english_text(language):
    different = [
        (message.id, text)
        for message, forms, own in messages(language)
        for text in own
        if text and holes(text) - set[str]().union(*map(holes, forms)) | holes(forms[-1]) - holes(text)
    ]

    assert different == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_keeps_markup_and_code(language):
    kept = re.compile(r"<[^>]*>|`[^`]*`")
    different = [
        (message.id, text)
        for message, forms, own in messages(language)
        for text in own
        if text and sorted(kept.findall(text)) != sorted(kept.findall(forms[-1]))
    ]

    assert different == []


@pytest.mark.deep
@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_has_the_plural_forms_of_its_language(language):
    plurals = [message for message in catalogue(language) if message.pluralizable and any(_forms(message.string))]

    assert {len(_forms(message.string)) for message in plurals} <= {catalogue(language).num_plurals}
    assert i18n.load_translations(language).ngettext("{count} zzz", "{count} zzzs", 2) == "{count} zzzs"


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_translates_every_message(language):
    done = {message.id if isinstance(message.id, str) else tuple(message.id) for message, _, _ in messages(language)}
    wanted = {forms[0] if len(forms) == 1 else forms for _, forms in said()}

    assert wanted - done == set()
    assert not any(message.fuzzy for message in catalogue(language))


# Which language is spoken


@cases(
    ("accepted", "spoken"),
    [
        ("", "en"),
        ("ja", "ja"),
        ("ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("en;q=0.5,ja;q=0.9", "ja"),
        ("fr,de;q=0.9", "en"),
        ("fr,ja;q=0.2", "ja"),
        ("zh", "zh-Hans"),
        ("zh-CN,zh;q=0.9", "zh-Hans"),
        ("zh-Hans-CN", "en"),
        ("zh-SG", "zh-Hans"),
        ("zh-TW,en;q=0.5", "en"),
        ("zh-TW,ja;q=0.5", "ja"),
        ("EN-us", "en"),
        ("*", "en"),
        ("ja;q=none,zh-CN", "zh-Hans"),
        (";;;,,q=1", "en"),
        ("x" * 10_000 + ",ja", "en"),
    ],
)
def test_the_first_supported_language_is_chosen(accepted, spoken):
    assert i18n.negotiate_language(accepted) == spoken


@pytest.mark.deep
@pytest.mark.parametrize("language", OTHERS)
def test_a_browser_gets_a_response_in_its_language(client, language):
    page = client.get("/sign-in", headers={"Accept-Language": f"fr,{language.partition('-')[0]};q=0.5"})

    assert f'<html lang="{language}"' in page.text
    assert "Accept-Language" in page.headers["Vary"]


# Dates and numbers


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ("3 Sep 2025", "Sep 2025", "Wednesday", "3 Sep", "Sep", "Wed", "12,345")),
        ("ja", ("2025年9月3日", "2025年9月", "水曜日", "9月3日", "9月", "水", "12,345")),
        ("zh-Hans", ("2025年9月3日", "2025年9月", "星期三", "9月3日", "9月", "周三", "12,345")),
    ],
)
def test_dates_and_numbers_are_formatted_for_the_locale(language, written):
    day = date(2025, 9, 3)
    with i18n.use_language(language):
        shorts = tuple(i18n.format_short(day, what) for what in ("day", "month", "weekday"))
        long = (i18n.format_day(day), i18n.format_month(day), i18n.format_weekday(day))
        assert (*long, *shorts, i18n.format_number(12345)) == written


def test_a_timestamp_is_written_with_its_utc_day():
    late = datetime.fromisoformat("2025-12-31T20:00:00-08:00")

    assert (i18n.format_day(late), i18n.format_day(late.astimezone(UTC))) == ("1 Jan 2026", "1 Jan 2026")


def test_a_mail_is_in_the_language_of_its_recipient():
    with i18n.use_language("ja"):
        with i18n.use_language(""):
            assert i18n.current_language() == "en"
        assert i18n.current_language() == "ja"
    assert i18n.current_language() == "en"


# The language that shows what is not translated


def test_the_pseudo_translation_keeps_placeholders_and_markup():
    disguised = i18n.load_translations(i18n.PSEUDO)

    assert disguised.gettext("Read %(num)s of {count} <b>pages</b>, `make` it.").startswith(
        "⟦Réád %(num)s óf {count} <b>págés</b>, `make` ít."
    )
    assert disguised.ngettext("{count} paper", "{count} papers", 2).startswith("⟦{count} pápérs")


def test_untranslatable_words_are_found():
    page = '<p title="Bare">⟦Sáíd⟧ <b>bare too</b> ⟦with <i>names</i>⟧<code>code</code> 12</p>'

    assert spoken_in(page, CODE) == ["Bare", "bare too"]


# What people choose


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.mark.deep
def test_a_persons_language_setting_overrides_the_browsers(ada, sign_in):
    browser = sign_in(ada)
    assert '<html lang="zh-Hans"' in browser.get("/settings/profile", headers={"Accept-Language": "zh-CN"}).text

    browser.post("/settings/profile", data={"name": "Ada", "language": "ja"})

    assert '<html lang="ja"' in browser.get("/settings/profile", headers={"Accept-Language": "zh-CN"}).text


def test_an_error_is_translated_for_people_and_stable_for_programs(ada, database, sign_in):
    with database.write() as tx:
        tx.execute(sa.update(Person).values(language=i18n.PSEUDO))

    told = sign_in(ada).get("/api/v1/papers/999999").json()

    assert told["detail"].startswith("⟦")
    assert told["type"].isascii()
