"""Why a line became what it is: said in the language of who reads, whatever the reason."""

import ast
import string
from pathlib import Path

import pytest

from readtrack.infra.i18n import load_translations, use_language
from readtrack.ingest import parser
from readtrack.ingest.imports import reasons
from readtrack.ingest.imports.reasons import REASONS, translate_reason
from tests import make

SOURCES = sorted(Path(parser.__file__).parent.rglob("*.py"))
LANGUAGES = ("ja", "zh-Hans")


def values(message):
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_a_translation_with_the_same_values(language):
    translations = {reason: load_translations(language).gettext(reason) for reason in REASONS}
    assert [reason for reason, translated in translations.items() if translated in {"", reason}] == []
    assert [reason for reason, translated in translations.items() if values(translated) != values(reason)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stored_reason_is_translated_with_its_values(language):
    for reason in REASONS:
        filled = {name: f"The “{name}” it's." for name in values(reason)}
        stored = reason.format(**filled)
        with use_language(language):
            assert translate_reason(stored) == load_translations(language).gettext(reason).format(**filled)
        with use_language("en"):
            assert translate_reason(stored) == stored


def test_no_module_of_the_parser_has_a_reason_of_its_own():
    nodes = (node for source in SOURCES for node in ast.walk(ast.parse(source.read_text())))
    named = [
        node.value for node in nodes if isinstance(node, ast.keyword) and node.arg in {"reason", "error", "markup"}
    ]
    texts = [ast.unparse(value) for value in named if isinstance(value, ast.JoinedStr | ast.Constant)]
    assert [text for text in texts if text != "''"] == []


def test_the_rules_in_a_reason_are_translated_too():
    stored = reasons.BY_RULE.format(rules="zenn.dev: article”; “Links: no topic")
    with use_language("zh-Hans"):
        assert translate_reason(stored) == "按规则“zenn.dev：文章”; “Links：不作为主题”。"


def test_a_text_that_is_no_known_reason_stays_as_it_is():
    with use_language("ja"):
        assert translate_reason("Somebody wrote this.") == "Somebody wrote this."
        assert translate_reason("") == ""


@pytest.mark.slow
def test_a_preview_says_its_reasons_in_the_language_of_the_page(database, sign_in):
    with database.write() as tx:
        me = make.visitor(tx, "Aki", role="member")
    browser = sign_in(me)
    text = "# Links\n- https://arxiv.org/abs/2401.00001\n- see https://arxiv.org/abs/2401.00001\n"
    browser.post("/imports", data={"text": text})
    page = browser.get("/imports/1", headers={"Accept-Language": "ja"}).text
    assert "2 行目にあります。" in page
    assert "Already on line" not in page
    assert "已在第 2 行。" in browser.get("/notes/1", headers={"Accept-Language": "zh-CN"}).text
