"""Whole exports of reference managers and bookmark services: what comes over of each."""

import json
from pathlib import Path

import pytest

from readtrack.ingest import parser
from readtrack.ingest.imports.commands import is_known_json
from readtrack.ingest.parser.bibliography.reading_marks import take_reading_marks
from readtrack.ingest.parser.segments import ReaderState, open_reader, record_format
from tests.growth import assert_grows_with_its_text, repeat
from tests.tables import cases

EXPORTS = Path(__file__).parent / "exports"
PAGED, TAIL, UNICRON = "arxiv:2309.06180", "doi:10.1145/2408776.2408794", "arxiv:2401.00134"
PAGED_AT_SOSP, RAG = "doi:10.1145/3600006.3613165", "arxiv:2005.11401"


def read(name):
    return parser.parse((EXPORTS / name).read_text(encoding="utf-8"))


def papers_of(name):
    return [entry for entry in read(name) if entry.kind == "paper"]


@cases(
    ("name", "papers"),
    [
        (
            "better_bibtex.json",
            [
                (UNICRON, ("Systems", "fault tolerance"), "reading", "⭐⭐⭐⭐", "Great idea. Second & more"),
                ("url:docs.nvidia.com/nccl/index.html", ("Systems", "Checkpointing"), None, "", ""),
            ],
        ),
        (
            "zotero.rdf",
            [
                (RAG, ("Reading group", "retrieval"), "read", "", "Compare with REALM."),
                (TAIL, ("Reading group", "Latency"), None, "", ""),
            ],
        ),
        ("zotero_csl.json", [(TAIL, (), "read", "", "")]),
        ("zotero.csv", [(PAGED_AT_SOSP, ("serving",), "read", "⭐⭐⭐⭐", "Ask about fragmentation.")]),
        (
            "jabref.bib",
            [
                (
                    PAGED_AT_SOSP,
                    ("Serving", "LLM systems"),
                    "read",
                    "⭐⭐⭐⭐",
                    "Ask about fragmentation. · My private remark",
                )
            ],
        ),
        (
            "mendeley.bib",
            [
                (
                    TAIL,
                    ("latency", "tail", "hedging", "Systems", "Latency", "Reading group"),
                    None,
                    "",
                    "Hedging!",
                )
            ],
        ),
        ("paperpile.bib", [(UNICRON, ("Training/Fault tolerance", "reliability"), "to_read", "", "")]),
        (
            "paperpile.json",
            [
                (UNICRON, ("Training", "Fault tolerance", "reliability"), None, "", "Compare with Oobleck."),
                ("", (), None, "", ""),
            ],
        ),
        (
            "raindrop.csv",
            [
                (
                    TAIL,
                    ("Systems", "Latency", "tail", "hedging"),
                    None,
                    "",
                    "read before Monday Software techniques that tolerate latency variability",
                ),
                (PAGED, ("serving",), None, "", ""),
            ],
        ),
        ("pocket.html", [(PAGED, ("serving", "llm"), "to_read", "", ""), (TAIL, (), "read", "", "")]),
        ("pocket.csv", [(PAGED, ("serving", "llm"), "to_read", "", ""), (TAIL, (), "read", "", "")]),
        ("karakeep.json", [(TAIL, ("tail", "hedging"), "read", "", "Ask Luiz"), (PAGED, (), None, "", "")]),
        (
            "linkding.html",
            [
                (PAGED, ("serving", "llm"), "to_read", "", "vLLM · Ask about *fragmentation*"),
                (TAIL, ("tail",), "read", "", ""),
            ],
        ),
        (
            "linkding.json",
            [
                (PAGED, ("serving", "llm"), "to_read", "", "Ask about *fragmentation* · vLLM"),
                (TAIL, (), "read", "", ""),
            ],
        ),
    ],
)
def test_topics_statuses_ratings_and_notes_come_over(name, papers):
    rows = [(entry.identifiers, entry.topics, entry.status, entry.rating, entry.text) for entry in papers_of(name)]
    assert [row[1:] for row in rows] == [paper[1:] for paper in papers]
    assert all(paper[0] in (identifiers or ("",)) for (identifiers, *_), paper in zip(rows, papers, strict=True))


@cases(
    ("name", "authors", "venue", "published"),
    [
        ("better_bibtex.json", ("Tao He", "A Team"), "Proceedings of OSDI", "2024-01-15"),
        ("zotero.rdf", ("Patrick Lewis",), "", "2021-04-12"),
        ("paperpile.json", ("Tao He",), "arXiv [cs.DC]", "2023-12-30"),
        ("jabref.bib", ("Woosuk Kwon", "Zhuohan Li"), "SOSP", "2023"),
    ],
)
def test_bibliographic_fields_come_over(name, authors, venue, published):
    entry = papers_of(name)[0]
    assert (entry.authors, entry.venue, entry.published) == (authors, venue, published)


@cases(
    ("name", "topics"),
    [
        ("zotero.rdf", [("Reading group", ()), ("Latency", ("Reading group",))]),
        ("jabref.bib", [("LLM systems", ()), ("Serving", ("LLM systems",))]),
    ],
)
def test_collections_and_groups_become_topics_below_each_other(name, topics):
    assert [(entry.title, entry.topics) for entry in read(name) if entry.kind == "topic"] == topics


@pytest.mark.parametrize("path", sorted(EXPORTS.iterdir()), ids=lambda path: path.name)
def test_every_line_of_an_export_is_in_one_entry(path):
    text = path.read_text(encoding="utf-8")
    spans = [(entry.first, entry.last) for entry in parser.parse(text) if entry.part == 1]
    assert [number for first, last in spans for number in range(first, last + 1)] == list(
        range(1, len(text.splitlines()) + 1)
    )
    assert path.suffix != ".json" or is_known_json(text)


@pytest.mark.parametrize("name", ["karakeep.json", "linkding.json", "paperpile.json"])
def test_a_long_export_is_read_record_by_record_with_the_same_result(name):
    text = (EXPORTS / name).read_text(encoding="utf-8")
    reader = open_reader(record_format(text), ReaderState())
    segments = [*reader.feed(text), *reader.close()]
    streamed = [entry for segment in segments for entry in segment.entries if entry.kind != "blank"]
    assert [(entry.title, entry.topics, entry.status) for entry in streamed] == [
        (entry.title, entry.topics, entry.status) for entry in read(name) if entry.kind != "blank"
    ]


@cases(
    ("tags", "extra", "topics", "status", "rating", "read_on"),
    [
        (["/unread", "RAG"], "", ("RAG",), "to_read", "", ""),
        (["#reading"], "", (), "reading", "", ""),
        (["_to read", "⭐⭐"], "", (), "to_read", "⭐⭐", ""),
        (["TCP/IP", "read mapping"], "", ("TCP/IP", "read mapping"), None, "", ""),
        (["not reading", "4/5"], "", (), "dropped", "4/5", ""),
        (["/unread"], "Read_Status: Read\nRead_Status_Date: 2024-03-02T10:00:00Z", (), "read", "", "2024-03-02"),
        ([], "Read Status: Not Reading", (), "dropped", "", ""),
        ([], "Read_Status: In Progress\nRead_Status_Date: 2024-03-02", (), "reading", "", ""),
        ([], "Citation Key: dean2013", (), None, "", ""),
    ],
)
def test_marks_are_told_from_tags(tags, extra, topics, status, rating, read_on):
    marks = take_reading_marks(tags, extra)
    assert (marks.topics, marks.status, marks.rating, marks.read_on) == (topics, status, rating, read_on)


def test_a_note_without_an_item_is_a_text():
    library = json.loads((EXPORTS / "better_bibtex.json").read_text(encoding="utf-8"))
    library["items"].append({"itemType": "note", "note": "<p>Plan of the group</p>", "collections": ["QWERTY12"]})
    entry = parser.parse(json.dumps(library, indent=1))[-1]
    assert (entry.kind, entry.text, entry.topics) == ("snippet", "Plan of the group", ("Systems",))


def test_collections_that_contain_each_other_are_read():
    text = (EXPORTS / "zotero.rdf").read_text(encoding="utf-8")
    circle = text.replace(
        '<dcterms:hasPart rdf:resource="urn:isbn:978"/>',
        '<dcterms:hasPart rdf:resource="urn:isbn:978"/><dcterms:hasPart rdf:resource="#collection_3"/>',
    )
    assert len([entry for entry in parser.parse(circle) if entry.kind == "paper"]) == 2


def test_a_doi_of_a_journal_with_several_articles_names_none_of_them():
    text = (EXPORTS / "zotero.rdf").read_text(encoding="utf-8")
    start, end = text.index('<bib:Article rdf:about="urn:isbn:978">'), text.index('<bib:Journal rdf:about="urn:issn')
    second = text[start:end].replace("urn:isbn:978", "urn:isbn:979").replace("The Tail at Scale", "Spanner: A Database")
    tail = [entry for entry in parser.parse(text[:end] + second + text[end:]) if entry.title == "The Tail at Scale"]
    assert [(entry.identifiers, entry.venue) for entry in tail] == [((), "Communications of the ACM")]


def test_a_truncated_library_is_read_as_far_as_it_goes():
    text = (EXPORTS / "zotero.rdf").read_text(encoding="utf-8")
    titles = [entry.title for entry in parser.parse(text[: text.index("<bib:Journal")]) if entry.kind == "paper"]
    assert titles == ["Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks", "The Tail at Scale"]


def test_entities_of_a_library_are_not_expanded():
    text = (EXPORTS / "zotero.rdf").read_text(encoding="utf-8")
    hostile = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n' + text.replace("The Tail at Scale", "T &a; l")
    assert not any("root:" in entry.title + entry.text for entry in parser.parse(hostile))


@pytest.mark.parametrize("name", ["zotero.rdf", "better_bibtex.json"])
def test_reading_time_grows_with_the_size_of_the_library(name):
    text = (EXPORTS / name).read_text(encoding="utf-8")
    start = text.index("    <bib:Article") if name == "zotero.rdf" else text.index('    {\n      "itemID": 11')
    end = text.index("    <bib:Journal") if name == "zotero.rdf" else text.index('    {\n      "itemID": 12')
    text_of = repeat(text[:start], text[start:end], text[end:])
    assert_grows_with_its_text(parser.parse, lambda size: text_of(10 * size))


@cases(
    "head",
    [
        "arXiv:2111.00002\nDate: Mon, 1 Nov 2021 00:00:00 GMT   (100kb,D)\n",
        "arXiv:2111.00002 (*cross-listing*)\nDate: Mon, 1 Nov 2021 00:00:00 GMT   (100kb,D)\n",
        "arXiv:2111.00002\nreplaced with revised version Mon, 1 Nov 2021 00:00:00 GMT   (100kb,D)\n",
    ],
)
def test_a_paper_in_a_mail_of_arxiv_is_one_paper_however_it_came_to_be_listed(head):
    text = (
        f"{head}\nTitle: Forgetting to Cache with Wires that Go On over\n  Two Lines\nAuthors: Ada Lovelace, Ken Abe\n"
        "Categories: cs.CL\n\\\\\n  We study caches.\n\\\\ ( https://arxiv.org/abs/2111.00002 ,  100kb)\n"
    )
    (paper,) = (entry for entry in parser.parse(text) if entry.kind == "paper")
    assert (paper.title, paper.identifiers, paper.first) == (
        "Forgetting to Cache with Wires that Go On over Two Lines",
        ("arxiv:2111.00002",),
        1,
    )
    assert len(paper.authors) == 2
