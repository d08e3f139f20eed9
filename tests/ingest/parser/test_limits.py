"""Hostile and enormous notes: read to their end, with work that grows as their length does."""

import math
import re
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

import pytest

from readtrack.infra.text.urls import normalize
from readtrack.ingest import parser
from tests.depth import some
from tests.growth import LONG, assert_grows_with_its_text
from tests.tables import cases

pytestmark = pytest.mark.slow

ONE = "https://arxiv.org/abs/2305.15778"
NETSCAPE = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n"

MARKS = (
    "[", "|", "`", "*", "<", "[^", ">", "_", "#", "(", "![", "~~", "\\[", "$", "&", "「", "⭐", "- ", "?", "@", '"',
    "<a ", "<!--", "{{", ": ", ", ", "1. ",
)  # fmt: skip
REPEATED = {
    **{f"many {mark!r}": mark for mark in MARKS},
    "one long line": "a",
    "many lines": "- some words here\n",
    "nothing but line ends": "\n",
    "half links": "[a](",
    "wiki links": "[[a",
    "emphasis": "**a",
    "half identifiers": "10.1145/",
    "deep quotes": "> ",
    "many quotes": "> said\n",
    "tables in tables": "<table><tr><td>",
    "details in details": "<details><summary>a</summary>\n",
    "blocks in blocks": "<div>",
    "lists in lists": "<ul><li>a",
    "hashtags": "#tag ",
    "open drawers": "* TODO a\n:PROPERTIES:\n",
}
BEGUN = {
    "one wide row": ("|a|b|\n|---|---|\n", "|x"),
    "a long table": ("|a|b|\n|---|---|\n", f"|x|{ONE}|\n"),
    "folders in folders": (NETSCAPE, "<DT><H3>a</H3><DL><p>\n"),
    "quotes in tags": (NETSCAPE, '<A HREF="'),
    "tags without end": (NETSCAPE, "<A HREF="),
    "outlines in outlines": ("<opml>\n", '<outline text="a">\n'),
    "quotes in cells": ("title,url\n", 'a"b,c\n'),
    "rows that are no table": ("", "x y z,https://a.b/c,b\n\nc,d,e\n\n"),
    "double-spaced rows": ("", "a,b,c\n\n"),
    "one open cell": ('title,url\na,"', "b,c\n"),
    "commas in a row": ("title,url\n", "a,"),
    "braces": ("@article{a,\n title = {", "{"),
    "an open array": ("[", '{"title": "a", "DOI": '),
    "spaces": ("- a", " "),
    "full stops": ("https://a.b/", "."),
    "front matter without end": ("---\n", "a: b\n"),
    "items of LaTeX": ("", "\\item \\textit{A Title of Words} \\cite{a}\n\\item\n"),
    "links of reStructuredText": ("* ", "`A Title of Words\n"),
    "inverted names": ("- ", "Silva, A., "),
    "names in bold": ("**", "Silva, Ana & "),
}
# A piece for each number, and what stands between the pieces.
NUMBERED: dict[str, tuple[Callable[[int], str], str]] = {
    "many fences": (lambda n: "`" * (3 + n % 18) + "x", "\n"),
    "links on one line": (lambda n: f"[pdf](https://arxiv.org/abs/{n % 10_000:04}.{n % 99_999:05})", " "),
    "addresses on one line": (lambda n: f"https://arxiv.org/abs/2305.{n % 99_999:05}", " "),
    "ids on one line": (lambda n: f"2305.{n % 99_999:05}", "、"),
    "ever deeper": (lambda n: " " * (n % 1000) + "- x", "\n"),
    "deep bullets with papers": (lambda n: " " * (n % 200) + f"- [x]({ONE}{n})", "\n"),
    "headings": (lambda n: "#" * (n % 6 + 1) + f" Heading {n}", "\n"),
    "many references": (lambda n: f"[{n}]: https://example.org/{n}", "\n"),
    "many footnotes": (lambda n: f"a[^{n}]\n[^{n}]: b", "\n"),
    "one title, many papers": (lambda n: f"- [A Story of Five Long Caches](https://arxiv.org/abs/2305.{n:05})", "\n"),
    "one paper, many titles": (lambda n: f"- [A {n} Story of Caches {n * 7919}]({ONE})", "\n"),
}
NAMES = [*REPEATED, *BEGUN, *NUMBERED]


def hostile(name: str, size: int) -> str:
    """A note of about so many letters."""
    if name in NUMBERED:
        piece, between = NUMBERED[name]
        return between.join(piece(number) for number in range(size // len(piece(500) + between)))
    begin, mark = BEGUN.get(name, ("", REPEATED.get(name, "")))
    return begin + mark * (size // len(mark))


def lines_of(text: str) -> int:
    found = re.split(r"\r\n|\r|\n", text)
    return len(found) - (found[-1] == "")


@cases("name", some(NAMES, len(NAMES) // 4))  # a large note has all of them
def test_hostile_notes_are_parsed_completely_in_linear_time(name):
    assert_grows_with_its_text(parser.parse, lambda size: hostile(name, size))
    text = hostile(name, LONG)
    assert sum(parser.tally(parser.parse(text)).values()) == lines_of(text)


def test_blank_lines_below_nested_bullets_are_parsed_in_linear_time():
    def nest(size: int) -> str:
        depth = math.isqrt(size)
        return "# Reading list\n\n" + "".join(" " * n + "- some words\n" for n in range(depth)) + "\n" * (4 * size)

    assert_grows_with_its_text(parser.parse, nest)


def test_a_large_note_of_hostile_input_is_parsed_completely():
    """What takes quadratic time inside one call, as a regular expression may, ends within nobody's patience."""
    text = "\n\n".join(hostile(name, 250_000 // len(NAMES)) for name in NAMES)
    assert sum(parser.tally(parser.parse(text)).values()) == lines_of(text)


@pytest.mark.deep
def test_a_line_of_two_megabytes_is_one_line():
    text = "words of a very long line " * 80_000
    assert len(parser.parse(text)) == 1


@pytest.mark.deep
def test_ten_thousand_urls_on_one_line_are_all_found():
    text = " ".join(f"https://arxiv.org/abs/2305.{n:05d}" for n in range(10_000))
    assert len({name for each in parser.parse(text) for name in each.identifiers}) == 10_000


def test_a_long_line_is_not_repeated_for_each_of_its_entries():
    entries = parser.parse(" ".join(f"see 2305.{n:05d}" for n in range(1_000)))
    assert len(entries) > 900
    assert sum(len(each.raw) + len(each.text) for each in entries) < 1_000_000


@pytest.mark.deep
def test_a_url_is_parsed_a_few_times_however_often_it_is_needed(monkeypatch):
    """Each site is asked for each address; what an address consists of is found out once for all of them."""
    taken_apart: list[str] = []

    def watched(url: str) -> SplitResult:
        taken_apart.append(url)
        return urlsplit(url)

    monkeypatch.setattr(normalize, "urlsplit", watched)
    count = 1_000
    parser.parse(" ".join(f"https://site-{number}.example.org/a/{number}" for number in range(count)))
    assert len(taken_apart) <= 4 * count
