"""Notes of a vault: fields at the head, and links to other notes."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

T = "A Story of Two Caches"


def entries(text):
    return [each for each in parser.parse(text) if each.kind != "blank"]


def test_the_front_matter_identifies_the_paper_of_the_note():
    text = (
        f'---\ntitle: "{T}"\nauthors:\n  - Jane Doe\n  - "[[Richard Roe]]"\nyear: 2023\njournal: OSDI\n'
        "doi: 10.1145/1.2\ntags: [paper, memory/caches, '#fast']\nstatus: to read\nrating: 4\n"
        "created: 2024-01-01\n---\n\n"
        f"# {T}\n\n## Summary\nFast Caches Are Good Caches.\n"
    )
    paper, part, remark = entries(text)
    assert (paper.first, paper.last, paper.title, paper.identifiers) == (1, 15, T, ("doi:10.1145/1.2",))
    assert (paper.authors, paper.year, paper.venue, paper.published) == (
        ("Jane Doe", "Richard Roe"),
        2023,
        "OSDI",
        "2023",
    )
    assert (paper.topics, paper.status, paper.rating) == (("caches", "fast"), "to_read", "4")
    assert (part.kind, remark.kind) == ("snippet", "snippet")


@cases(
    "head",
    [
        f"---\ntitle: {T}\narxiv: 2305.15778\n---\n",
        f"---\ntitle: {T}\nurl: https://arxiv.org/pdf/2305.15778v2\n---\n",
        f"+++\ntitle = '{T}'\narxiv = '2305.15778'\n+++\n",
        f"---\naliases: ['{T}']\narxiv_id: '2305.15778'\n---\n",
        f"---\narxiv: https://arxiv.org/abs/2305.15778\n---\n# {T}\n",
    ],
)
def test_an_identifier_or_url_makes_it_a_paper(head):
    (paper,) = entries(head)
    assert (paper.title, paper.identifiers) == (T, ("arxiv:2305.15778",))


@pytest.mark.parametrize(
    "head",
    [
        "---\ntitle: My blog\ndate: 2024-01-01\nauthor: me\nlayout: post\n---\n",
        "---\ntags: [moc]\n---\n",
        "---\ntitle: Papers\n---\n",
    ],
)
def test_other_front_matter_fields_are_junk_with_a_reason(head):
    (entry,) = entries(head)
    assert (entry.kind, entry.reason) == ("junk", "Front matter without a paper.")


def test_a_horizontal_rule_at_the_top_is_not_front_matter():
    assert parser.parse("---\nSome words.\n---\nMore words.\n")[0].kind == "blank"


@cases(
    ("line", "titles"),
    [
        ("- [[A Story of Two Caches]]", [T]),
        ("- [[doe2023|A Story of Two Caches]] good", [T]),
        ("- [[papers/A Story of Two Caches.md#Summary]]", [T]),
        ("- [A Story of Two Caches](notes/story.md)", [T]),
        ("- **[A Story of Two Caches](notes/story.md)**", [T]),
        ("[A Story of Two Caches](./notes/story.md)", [T]),
        ("- [A Story of Two Caches](A-Story-of-Two-Caches)", [T]),
        ("See [[A Story of Two Caches]] and [[Another Tale: Of Many Mice]].", [T, "Another Tale: Of Many Mice"]),
        ("- [[caches]]", []),
        ("- [[2023-05-04]]", []),
        ("![[A Story of Two Caches.png]]", []),
        ("- [Guide to Contributing Good Notes](CONTRIBUTING.md)", []),
    ],
)
def test_a_link_to_a_note_titled_like_a_paper_is_a_paper(line, titles):
    found = [each for each in entries(line) if each.kind == "paper"]
    assert [each.title for each in found] == titles
    assert [each.part for each in found] == list(range(1, len(titles) + 1))


def test_next_to_such_links_a_bare_title_is_a_paper_too():
    found = entries(f"- [[{T}]]\n- Another Tale Of Many Mice\n- caches\n- It Is A Long Sentence.\n")
    assert [each.kind for each in found] == ["paper", "paper", "topic", "snippet"]


def test_among_them_a_lower_case_link_is_a_paper_too():
    lines = [
        f"- [[{T}]]",
        "- [[Another Tale Of Many Mice]]",
        "- [[later/sparse and incoherent sampling]]",
        "- [[A Third Tale Of Rats]]",
        "- [[caches]]",
    ]
    assert [each.title for each in entries("\n".join(lines)) if each.kind == "paper"][
        2
    ] == "sparse and incoherent sampling"


def test_in_notes_on_a_paper_only_links_refer_to_other_papers():
    head = f"---\ntitle: {T}\narxiv: 2305.15778\n---\n"
    text = f"{head}- Caches Are Fast And Small\n\n- [[Another Tale Of Many Mice]]\n- A Third Tale Of Rats\n"
    assert [each.kind for each in entries(text)] == ["paper", "snippet", "paper", "paper"]


def test_a_value_of_the_front_matter_may_go_on_in_the_next_line():
    (paper,) = entries(f"---\ntitle: {T}\nauthors: Ada Lovelace\n  and Charles Babbage\ndoi: 10.1145/1.2\n---\n")
    assert paper.authors == ("Ada Lovelace", "Charles Babbage")


def test_a_list_of_mappings_without_front_matter_has_a_work_in_each():
    text = (
        f"- title: {T}\n  type: paper\n  author: Ada Lovelace\n"
        "  url: https://example.org/notes/caches\n  status: done\n"
        '- title: "A Tale of Wires: Long and Short"\n  type: article\n  url: https://arxiv.org/abs/2305.15778\n'
    )
    first, second = entries(text)
    assert (first.first, first.last, first.title, first.authors) == (1, 5, T, ("Ada Lovelace",))
    assert (first.status, first.links[0].url) == ("read", "https://example.org/notes/caches")
    assert (second.title, second.identifiers) == ("A Tale of Wires: Long and Short", ("arxiv:2305.15778",))


def test_a_list_with_a_label_in_each_item_is_no_list_of_mappings():
    found = entries("- serving: https://arxiv.org/abs/2305.15778\n- serving: https://arxiv.org/abs/2305.15779\n")
    assert [each.identifiers for each in found] == [("arxiv:2305.15778",), ("arxiv:2305.15779",)]


def test_a_date_in_the_text_of_a_link_to_a_note_is_that_of_its_paper():
    (paper,) = entries(f"- [{T} (**2015.06**)](./notes/a-story-of-two-caches.md)\n")
    assert (paper.title, paper.published, paper.year) == (T, "2015-06", 2015)


def test_pages_below_book_or_article_are_works_with_the_authors_and_address_below():
    text = "- [[Book/Emergence]]\n- [[Article/Magic Ink]]\n\t- by [[Bret Victor]]\n\t- https://example.org/magic\n"
    found = [each for each in parser.parse(text) if each.kind == "paper"]
    assert [(each.title, each.authors, len(each.links)) for each in found] == [
        ("Emergence", (), 0), ("Magic Ink", ("Bret Victor",), 1)
    ]  # fmt: skip
