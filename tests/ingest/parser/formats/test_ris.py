"""RIS and EndNote records in notes."""

import pytest

from readtrack.ingest import parser
from tests.growth import LONG, assert_grows_with_its_text, repeat
from tests.tables import cases


def read(text):
    return [entry for entry in parser.parse(text) if entry.kind != "blank"]


def record(*lines, kind="JOUR"):
    (entry,) = read("\n".join([f"TY  - {kind}", *lines, "ER  - "]) + "\n")
    return entry


def test_a_record_yields_all_its_tags():
    entry = record(
        "T1  - Deep learning for all",
        "A1  - LeCun, Yann",
        "AU  - Bengio, Yoshua",
        "JO  - Nature",
        "Y1  - 2015/05/28/",
        "DO  - 10.1038/nature14539",
        "N2  - Representations with several",
        "levels of abstraction.",
        "KW  - neural networks",
        "KW  - vision",
        "N1  - Read twice",
    )
    assert entry.identifiers == ("doi:10.1038/nature14539",)
    assert (entry.title, entry.venue, entry.published) == ("Deep learning for all", "Nature", "2015-05-28")
    assert entry.authors == ("Yoshua Bengio", "Yann LeCun")
    assert entry.abstract == "Representations with several levels of abstraction."
    assert (entry.topics, entry.text) == (("neural networks", "vision"), "Read twice")
    assert (entry.first, entry.last, entry.decision) == (1, 13, "add")


@cases(
    ("line", "identifiers"),
    [
        ("UR  - https://arxiv.org/abs/2001.08361v1", ("arxiv:2001.08361",)),
        ("DO  - https://doi.org/10.1145/1.2", ("doi:10.1145/1.2",)),
        ("JO  - arXiv:2001.08361", ("arxiv:2001.08361",)),
        ("L1  - internal-pdf://12/x.pdf", ()),
    ],
)
def test_identifier_tags_become_the_identifier(line, identifiers):
    assert record("TI  - A Title of Words", line).identifiers == identifiers


@pytest.mark.parametrize(("kind", "paper_kind"), [("ELEC", "page"), ("COMP", "code"), ("JOUR", "paper")])
def test_the_type_distinguishes_pages_from_papers(kind, paper_kind):
    assert record("TI  - A Title of Words", "UR  - https://example.org/x", kind=kind).paper_kind == paper_kind


@cases(
    ("date", "iso"),
    [("2023", "2023"), ("2023///", "2023"), ("2023/05//", "2023-05"), ("2023-05-16", "2023-05-16"), ("", "")],
)
def test_dates_are_as_precise_as_the_record(date, iso):
    assert record("TI  - A Title of Words", f"PY  - {date}").published == iso


def test_several_records_need_neither_blank_lines_nor_end_tags():
    text = (
        "\ufeffTY - JOUR\nTI - One Two Three\nER -\nTY  - BOOK\nTI  - Four Five Six\n\nTY  - JOUR\n"
        "TI  - Seven Eight Nine\n\nA remark below.\n"
    )
    found = [(entry.kind, entry.first, entry.last, entry.decision) for entry in read(text)]
    assert found[:3] == [("paper", 1, 3, "add"), ("paper", 4, 6, "review"), ("paper", 7, 9, "review")]
    assert found[3][1:3] == (10, 10)


def test_a_record_without_its_first_line_is_still_read():
    entry = read("TI  - One Two Three\nAU  - Harrison, Warren\nPY  - 2001\nER  - \n")[0]
    assert (entry.title, entry.last) == ("One Two Three", 4)


def test_endnote_records_end_at_a_blank_line():
    text = (
        "%0 Journal Article\n%T The Part-Time Parliament\n%A Lamport, Leslie\n%D 1998\n"
        "%R 10.1145/279227.279229\n\n%0 Book\n%T Concrete Mathematics Again\n"
    )
    first, second = read(text)
    assert (first.identifiers, first.authors, first.published) == (
        ("doi:10.1145/279227.279229",),
        ("Leslie Lamport",),
        "1998",
    )
    assert (second.title, second.first, second.last) == ("Concrete Mathematics Again", 7, 8)


def test_lines_that_merely_resemble_tags_are_not_records():
    assert not [entry for entry in parser.parse("TY for the talk\nTY - \nOK - fine\n") if entry.kind == "paper"]


@cases(
    "text_of",
    [
        repeat("", "TY  - JOUR\n"),
        repeat("TY  - JOUR\n", "x\n"),
        repeat("", "%0 A\n"),
        repeat("", "TI  - x\nAU  - y\nPY  - z\n"),
    ],
    ids=["beginnings", "one long record", "EndNote", "fields"],
)
def test_hostile_records_are_parsed_in_linear_time(text_of):
    assert_grows_with_its_text(parser.parse, text_of)
    entries = [entry for entry in parser.parse(text_of(LONG)) if entry.part == 1]
    assert sum(entry.last - entry.first + 1 for entry in entries) == len(text_of(LONG).splitlines())


def test_an_endnote_field_may_go_on_in_the_next_line():
    (entry,) = read("%0 Journal Article\n%T On the Training of\nLarge Models\n%A Ada Lovelace\n%R 10.1234/abc\n")
    assert (entry.title, entry.last) == ("On the Training of Large Models", 5)


@cases(
    ("lines", "venue"),
    [
        (["JO  - J. Stor.", "JF  - Journal of Storage"], "Journal of Storage"),
        (["T2  - Journal of Storage", "JA  - J. Stor."], "Journal of Storage"),
        (["C3  - Proceedings of the Storage Days"], "Proceedings of the Storage Days"),
    ],
)
def test_the_full_name_of_a_venue_precedes_its_abbreviation(lines, venue):
    assert record("TI  - A Title of Words", *lines).venue == venue


@cases(
    ("lines", "topics"),
    [
        (["KW  - storage, distributed", "KW  - caches"], ("storage, distributed", "caches")),
        (["KW  - storage, caches"], ("storage", "caches")),
        (["KW  - storage; caches", "KW  - I/O"], ("storage", "caches", "I/O")),
    ],
)
def test_each_keyword_has_its_line(lines, topics):
    assert record("TI  - A Title of Words", *lines).topics == topics


def test_a_wrapped_line_with_a_dash_belongs_to_its_field():
    entry = record("TI  - A Title of Words", "AB  - Systems with", "AI - based caches.", "N1  - One", "N1  - Two")
    assert (entry.abstract, entry.text) == ("Systems with AI - based caches.", "One · Two")


def test_several_addresses_are_all_kept():
    entry = record("TI  - A Title", "UR  - https://arxiv.org/abs/2001.08361", "UR  - https://example.org/a.pdf")
    assert entry.identifiers[0] == "arxiv:2001.08361"
    assert [link.url for link in entry.links] == ["https://arxiv.org/abs/2001.08361", "https://example.org/a.pdf"]


def test_endnote_keywords_have_a_line_each():
    (entry,) = read("%0 Journal Article\n%T A Title of Words\n%K storage, distributed\ncaches\n%Z Good\n")
    assert (entry.topics, entry.text) == (("storage, distributed", "caches"), "Good")
