"""What holds for every note, whatever stands in it."""

import re
from urllib.parse import SplitResult, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack import notes
from readtrack.sources.addresses import form

# fmt: off
PIECES = st.sampled_from([
    "\n", "\r\n", "\r", "\n\n", "\n\n\n", " ", "  ", "\t", "\u3000", "\x0b", "\x0c", "\x1c",
    "\x85", "\u2028", "\u2029", "\ufeff", "\u202e", "\x00", "\ud800", "- ", "* ", "1. ", "# ",
    "## ", "**", "|", "|---|---|", "```", "~~~", "¶", ">", "---", "===", "[", "](", ")", "]", "[[",
    "(", "!", "<", "_", "`", "[x] ", ":", "：", "?", "？", "。", "https://arxiv.org/abs/2305.15778",
    "https://arxiv.org/abs/2401.00134", "2305.15778", "doi:10.1145/1.2", "https://example.org/a",
    "http://", "https://www.baidu.com/s?wd=", "https://link.zhihu.com/?target=",
    "https://mp.weixin.qq.com/s/abc", "Paper", "A Story of Caches", "References", "Infos", "凡例",
    "OSDI'22", "(NSDI 24)", "キャッシュの話", "とは", "序列并行",
])
# fmt: on
NOTES = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


def lines_of(text):
    lines = re.split(r"\r\n|\r|\n", text)
    return lines[:-1] if lines[-1] == "" else lines


@settings(max_examples=400, deadline=None)
@given(NOTES)
def test_every_line_is_in_exactly_one_entry_of_part_one(text):
    lines = lines_of(text)
    entries = notes.parse(text)
    firsts = [each for each in entries if each.part == 1]
    assert [number for each in firsts for number in range(each.first, each.last + 1)] == list(range(1, len(lines) + 1))
    assert sum(notes.tally(entries).values()) == len(lines)
    assert all(each.raw == "\n".join(lines[each.first - 1 : each.last]) for each in firsts)


@settings(max_examples=200, deadline=None)
@given(NOTES)
def test_entries_come_in_the_order_of_lines_and_say_why_they_are_not_added(text):
    entries = notes.parse(text)
    assert [(each.first, each.part) for each in entries] == sorted((each.first, each.part) for each in entries)
    for each in entries:
        assert each.kind in {"paper", "mention", "topic", "question", "lead", "snippet", "table", "junk", "blank"}
        assert each.decision == "add" or each.reason.endswith((".", "?"))
        assert (each.kind in {"paper", "mention"}) == bool(each.identifiers)


@settings(max_examples=100, deadline=None)
@given(NOTES)
def test_reading_twice_gives_the_same(text):
    assert notes.parse(text) == notes.parse(text)


@settings(max_examples=200, deadline=None)
@given(NOTES)
def test_titles_texts_and_topics_hold_nothing_that_cannot_be_shown(text):
    for each in notes.parse(text):
        shown = "\n".join([each.title, each.text, each.venue, *each.topics])
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", shown)


@pytest.mark.parametrize("text", ["", "\ufeff", "\n", "\x00", "\ud800\udc00", "\u202ehttps://arxiv.org/abs/2305.15778"])
def test_odd_little_notes_are_read(text):
    assert sum(notes.tally(notes.parse(text)).values()) == (1 if text else 0)


HOSTILE = {
    "one long line": "a" * 2_000_000,
    "many lines": "- some words here\n" * 100_000,
    "many fences": "".join("`" * (3 + n % 18) + "x\n" for n in range(50_000)),
    "brackets": "[" * 1_000_000,
    "half links": "[a](" * 400_000,
    "emphasis": "**a" * 500_000,
    "pipes": "|" * 1_000_000,
    "links on one line": " ".join(f"[pdf](https://arxiv.org/abs/2305.{n:05d})" for n in range(5_000)),
    "addresses on one line": " ".join(f"https://arxiv.org/abs/2305.{n:05d}" for n in range(5_000)),
    "ever deeper": "".join(" " * (n % 1000) + "- x\n" for n in range(3_000)),
    "questions": "?" * 1_000_000,
    "half identifiers": "10.1145/" * 200_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_notes_are_read_to_their_end(text):
    """A reading that took quadratic time would not end within the patience of anybody who runs the tests."""
    assert sum(notes.tally(notes.parse(text)).values()) == len(lines_of(text))


def test_a_long_line_is_not_repeated_for_each_of_its_entries():
    entries = notes.parse(" ".join(f"see 2305.{n:05d}" for n in range(1_000)))
    assert len(entries) > 900
    assert sum(len(each.raw) + len(each.text) for each in entries) < 1_000_000


def test_an_address_is_taken_apart_a_few_times_however_many_ask_for_it(monkeypatch):
    """Each site is asked for each address; what an address consists of is found out once for all of them."""
    taken_apart: list[str] = []

    def watched(url: str) -> SplitResult:
        taken_apart.append(url)
        return urlsplit(url)

    monkeypatch.setattr(form, "urlsplit", watched)
    count = 1_000
    notes.parse(" ".join(f"https://site-{number}.example.org/a/{number}" for number in range(count)))
    assert len(taken_apart) <= 4 * count
