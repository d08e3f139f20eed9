"""Listings of code: in colours where the language is known, and never slow."""

from html import escape

import pytest
from lxml import html

from readtrack.markdown import code_highlight, render, sanitize_html
from readtrack.markdown.code_highlight import COLOURS, MAX_CODE_CHARS, MAX_LINE_CHARS, highlight_code

PYTHON = 'def restore(path: str) -> int:\n    return len("x")  # why < not\n'


def shown(text):
    return html.fragment_fromstring(render(text), create_parent="div")


def colours(document):
    return [(span.get("class"), span.text) for span in document.xpath(".//pre/code/span")]


@pytest.mark.parametrize("language", ["python", "py", "Python3", "PYTHON"])
def test_a_code_block_is_highlighted_by_common_names_of_its_language(language):
    found = colours(shown(f"```{language}\n{PYTHON}```"))

    assert ("hl-keyword", "def") in found
    assert ("hl-name", "restore") in found
    assert ("hl-string", '"x"') in found
    assert ("hl-comment", "# why < not") in found


@pytest.mark.deep
@pytest.mark.parametrize("language", ["rs", "c++", "sh", "ts", "yml", "docker", "cu", "tex", "console", "diff", "jl"])
def test_other_languages_are_supported_too(language):
    assert colours(shown(f'```{language}\n- $ if (a) {{ "x"; }} # \\b\n+ 1 "y"\n```'))


def test_highlighting_does_not_change_the_code():
    assert shown(f"~~~py title=x\n{PYTHON}~~~").xpath("string(.//pre)") == PYTHON


@pytest.mark.parametrize(
    "language", ["", "no-such-language", "text", "brainfuck", "__init__", "../python", "x" * 5_000]
)
def test_a_code_block_in_an_unknown_language_is_plain(language):
    assert colours(shown(f"```{language}\n{PYTHON}```")) == []


def test_a_language_name_does_not_become_a_class():
    assert shown("```python onload=alert(1)\nx = 1\n```").xpath(".//pre/@class | .//code/@class") == []


def test_only_colours_of_the_palette_are_used():
    assert (
        sanitize_html('<span class="hl-keyword modal htmx-indicator">x</span>') == '<span class="hl-keyword">x</span>'
    )
    assert all(colour.startswith("hl-") for colour in COLOURS)


@pytest.mark.parametrize("source", ["x = 1\n" * MAX_CODE_CHARS, "x" * (MAX_LINE_CHARS + 1)], ids=["long", "wide"])
def test_an_oversized_code_block_is_plain(source):
    assert highlight_code(source, "python") == source


def test_a_slow_lexer_is_stopped_and_the_code_block_is_plain(monkeypatch):
    """A5"""
    monkeypatch.setattr(code_highlight, "MAX_SECONDS", -1.0)
    assert highlight_code(PYTHON, "python") == escape(PYTHON)
