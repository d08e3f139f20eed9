"""CSL-JSON in notes: lists, single items, several on one line, and broken ones."""

import json

import pytest

from readtrack.ingest import parser
from tests.tables import cases

ITEM = {
    "id": "lewis2020",
    "type": "paper-conference",
    "title": "Retrieval-Augmented Generation for <i>Knowledge-Intensive</i> Tasks",
    "author": [{"family": "Lewis", "given": "Patrick"}, {"family": "山田", "given": "太郎"}, {"literal": "A Team"}],
    "issued": {"date-parts": [[2020, 5, 22]]},
    "container-title": "NeurIPS",
    "URL": "https://arxiv.org/abs/2005.11401v4",
    "keyword": "retrieval, generation",
}


def read(text):
    return [entry for entry in parser.parse(text) if entry.kind != "blank"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wrapped", [lambda item: item, lambda item: [item], lambda item: {"items": [item]}])
def test_an_item_yields_all_its_fields(wrapped, indent):
    text = json.dumps(wrapped(ITEM), indent=indent, ensure_ascii=False)
    (entry,) = read(text)
    assert entry.identifiers == ("arxiv:2005.11401",)
    assert entry.title == "Retrieval-Augmented Generation for Knowledge-Intensive Tasks"
    assert entry.authors == ("Patrick Lewis", "山田太郎", "A Team")
    assert (entry.published, entry.venue, entry.topics) == ("2020-05-22", "NeurIPS", ("retrieval", "generation"))
    assert (entry.first, entry.last) == (1, len(text.splitlines()))


@cases(
    ("issued", "iso"),
    [
        ({"date-parts": [["2013", 1]]}, "2013-01"),
        ({"date-parts": [[2013]]}, "2013"),
        ({"raw": "2013-05-06"}, "2013-05-06"),
        ({"literal": "2013年"}, "2013"),
        ({"date-parts": [[]]}, ""),
        ("2013", "2013"),
        (None, ""),
    ],
)
def test_dates_are_as_precise_as_the_item(issued, iso):
    (entry,) = read(json.dumps([ITEM | {"issued": issued}]))
    assert entry.published == iso


@pytest.mark.parametrize(
    ("kind", "address", "paper_kind"),
    [
        ("post-weblog", "https://karpathy.github.io/2019/04/25/recipe/", "article"),
        ("software", "https://example.org/tool", "code"),
        ("article-journal", "https://example.org/paper", "paper"),
    ],
)
def test_the_type_distinguishes_pages_and_code_from_papers(kind, address, paper_kind):
    (entry,) = read(json.dumps({"title": "A Title of Words", "type": kind, "URL": address}))
    assert entry.paper_kind == paper_kind


def test_items_cover_the_lines_and_items_on_one_line_are_its_parts():
    one, two, three = (
        {"title": f"Paper Number {n} of Many", "type": "book", "DOI": f"10.1145/{n}.2"} for n in (1, 2, 3)
    )
    text = "[\n" + json.dumps(one, indent=1) + ",\n" + json.dumps(two) + ", " + json.dumps(three) + "\n]\n"
    found = [(entry.first, entry.last, entry.part) for entry in read(text)]
    lines = len(text.splitlines())
    assert found == [(1, lines - 2, 1), (lines - 1, lines, 1), (lines - 1, lines - 1, 2)]


def test_a_truncated_list_keeps_the_items_before_the_break():
    text = "[\n" + json.dumps(ITEM) + ',\n{"title": "Half of\nhttps://arxiv.org/abs/1111.11111\n'
    first, rest = read(text)
    assert (first.identifiers, first.first, first.last) == (("arxiv:2005.11401",), 1, 2)
    assert (rest.kind, rest.decision, rest.first, rest.last) == ("snippet", "review", 3, 4)
    assert "truncated" in rest.reason


@cases("text", ["[]\n", "{}\n", '{"title": 1}\n', '["title"]\n', '[{"title": ["x"]\n', "[\n" * 5000 + '"title"\n'])
def test_other_json_is_not_a_list_of_works(text):
    entries = [entry for entry in parser.parse(text) if entry.part == 1]
    assert sum(entry.last - entry.first + 1 for entry in entries) == len(text.splitlines())
    assert not [entry for entry in entries if entry.kind == "paper"]


def test_a_list_may_stand_in_the_middle_of_a_note():
    text = "# Reading\n\n" + json.dumps([ITEM], indent=2) + "\n\nThat was all.\n"
    kinds = [(entry.kind, entry.first) for entry in read(text)]
    assert ("paper", 3) in kinds
    assert kinds[-1][1] == len(text.splitlines())


def test_a_field_given_as_a_list_has_its_first_value_and_a_name_may_be_plain_text():
    (entry,) = read(json.dumps([ITEM | {"title": ["A Story of Caches", "Other"], "author": ["Ada Lovelace"]}]))
    assert (entry.title, entry.authors) == ("A Story of Caches", ("Ada Lovelace",))
    (entry,) = read(json.dumps([ITEM | {"title": []}]))
    assert entry.title == ""


@cases("kind", ["article", "book", "thesis"])
def test_a_work_of_which_only_the_title_is_known_is_imported(kind):
    (entry,) = read(json.dumps([{"id": "a", "type": kind, "title": "Notes on _a_ and **b** for training"}]))
    assert (entry.kind, entry.decision, entry.title) == ("paper", "add", "Notes on _a_ and **b** for training")


def test_addresses_in_fields_of_other_names_are_those_of_the_work():
    item = {
        "title": "A Story of Caches",
        "year": 2031,
        "doi": "",
        "publisher_url": "https://aclanthology.org/N19-1423/",
    }
    (entry,) = read(json.dumps([item | {"pdf": "https://example.org/caches.pdf", "teacher_link": "none"}]))
    assert entry.identifiers[0] == "acl:N19-1423"
    assert [link.url for link in entry.links] == [
        "https://aclanthology.org/N19-1423",
        "https://example.org/caches.pdf",
    ]
