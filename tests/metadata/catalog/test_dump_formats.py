"""What each form of dump tells of a work, in whatever packing; files are told apart by what stands in them."""

import json
from datetime import UTC, date, datetime

import pytest

from readtrack.infra.errors import Invalid
from readtrack.metadata.catalog import dumps
from readtrack.metadata.catalog.dumps import arxiv_json, crossref_json, dblp_xml
from readtrack.metadata.types import DatedVersion, Ref
from tests.metadata.catalog.samples import HEAD, RECORD, dblp, lines, paper, papers, record, work


def of_arxiv(**said):
    return said_by(arxiv_json.FORM, json.dumps(paper(**said)))


def of_dblp(text):
    return said_by(dblp_xml.FORM, text)


def said_by(dump_form, text):
    work = dump_form.read(text.encode())
    assert work is not None
    return work.metadata


def form(tmp_path, content, name="dump"):
    path = tmp_path / name
    path.write_bytes(content)
    return dumps.inspect_dump(path).form


def test_an_arxiv_line_gives_title_authors_dates_and_the_published_identifier():
    said = of_arxiv()
    assert said.ref == Ref("arxiv", "2301.00017")
    assert said.stage == "preprint"
    assert said.title == "Herons at Rest: Checkpoints of $O(n)$ Size for Training"
    assert said.authors == ("Hanna Müller", "José Pérez Jr.", "Heron Collaboration")
    assert (said.year, said.published_on, said.venue) == (2023, date(2023, 1, 2), "J.Herons 4:17,2023")
    assert said.identifiers == (Ref("doi", "10.1234/heron.17"),)
    assert said.versions[1] == DatedVersion("v2", datetime(2023, 3, 7, 8, tzinfo=UTC))
    assert said.abstract == "Herons stand still for long. We do so as well."
    assert said.remark == "12 pages, 4 figures"


def test_authors_come_from_the_text_where_no_parsed_list_exists():
    assert of_arxiv(authors_parsed=None, authors="A. Wader (Lake), B. Heron and C. Crane").authors == (
        "A. Wader", "B. Heron", "C. Crane",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "field", "expected"),
    [
        ({"id": "math.GT/0309136"}, "ref", Ref("arxiv", "math/0309136")),
        ({"doi": "10.1/no-doi"}, "identifiers", ()),
        ({"doi": "10.1234/a 10.1234/B"}, "identifiers", (Ref("doi", "10.1234/a"), Ref("doi", "10.1234/b"))),
        ({"versions": None}, "published_on", None),
        ({"versions": [{"version": "v1", "created": "yesterday"}]}, "versions", (DatedVersion("v1"),)),
        ({"versions": [{"version": "v2", "created": "Tue, 7 Mar 2023 08:00:00 GMT"}]}, "year", None),
        ({"comments": "This paper has been withdrawn by its author"}, "remark",
         "withdrawn: This paper has been withdrawn by its author"),
        ({"comments": None, "journal-ref": 7, "abstract": ["x"]}, "venue", ""),
        ({"authors_parsed": [["Wader"], [None, "X"], "Y"]}, "authors", ("Wader", "X")),
        ({"abstract": "Write to wader@lake.example.org today"}, "abstract", "Write to  today"),
    ],
)  # fmt: skip
def test_malformed_arxiv_fields_are_missing_and_never_wrong(said, field, expected):
    assert getattr(of_arxiv(**said), field) == expected


def test_a_dblp_record_gives_a_work_with_its_named_entities():
    said = of_dblp(RECORD)
    assert said.ref == Ref("usenix", "osdi23/muller")
    assert said.title == "Waders: Serving at Less than 1µs & H2O"
    assert said.authors == ("Hanna Müller", "José Pérez")
    assert (said.year, said.venue, said.stage) == (2023, "OSDI 2023", "published")


def test_a_corr_record_is_a_preprint_with_its_arxiv_identifier():
    more = "<volume>abs/2301.00017</volume><journal>CoRR</journal><ee>https://doi.org/10.48550/arXiv.2301.00017</ee>"
    said = of_dblp(record("journals/corr/abs-2301-00017", "Herons at Rest.", more=more))
    assert (said.ref, said.stage) == (Ref("arxiv", "2301.00017"), "preprint")


@pytest.mark.parametrize("kind", ["www", "proceedings", "person", "data"])
def test_home_pages_and_volumes_are_not_works(kind):
    assert dblp_xml.read(record("homepages/w/Wader", "Home Page", kind=kind).encode()) is None


def test_a_crossref_work_gives_the_same_as_the_service():
    kept = crossref_json.read(json.dumps(work()).encode())
    assert kept is not None
    assert (kept.name, kept.metadata.ref) == ("doi:10.1234/heron.17", Ref("doi", "10.1234/heron.17"))
    assert (kept.metadata.authors, kept.metadata.year) == (("Hanna Müller", "José Pérez"), 2023)
    assert (kept.metadata.venue, kept.metadata.stage) == ("Journal of Herons", "published")


def test_a_full_api_response_is_a_work_too():
    kept = crossref_json.read(json.dumps({"status": "ok", "message": work()}).encode())
    assert kept is not None
    assert kept.name == "doi:10.1234/heron.17"


def test_a_work_without_a_title_is_skipped():
    assert crossref_json.read(json.dumps(work(title=[])).encode()) is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (lines(papers(3)), "arxiv"),
        (b"\xef\xbb\xbf" + lines(papers(1)), "arxiv"),
        (b'{"id": cut\n' + lines(papers(1)), "arxiv"),
        (lines([work()]), "crossref"),
        (lines([{"message": work()}]), "crossref"),
        (json.dumps({"items": [work()]}).encode(), "crossref-items"),
        (json.dumps({"items": [work()]}, indent=1).encode(), "crossref-items"),
        (json.dumps([work()]).encode(), "crossref-items"),
        (json.dumps({"status": "ok", "message": {"total-results": 1, "items": [work()]}}).encode(), "crossref-items"),
        (dblp(RECORD), "dblp"),
        (b"<dblp>" + RECORD.encode() + b"</dblp>", "dblp"),
    ],
)
def test_the_format_of_a_dump_is_detected_from_its_content(tmp_path, content, expected):
    assert form(tmp_path, content).name == expected


def test_one_work_on_one_line_is_a_line_and_not_a_list(tmp_path):
    assert form(tmp_path, lines([work(items=[1])])).name == "crossref"


@pytest.mark.parametrize(
    "content",
    [b"", b"some notes\n", b"[1, 2]", b'{"a": 1}\n', b"<html><body>dblp</body></html>", b"\0\1\2" * 99, b"{" * 5000],
)
def test_an_unsupported_file_is_refused_with_the_supported_formats(tmp_path, content):
    with pytest.raises(Invalid, match="not a supported dump"):
        form(tmp_path, content)


def test_an_archive_must_be_unpacked_first(tmp_path):
    with pytest.raises(Invalid, match="Unpack it"):
        form(tmp_path, b"PK\x03\x04 and so on")


def test_a_damaged_compressed_file_is_refused(tmp_path):
    with pytest.raises(Invalid, match="damaged"):
        form(tmp_path, b"\x1f\x8b\x08\x00 this was never packed")


@pytest.mark.parametrize(
    "head",
    [
        '<?xml version="1.0"?>\n<!DOCTYPE dblp [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<dblp>',
        '<?xml version="1.0"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd" [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<dblp>',
        '<?xml version="1.0"?>\n<!DOCTYPE dblp [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>\n<dblp>',
    ],
)
def test_a_file_that_declares_entities_is_refused(tmp_path, head):
    with pytest.raises(Invalid, match="declares its own XML entities"):
        form(tmp_path, f"{head}{RECORD}</dblp>".encode())


@pytest.mark.parametrize("entity", ["&x;", "&b;", "&xxe;"])
def test_an_unknown_entity_makes_its_dblp_record_invalid(entity):
    with pytest.raises(ValueError, match="has the unknown entity"):
        dblp_xml.read(record("journals/x/1", f"Herons {entity}").encode())


def test_external_entities_are_never_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    text = f'<!DOCTYPE article [<!ENTITY x SYSTEM "{secret.as_uri()}">]>{record("journals/x/1", "A &x; B")}'
    with pytest.raises(ValueError, match="entity"):
        dblp_xml.read(text.encode())


def test_a_title_may_contain_characters_that_are_markup_elsewhere():
    assert of_dblp(record("journals/x/1", "When a &lt; b and c &gt; d &amp;c.")).title == "When a < b and c > d &c"


def test_latin_1_is_decoded_as_the_xml_declaration_says(library):
    told = HEAD.encode() + record("journals/x/1", "Über Reiher").encode("latin-1") + b"</dblp>"
    library.load("dblp.xml", told)
    assert library.known.find_title("Über Reiher")[0].title == "Über Reiher"


def test_a_dblp_record_needs_a_title():
    with pytest.raises(ValueError, match="title"):
        dblp_xml.read(b'<article key="journals/x/1"><author>Ada Byron</author></article>')


def test_a_version_of_arxiv_without_a_name_is_left_out():
    found = of_arxiv(versions=[{"version": "", "created": "x"}, {"version": "v1", "created": "x"}])
    assert [version.label for version in found.versions] == ["v1"]
