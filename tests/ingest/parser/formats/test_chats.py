"""Exported chats: lines that say who wrote what comes next, and previews of addresses."""

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


def test_a_single_time_after_words_is_an_appointment():
    assert [each.kind for each in parser.parse("Reading group 14:00\n")] != ["junk"]


def test_the_preview_of_an_address_gives_its_title():
    head = "Ada  9:00 AM\n"
    entries = parser.parse(f"{head}anyone?\n{ADDRESS}\narXiv.org\nAttention Is All You Need\n\n{head}\n{head}\n")
    paper = next(each for each in entries if each.kind == "paper")
    assert (paper.title, paper.first, paper.last) == ("Attention Is All You Need", 3, 5)
