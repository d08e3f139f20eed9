"""Browser tabs as extensions copy them."""

from readtrack.ingest import parser
from tests.tables import cases

ADDRESS = "https://arxiv.org/abs/2305.15778"
PAPER = ("A Story of Caches", ("arxiv:2305.15778",))


@cases(
    "line",
    [
        f"{ADDRESS} | A Story of Caches",
        f"{ADDRESS} | [2305.15778] A Story of Caches",
        f"A Story of Caches | {ADDRESS}",
        f"[2305.15778] A Story of Caches - {ADDRESS}",
        f"A Story of Caches – {ADDRESS}",
        f"12. {ADDRESS} | A Story of Caches",
        f"3. [A Story of Caches]({ADDRESS})",
        f"* [[2305.15778] A Story of Caches]({ADDRESS})",
        f"* A Story of Caches\n  {ADDRESS}",
        f"* [2305.15778] A Story of Caches\n  {ADDRESS}",
        f"[2305.15778] A Story of Caches\n{ADDRESS}",
    ],
)
def test_a_tab_is_one_paper_with_its_title(line):
    (entry,) = parser.parse(line)
    assert (entry.title, entry.identifiers) == PAPER
    assert (entry.first, entry.last) == (1, line.count("\n") + 1)


def test_a_separator_inside_the_title_stays():
    (entry,) = parser.parse("https://example.org/a | Caches | A Story - Part One")
    assert entry.title == "Caches | A Story - Part One"


def test_groups_separated_by_blank_lines_are_read_one_by_one():
    text = f"{ADDRESS} | A Story of Caches\nhttps://github.com/a/b | a/b\n\nhttps://example.org/x | Some page\n"
    found = parser.preview_json(parser.parse(text), "t")
    assert [(each["kind"], each["lines"]) for each in found] == [
        ("paper", [1, 1]),
        ("code", [2, 2]),
        ("blank", [3, 3]),
        ("page", [4, 4]),
    ]


def test_mail_and_search_pages_are_not_papers():
    mail, search = "https://mail.google.com/mail/u/0/#inbox", "https://www.google.com/search?q=raft"
    text = f"{mail} | Inbox (3)\n{search} | raft - Google Search\n"
    assert {each.kind for each in parser.parse(text)} == {"junk"}
