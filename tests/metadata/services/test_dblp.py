"""What DBLP says of a title: the published form tells, the preprint adds its name, no other work is taken for it."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata.parsing import answers
from readtrack.metadata.services import dblp
from readtrack.metadata.types import PaperDescription, Ref
from tests.metadata.answering import Answering, changed, is_sound
from tests.metadata.recorded import own, recorded
from tests.tables import cases

TITLE = "Kettle: Warm Caches for Slow Tea & Coffee"
TWO_FORMS = json.loads(own("dblp/two_forms.json"))
PREPRINT, PAPER, ARTIFACT, OTHER = (hit["info"] for hit in TWO_FORMS["result"]["hits"]["hit"])
NONE = own("dblp/none.json")


def answering(body):
    return Answering({"/search/publ/api": body})


def hits(*infos, total=None):
    """An answer with these hits."""
    listed = {"@total": str(len(infos) if total is None else total), "hit": [{"info": info} for info in infos]}
    return {"result": {"status": {"@code": "200"}, "hits": listed}}


def read(**info):
    return dblp.read("", json.dumps({"info": {"title": "Kettle.", **info}}))


def test_the_published_record_is_used_and_the_preprint_adds_its_identifier():
    paper = dblp.fetch(answering(TWO_FORMS), [TITLE]).records[TITLE]
    assert (paper.ref, paper.service, paper.stage) == (Ref("usenix", "osdi24/teapot"), "dblp", "published")
    assert paper.title == TITLE
    assert paper.authors == ("Ada Teapot", "Bo Tülle")
    assert (paper.year, paper.venue, paper.published_on) == (2024, "OSDI 2024", None)
    assert paper.identifiers == (Ref("arxiv", "2401.98765"),)


@cases(
    ("info", "publication_type"),
    [
        ({"type": "Journal Articles"}, "journal_article"),
        ({"type": "Conference and Workshop Papers"}, "conference_paper"),
        ({"type": "Books and Theses", "key": "books/aw/Knuth68"}, "book"),
        ({"type": "Books and Theses", "key": "phd/basesearch/Teapot24"}, "thesis"),
        ({"type": "Journal Articles", "venue": "CoRR"}, ""),
        ({"type": "Informal and Other Publications"}, ""),
    ],
)
def test_the_publication_type_is_what_dblp_states(info, publication_type):
    assert read(**info).publication_type == publication_type


def test_a_stored_response_is_reparsed_and_contains_only_the_work():
    paper = dblp.fetch(answering(TWO_FORMS), [TITLE]).records[TITLE]
    assert dblp.read(TITLE, paper.raw) == paper
    assert "Zenodo" not in paper.raw
    assert "Cup" not in paper.raw


def test_only_a_preprint_is_a_preprint_without_a_venue():
    paper = dblp.fetch(answering(hits(PREPRINT)), [TITLE]).records[TITLE]
    assert (paper.ref, paper.stage, paper.venue) == (Ref("arxiv", "2401.98765"), "preprint", "")
    assert paper.identifiers == ()


def test_the_corr_volume_is_the_arxiv_identifier_where_no_url_is_given():
    info = {**PREPRINT, "ee": None, "doi": None}
    assert read(**info).ref == Ref("arxiv", "2401.98765")


def test_the_title_words_are_searched_without_punctuation_and_formulas():
    http = answering(NONE)
    title = r"R\'enyi-Kettle: $O(n \log n)$ Tea | Amdahl's -Milk"
    assert dblp.fetch(http, [title]).missing == {title}
    address = urlsplit(http.asked[0])
    assert (address.netloc, address.path) == ("dblp.example.org", "/search/publ/api")
    assert parse_qs(address.query) == {"q": ["Rényi Kettle Tea Amdahl Milk"], "format": ["json"], "h": ["10"]}


@pytest.mark.parametrize("title", ["$x$", "…"])
def test_a_title_without_words_is_not_searched(title):
    http = answering(NONE)
    assert dblp.fetch(http, [title]).missing == {title}
    assert http.asked == []


@cases("body", [NONE, hits(OTHER), hits(ARTIFACT), hits(dict(OTHER, type="Editorship"))])
def test_a_title_that_no_hit_has_is_missing(body):
    answer = dblp.fetch(answering(body), [TITLE])
    assert (set(answer.missing), len(answer.records), len(answer.errors)) == ({TITLE}, 0, 0)


def test_a_title_is_not_missing_if_there_are_more_hits_than_were_returned():
    http = answering(hits(OTHER, total=5000))
    answer = dblp.fetch(http, [TITLE])
    assert (answer.records, answer.missing) == ({}, frozenset())
    assert "5000 works with the words" in answer.errors[TITLE]
    assert [parse_qs(urlsplit(url).query)["h"] for url in http.asked] == [["10"], ["100"]]


def test_works_of_one_title_by_different_people_are_left_to_a_person():
    namesake = {**PAPER, "authors": {"author": [{"text": "Dan Demitasse"}, {"text": "Eve Espresso"}]}}
    answer = dblp.fetch(answering(hits(PAPER, namesake)), [TITLE])
    assert answer.records == {}
    assert "several works" in answer.errors[TITLE]


def test_the_conference_paper_comes_before_its_extended_journal_version():
    journal = {
        **PAPER, "venue": "ACM Trans. Tea", "type": "Journal Articles", "ee": "https://doi.org/10.1145/9900000.9900003"
    }  # fmt: skip
    paper = dblp.fetch(answering(hits(journal, PAPER)), [TITLE]).records[TITLE]
    assert (paper.venue, paper.identifiers) == ("OSDI 2024", (Ref("doi", "10.1145/9900000.9900003"),))


def test_a_subtitle_may_be_missing_but_the_full_title_comes_first():
    short = {**PAPER, "title": "Warm Caches for Slow Tea.", "ee": "https://doi.org/10.1145/9900000.9900004"}
    long = {**OTHER, "title": "Warm Caches for Slow Tea: A Survey."}
    title = "Warm Caches for Slow Tea"
    assert dblp.fetch(answering(hits(long, short)), [title]).records[title].ref == Ref("doi", "10.1145/9900000.9900004")
    assert dblp.fetch(answering(hits(long)), [title]).records[title].title == "Warm Caches for Slow Tea: A Survey"


@cases(
    ("written", "shown"),
    [
        ("Warm Tea.", "Warm Tea"),
        ("Is Tea Warm?", "Is Tea Warm?"),
        ("Warm Tea ...", "Warm Tea ..."),
        ("Tea at Teapot Inc.", "Tea at Teapot Inc."),
        ("Teapot et al.", "Teapot et al."),
        ("Tea in the U.S.", "Tea in the U.S."),
        ("Vitamin C.", "Vitamin C"),
        ("Tea &amp; <i>Coffee</i>.", "Tea & Coffee"),
        ({"@x": "1"}, ""),
        (None, ""),
    ],
)
def test_the_trailing_full_stop_of_dblp_titles_is_removed(written, shown):
    assert dblp.title_of(written) == shown


@cases(
    ("authors", "shown"),
    [
        ({"author": {"@pid": "1", "text": "Wei Liu 0008"}}, ("Wei Liu",)),
        ({"author": [{"text": "Wei Liu 0008"}, "Bo Li", None, 5, {}]}, ("Wei Liu", "Bo Li")),
        ({"author": "Bo Li"}, ("Bo Li",)),
        ({}, ()),
        ("Bo Li", ()),
        (None, ()),
    ],
)
def test_authors_are_a_list_or_a_single_value_and_lose_their_numbers(authors, shown):
    assert read(authors=authors).authors == shown


def test_a_work_without_other_identifiers_has_its_dblp_page():
    assert read(key="conf/tea/Teapot24", ee=["https://tea.example.org/1.pdf"]).ref == Ref(
        "url", "dblp.org/rec/conf/tea/Teapot24"
    )


@cases(
    "body",
    [
        (403, "Are you human?"),
        (404, "not found"),
        "<!doctype html><title>Sign in</title>",
        b"",
        "[]",
        "{}",
        json.dumps(TWO_FORMS)[:-20],
        {"result": {"status": {"@code": "500", "text": "Error"}, "hits": {"@total": "0"}}},
        {"result": {"status": {"@code": "200"}, "hits": {"@total": "many"}}},
        {"result": {"status": {"@code": "200"}, "hits": {"@total": "9" * 5000}}},
        {"error": "rate limited"},
    ],
)
def test_f17_a_bad_response_is_unavailable_and_never_missing(body):
    with pytest.raises(SourceUnavailable, match="Retrying later"):
        dblp.fetch(answering(body), [TITLE])


@cases("raw", ["[]", "1", "{}", '{"hit": []}', '{"hit": [{"info": {"title": ""}}]}', "no json"])
def test_a_stored_bad_response_gives_none_when_reparsed(raw):
    with pytest.raises(SourceUnavailable):
        dblp.read(TITLE, raw)


@given(st.data())
def test_f19_fields_of_an_unexpected_type_are_missing_and_not_wrong(data):
    answer = data.draw(changed({"hit": [{"info": PREPRINT}, {"info": PAPER}]}))
    try:
        work = dblp.read(TITLE, answers.serialize_answer(answer))
    except SourceUnavailable:
        return
    assert is_sound(work)


@cases(
    ("about", "keys"),
    [
        (PaperDescription((), TITLE), (TITLE,)),
        (PaperDescription((Ref("arxiv", "2401.98765"),), TITLE), (TITLE,)),
        (PaperDescription((), ""), ()),
        (PaperDescription((), "Kettle"), ()),
        (PaperDescription((), "分布式训练系统综述论文"), ()),
        (PaperDescription((), TITLE, "video"), ()),
    ],
)
def test_only_papers_with_a_distinctive_latin_title_are_searched(about, keys):
    assert dblp.SERVICE.select_keys(about) == keys


def test_a_search_returns_every_work_separately():
    works = dblp.search(answering(TWO_FORMS), "kettle")
    assert [(work.ref.scheme, work.stage) for work in works] == [
        ("usenix", "published"), ("arxiv", "preprint"), ("doi", "published"),
    ]  # fmt: skip
    assert [dblp.read("", work.raw) for work in works] == list(works)


def test_a_recorded_response_is_read():
    http = answering(recorded("dblp/search_publ_attention.json"))
    title = "Attentional Transfer is All You Need: Technology-aware Layout Pattern Generation"
    paper = dblp.fetch(http, [title]).records[title]
    assert paper.ref == Ref("doi", "10.1109/dac18074.2021.9586227")
    assert paper.authors == ("Xiaopeng Zhang", "Haoyu Yang", "Evangeline F. Y. Young")
    assert (paper.title, paper.year, paper.venue) == (title, 2021, "DAC 2021")


def test_a_recorded_response_without_the_paper_among_the_first_hits_is_inconclusive():
    http = answering(recorded("dblp/search_publ_attention.json"))
    answer = dblp.fetch(http, ["Attention is All you Need"])
    assert (answer.records, answer.missing) == ({}, frozenset())
    assert "112 works" in answer.errors["Attention is All you Need"]


def as_info(element):
    """A hit or record of DBLP's XML in the shape of its JSON, in which what stands once is no list."""
    authors = [{"text": author.text} for author in element.iter("author")]
    addresses = [address.text for address in element.iterfind("ee")]
    plain = {one.tag: "".join(one.itertext()) for one in element if one.tag not in {"authors", "author", "ee"}}
    ones = (members[0] if len(members) == 1 else members for members in (authors, addresses))
    author, ee = ones
    return {"venue": plain.get("booktitle"), **plain, "authors": {"author": author}, "ee": ee}


def test_recorded_xml_hits_give_the_same_result():
    root = etree.fromstring(recorded("dblp/search_publ_attention_mechanism.xml"))
    works = [dblp.read("", json.dumps({"info": as_info(info)})) for info in root.iter("info")]
    assert [work.ref for work in works] == [
        Ref("doi", "10.1007/s11063-025-11757-7"), Ref("doi", "10.4108/eetsis.9117"), Ref("doi", "10.4108/eetsis.9117"),
    ]  # fmt: skip
    assert [work.venue for work in works] == ["Neural Process. Lett.", *["EAI Endorsed Trans. Scalable Inf. Syst."] * 2]
    assert {(work.year, work.stage) for work in works} == {(2025, "published")}


def test_recorded_proceedings_are_read_without_full_stops_and_numbers():
    root = etree.fromstring(recorded("dblp/toc_conf_sosp_sosp2025.xml"))
    works = [dblp.read("", json.dumps({"info": as_info(record)})) for record in root.iter("inproceedings")]
    assert len(works) == 66
    assert {(work.venue, work.year, work.ref.scheme) for work in works} == {("SOSP 2025", 2025, "doi")}
    assert not [work.title for work in works if work.title.endswith(".") or "  " in work.title]
    assert not [name for work in works for name in work.authors if any(map(str.isdigit, name))]
    assert works[0].title == "LithOS: An Operating System for Efficient Machine Learning on GPUs"
    assert works[0].authors[-1] == "Dimitrios Skarlatos"
    assert works[1].title.startswith("μFork")


@cases("code", [{}, ["500"], "500", [{"a": 1}, "404"]])
def test_an_unexpected_status_is_not_a_valid_response(code):
    answer = {"result": {"status": {"@code": code}, "hits": {"@total": "x", "hit": []}}}
    with pytest.raises(SourceUnavailable):
        dblp.search(answering(answer), "kettle")


def test_a_preprint_repository_is_not_a_venue():
    info = {"title": "Tea.", "venue": "IACR Cryptol. ePrint Arch.", "type": "Informal and Other Publications"}
    work = dblp.read("Tea", json.dumps({"info": info | {"key": "journals/iacr/Tea20", "year": "2020"}}))
    assert (work.venue, work.stage) == ("", "preprint")
