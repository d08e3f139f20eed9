"""Exported chats: lines that say who wrote what comes next, and previews of addresses."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

ADDRESS = "https://arxiv.org/abs/1706.03762"


@cases(
    "head",
    [
        "Ada Lovelace  9:00 AM",
        "ada 21:07",
        "Ada — Today at 9:00 PM",
        "Ada [09:12]",
        "张三 2024-01-02 09:00:12",
        "Ada L. 01/02/2024, 9:00 AM",
    ],
)
def test_lines_that_say_who_wrote_are_ignored_in_a_chat(head):
    entries = parser.parse(f"{head}\nAttention Is All You Need\n{ADDRESS}\n\n" + f"{head}\nthanks!\n\n" * 2)
    assert [each.title for each in entries if each.kind == "paper"] == ["Attention Is All You Need"]
    assert [each.kind for each in entries if each.first in {1, 5, 8}] == ["junk"] * 3
    assert not [each for each in entries if each.kind == "topic"]


@cases("head", ["[2024-01-02 09:00] Ada: ", "1/2/24, 9:00 PM - Ada: ", "[1/2/24, 9:00:01 PM] Ada L.: "])
def test_words_after_who_wrote_them_are_read_as_other_words(head):
    entries = parser.parse(f"{head}Attention Is All You Need {ADDRESS}\n{head}thanks\n{head}see you\n")
    assert [(each.kind, each.title) for each in entries] == [
        ("paper", "Attention Is All You Need"),
        ("snippet", ""),
        ("snippet", ""),
    ]


def test_a_line_of_nested_json_is_no_message():
    assert [entry.title for entry in parser.parse('{"text":' * 5_000)] == [""]


def test_a_single_time_after_words_is_an_appointment():
    assert [each.kind for each in parser.parse("Reading group 14:00\n")] != ["junk"]


def test_the_preview_of_an_address_gives_its_title():
    head = "Ada  9:00 AM\n"
    entries = parser.parse(f"{head}anyone?\n{ADDRESS}\narXiv.org\nAttention Is All You Need\n\n{head}\n{head}\n")
    paper = next(each for each in entries if each.kind == "paper")
    assert (paper.title, paper.first, paper.last) == ("Attention Is All You Need", 2, 5)


CHATS = {
    "days with the name of the month": (
        "[12-Nov-24 01:00 PM] ada\nhello\n\n[12-Nov-24 02:00 PM] nat.k\nok\n\n[13-Nov-24 02:17 PM] ada\n{}\n\n"
    ),
    "tabs": "10:11\tゆうた\tはい\n10:22\t三浦\t[写真]\n10:33\tまき\t了解です\n10:44\tAda\t{}\n",
    "a line above": "王磊  09:00\n收到\n\n李婷（组长）  09:13\n好的\n\n阿杰  10:26\n{}\n\n",
}


@pytest.mark.parametrize("form", CHATS)
@cases(
    "message",
    [
        "Graph Attention Networks https://arxiv.org/abs/1710.10903",
        "https://arxiv.org/abs/1710.10903\nGraph Attention Networks",
        '"Graph Attention Networks\nhttps://arxiv.org/abs/1710.10903"',
        "推荐一篇：Graph Attention Networks https://arxiv.org/abs/1710.10903",
        "今天看到的 https://arxiv.org/abs/1710.10903 Graph Attention Networks，值得一读",
        "「Graph Attention Networks」（ICLR 2018）を来週やりませんか https://arxiv.org/abs/1710.10903",
        "next week -> Graph Attention Networks (ICLR'18) https://arxiv.org/abs/1710.10903",
    ],
)
def test_a_message_with_one_address_is_titled_by_its_words(form, message):
    entries = [e for e in parser.parse(CHATS[form].format(message)) if "arxiv:1710.10903" in e.identifiers]
    assert [entry.title for entry in entries] == ["Graph Attention Networks"]
    assert not [entry for entry in parser.parse(CHATS[form].format(message)) if entry.kind == "topic"]
