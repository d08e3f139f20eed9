"""Fetching from arXiv: what is read from a good answer, and that no bad one is taken for "unknown"."""

import time
from datetime import UTC, date, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from lxml import etree

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.http.types import HttpResponse
from readtrack.metadata.parsing import arxiv_fields, latex
from readtrack.metadata.services.arxiv import fetch, read, search
from readtrack.metadata.types import DatedVersion, FetchResult, Ref
from tests.metadata.recorded import recorded
from tests.standin import ArxivStandIn, Paper, StandIn, entry, feed, made_up_title
from tests.tables import cases

UNICRON = Paper(
    title="Unicron: $O(n)$ Economizing\n  Self-Healing",
    authors=("Tao He", " Xue Li ", "王 伟"),
    abstract="  About training.\n\nAnd more. ",
    published="2024-01-01T01:02:03Z",
    updated="2024-02-02T04:05:06Z",
    version=2,
    comment="12 pages,\n 5 figures",
    journal_ref="Somewhere  7 (2024)",
    doi="10.1145/3627703.3650085",
)


@pytest.fixture
def arxiv():
    with ArxivStandIn(papers={"2401.00134": UNICRON}, unknown=["2401.99999"]) as arxiv:
        yield arxiv


@pytest.fixture
def http(arxiv):
    return way_to(arxiv)


def way_to(arxiv, total=0.5):
    bases = {"arxiv": arxiv.url}
    return HttpClient(
        agent="test",
        gate=UnlimitedRateLimiter(),
        intervals={},
        bases=bases,
        connect=0.5,
        total=total,
        max_bytes=1_000_000,
    )


class Recorded:
    """An Http whose every answer is the same text."""

    def __init__(self, body, status=200):
        self.body, self.status, self.urls = body, status, []

    def get(self, url, headers=None):
        self.urls.append(url)
        return HttpResponse(self.status, {}, self.body, url)

    def post(self, url, body, headers=None):
        raise AssertionError(url)

    def base(self, name):
        return f"https://{name}.example.org/api/query"


def test_every_field_of_an_arxiv_entry_is_read(http):
    paper = fetch(http, ["2401.00134"]).records["2401.00134"]
    assert paper.ref == Ref("arxiv", "2401.00134")
    assert paper.title == "Unicron: $O(n)$ Economizing Self-Healing"
    assert paper.authors == ("Tao He", "Xue Li", "王 伟")
    assert (paper.year, paper.published_on) == (2024, date(2024, 1, 1))
    assert paper.abstract == "About training.\n\nAnd more."
    assert (paper.venue, paper.remark) == ("Somewhere 7 (2024)", "12 pages, 5 figures")
    assert paper.identifiers == (Ref("doi", "10.1145/3627703.3650085"),)
    assert paper.versions == (
        DatedVersion("v1", datetime(2024, 1, 1, 1, 2, 3, tzinfo=UTC)),
        DatedVersion("v2", datetime(2024, 2, 2, 4, 5, 6, tzinfo=UTC)),
    )
    assert [(link.role, link.url) for link in paper.links] == [
        ("landing", "https://arxiv.org/abs/2401.00134"),
        ("pdf", "https://arxiv.org/pdf/2401.00134"),
    ]
    assert "<entry" in paper.raw
    assert "Somewhere  7" in paper.raw


def test_fields_missing_from_arxiv_stay_blank(http):
    paper = fetch(http, ["2305.15778"]).records["2305.15778"]
    assert (paper.venue, paper.remark, paper.identifiers, paper.language) == ("", "", (), "")
    assert [version.label for version in paper.versions] == ["v1"]


def test_a_withdrawn_paper_is_marked(arxiv, http):
    arxiv.papers["2305.15778"] = Paper(comment="This paper has been withdrawn by the authors")
    paper = fetch(http, ["2305.15778"]).records["2305.15778"]
    assert paper.remark == "withdrawn: This paper has been withdrawn by the authors"


def test_a_doi_assigned_by_arxiv_is_not_another_identifier(arxiv, http):
    arxiv.papers["2305.15778"] = Paper(doi="10.48550/arXiv.2305.15778")
    assert fetch(http, ["2305.15778"]).records["2305.15778"].identifiers == ()


def test_old_identifiers_are_fetched_too(http):
    found = fetch(http, ["hep-th/9901001", "cs/0601001", "solv-int/9901001"]).records
    assert {key: paper.title for key, paper in found.items()} == {key: made_up_title(key) for key in found}
    assert len(found) == 3


def test_fifty_papers_take_one_request_and_each_gets_its_own_entry(arxiv, http):
    keys = [f"2305.{number:05}" for number in range(50)]
    answer = fetch(http, keys)
    assert {key: paper.title for key, paper in answer.records.items()} == {key: made_up_title(key) for key in keys}
    assert arxiv.asked == [tuple(keys)]
    assert len(arxiv.requests[0].path) < 2000


def test_a_repeated_paper_is_requested_once(arxiv, http):
    fetch(http, ["2305.15778", "2305.15778"])
    assert arxiv.asked == [("2305.15778",)]


def test_no_keys_cause_no_request(arxiv, http):
    assert fetch(http, []) == FetchResult()
    assert arxiv.requests == []


def test_an_unknown_paper_is_missing_when_arxiv_says_so(http):
    answer = fetch(http, ["2401.00134", "2401.99999"])
    assert (set(answer.records), set(answer.missing), answer.errors) == ({"2401.00134"}, {"2401.99999"}, {})


def test_an_invalid_identifier_is_not_requested(arxiv, http):
    answer = fetch(http, ["abc", "2401.00134", "2401.00134v2"])
    assert set(answer.errors) == {"abc", "2401.00134v2"}
    assert arxiv.asked == [("2401.00134",)]


def test_one_identifier_arxiv_rejects_does_not_spoil_the_batch():
    class Fussy(ArxivStandIn):
        def answer(self, to, asked):
            self.fault = "400" if "2401.00003" in asked.ids else ""
            super().answer(to, asked)

    keys = [f"2401.{number:05}" for number in range(8)]
    with Fussy() as arxiv:
        answer = fetch(way_to(arxiv), keys)
    assert set(answer.records) == set(keys) - {"2401.00003"}
    assert "rejected" in answer.errors["2401.00003"]


@pytest.mark.parametrize("fault", ["400", "error entry"])
def test_an_error_entry_is_not_a_paper(arxiv, http, fault):
    arxiv.fault = fault
    answer = fetch(http, ["2401.00134", "2401.00135"])
    assert (answer.records, answer.missing) == ({}, frozenset())
    assert set(answer.errors) == {"2401.00134", "2401.00135"}


def test_a_partial_response_is_followed_by_a_request_for_the_rest(arxiv, http):
    arxiv.fault = "one of several"
    answer = fetch(http, ["2401.00001", "2401.00002", "2401.00003"])
    assert len(answer.records) == 3
    assert [len(ids) for ids in arxiv.asked] == [3, 2, 1]


def test_an_entry_never_returned_is_not_called_missing(arxiv, http):
    arxiv.fault = "all but one"
    answer = fetch(http, ["2401.00001", "2401.00002"])
    assert set(answer.records) == {"2401.00001"}
    assert answer.missing == frozenset()
    assert "sent nothing for" in answer.errors["2401.00002"]


def test_an_invalid_date_affects_only_the_date(arxiv, http):
    arxiv.fault = "bad date"
    found = fetch(http, ["2401.00001", "2401.00134"]).records
    assert (found["2401.00134"].published_on, found["2401.00134"].year) == (None, None)
    assert found["2401.00134"].title.startswith("Unicron")
    assert found["2401.00134"].versions[0] == DatedVersion("v1", None)
    assert found["2401.00001"].year == 2024


@pytest.mark.parametrize(
    "fault",
    [
        "403", "html", "rate exceeded", "empty body", "empty feed", "truncated", "ill-formed", "wrong entry",
        "entities", "hang", "drip", "reset", "503", "429",
    ],
)  # fmt: skip
def test_a_bad_response_is_unavailable_and_never_missing(arxiv, http, fault):
    arxiv.fault = fault
    started = time.monotonic()
    with pytest.raises(SourceUnavailable, match="Retrying later") as failure:
        fetch(http, ["2401.00134", "2401.00135"])
    assert failure.value.retry_after is None
    assert time.monotonic() - started < 20
    arxiv.fault = ""
    assert len(fetch(http, ["2401.00134", "2401.00135"]).records) == 2


@pytest.mark.parametrize("fault", ["429", "503"])
def test_the_pause_arxiv_asks_for_is_reported(arxiv, http, fault):
    arxiv.fault = f"{fault} after 120"
    with pytest.raises(SourceUnavailable) as failure:
        fetch(http, ["2401.00134"])
    assert failure.value.retry_after == 120
    assert len(arxiv.requests) == 1


@pytest.mark.parametrize("fault", ["huge", "endless", "gzip bomb", "redirect loop"])
def test_a_permanent_error_is_refused(arxiv, fault):
    arxiv.fault = fault
    with pytest.raises(SourceRefused):
        fetch(way_to(arxiv, total=20), ["2401.00134"])


def test_a_redirect_to_a_private_address_reaches_nobody(arxiv, http):
    with StandIn() as trap:
        arxiv.fault, arxiv.inwards = "redirect inwards", trap.url
        with pytest.raises(SourceRefused):
            fetch(http, ["2401.00134"])
    assert trap.requests == []


def billion_laughs():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    return f"<!DOCTYPE feed [{entities}]><feed xmlns='http://www.w3.org/2005/Atom'>&l11;</feed>".encode()


@cases(
    "body",
    [
        billion_laughs(),
        b'<!DOCTYPE f [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed xmlns="http://www.w3.org/2005/Atom">&x;</feed>',
        b"<a>" * 1_000_000,
        b"<?xml version='1.0' encoding='UTF-7'?><feed/>",
        b"<feed/>",
        b'<feed xmlns="http://www.w3.org/2005/Atom"/>',
        "<feed>ü".encode("utf-16"),
        b"\xff\xfe\x00",
        b"{}",
    ],
)
def test_hostile_xml_is_unavailable_and_quick(body):
    started = time.process_time()
    with pytest.raises(SourceUnavailable):
        fetch(Recorded(body), ["2401.00134"])
    assert time.process_time() - started < 10


def test_latex_in_titles_and_names_becomes_plain_characters(arxiv, http):
    arxiv.papers["2305.15778"] = Paper(
        title=r"Na\"ive Caching: \emph{Slow} Tea --- $\mathcal{O}(n)$ at 50\% of \$5",
        authors=(r"\'Edgar Rold\'an", r"{\L}ukasz \'Swi\k{e}cki", "H1 Collaboration"),
        abstract="We thank ``nobody''\\footnote{really}.\n  But ada@example.org.",
    )
    paper = fetch(http, ["2305.15778"]).records["2305.15778"]
    assert paper.title == r"Naïve Caching: Slow Tea — $\mathcal{O}(n)$ at 50% of $5"
    assert paper.authors == ("Édgar Roldán", "Łukasz Święcki", "H1 Collaboration")
    assert paper.abstract == "We thank “nobody”.\n\nBut ."
    assert "@" not in paper.raw


def test_a_journal_reference_gives_a_conference_short_name_and_the_paper_stays_a_preprint(arxiv, http):
    said = "17th USENIX Symposium on Operating Systems Design and Implementation (OSDI 23), doi:10.1234/osdi.5"
    arxiv.papers["2305.15778"] = Paper(journal_ref=said)
    arxiv.papers["2305.15779"] = Paper(journal_ref="Submitted to the Journal of Tea")
    found = fetch(http, ["2305.15778", "2305.15779"]).records
    assert (found["2305.15778"].venue, found["2305.15778"].stage) == ("OSDI 2023", "preprint")
    assert found["2305.15778"].identifiers == (Ref("doi", "10.1234/osdi.5"),)
    assert (found["2305.15779"].venue, found["2305.15779"].stage) == ("", "preprint")


def test_several_dois_are_several_identifiers(arxiv, http):
    arxiv.papers["2305.15778"] = Paper(doi="10.1145/3627703.3650085 10.1234/tea.5")
    paper = fetch(http, ["2305.15778"]).records["2305.15778"]
    assert [name.key for name in paper.identifiers] == ["10.1145/3627703.3650085", "10.1234/tea.5"]


def test_a_stored_entry_is_reparsed_to_the_same_result(http):
    for key, paper in fetch(http, ["2401.00134", "2305.15778", "hep-th/9901001"]).records.items():
        assert read(key, paper.raw) == paper


@cases(
    "raw",
    [
        "",
        "no entry",
        "<entry/>",
        "{}",
        "<entry xmlns='http://www.w3.org/2005/Atom'><id>x</id></entry>",
        "</feed>",
        "<entry xmlns='http://www.w3.org/2005/Atom'><id>https://arxiv.org/api/errors#x</id></entry>",
    ],
)
def test_a_stored_value_that_was_not_an_entry_gives_none(raw):
    with pytest.raises(SourceUnavailable):
        read("2401.00134", raw)


def test_only_the_requested_paper_is_read_from_a_stored_entry(http):
    raw = fetch(http, ["2401.00134"]).records["2401.00134"].raw
    with pytest.raises(SourceUnavailable, match="not this paper"):
        read("2401.00135", raw)


def a_page(*keys, total=None):
    return feed([entry(key, UNICRON) for key in keys], len(keys) if total is None else total).encode()


def test_a_title_is_searched_as_words_in_order():
    http = Recorded(a_page("2401.00134", "2401.00135", total=5000))
    works = search(http, r'Unicron: "Self-Healing" of $O(n)$ R\'enyi’s (AND ti:x)')
    assert [work.ref.key for work in works] == ["2401.00134", "2401.00135"]
    assert works[0].title.startswith("Unicron")
    assert read("2401.00134", works[0].raw) == works[0]
    asked = parse_qs(urlsplit(http.urls[0]).query)
    assert asked["search_query"] == ['ti:"Unicron Self Healing of Rényi\'s AND ti x"']
    assert asked["max_results"] == ["10"]
    assert len(http.urls) == 1


@cases("title", ["", "…", "$x$", "大模型训练系统综述"])
def test_a_title_arxiv_cannot_have_is_not_searched(title):
    http = Recorded(a_page())
    assert search(http, title) == ()
    assert http.urls == []


def test_a_title_is_not_found_only_if_arxiv_says_so():
    assert not search(Recorded(a_page()), "Kettle of Tea")


def test_an_empty_page_of_many_results_is_not_a_valid_response():
    with pytest.raises(SourceUnavailable, match="empty page"):
        search(Recorded(a_page(total=7)), "Kettle of Tea")


@cases("body", [b"", b"Rate exceeded.", b"<html/>", a_page("2401.00134")[:-30]])
def test_a_search_with_a_bad_response_is_unavailable(body):
    with pytest.raises(SourceUnavailable):
        search(Recorded(body), "Kettle of Tea")


def test_a_search_arxiv_rejects_is_refused():
    with pytest.raises(SourceRefused, match="Search for fewer words"):
        search(Recorded(b"", 400), "Kettle of Tea")


@cases(
    ("name", "key", "title", "authors", "said"),
    [
        ("id_1605.08386", "1605.08386", "Heat-bath random walks with Markov bases", 2, {"year": 2016}),
        ("id_1706.03762", "1706.03762", "Attention Is All You Need", 8, {"venue": "", "year": 2017}),
        ("id_1707.08567", "1707.08567", "Proceedings of Workshop AEW10: Concepts in", 29, {"venue": ""}),
        ("ids_0808.05394,1707.08567_partial", "1707.08567", "Proceedings of Workshop AEW10", 29, {}),
        ("id_2104.12255v1", "2104.12255", "0", 1, {"remark": ""}),
        ("id_quant-ph_0201082v1", "quant-ph/0201082", "Quantum Computers and Quantum", 1, {"remark": "32 pages"}),
        ("id_astro-ph_0601001", "astro-ph/0601001", "Frequency of Hot", 4, {"venue": "ActaAstron.56:1-50,2006"}),
        ("id_hep-ex_0406020v1", "hep-ex/0406020", "Sparticle Reconstruction at LHC", 1, {"year": 2004}),
        ("legacy/id_1601.00001", "1601.00001", "Inelastic effects in molecular transport junctions: The probe", 2, {}),
        ("legacy/id_1111.2011v2", "1111.2011", "Quantum Criticality for Extended Nodes on a Bethe Lattice", 3, {}),
    ],
)  # fmt: skip
def test_recorded_responses_are_read(name, key, title, authors, said):
    paper = fetch(Recorded(recorded(f"arxiv_api/{name}.xml")), [key]).records[key]
    assert paper.title.startswith(title)
    assert "\n" not in paper.title
    assert len(paper.authors) >= authors
    assert paper.published_on is not None
    assert paper.stage == "preprint"
    assert {field: getattr(paper, field) for field in said} == said
    assert read(key, paper.raw) == paper


@pytest.mark.parametrize(
    ("name", "key", "doi", "latest"),
    [
        ("legacy/id_1601.00001", "1601.00001", "10.1063/1.4944470", "v1"),
        ("legacy/id_1111.2011v2", "1111.2011", "10.1103/physrevb.85.115117", "v2"),
        ("id_1706.03762", "1706.03762", "", "v7"),
    ],
)
def test_recorded_dois_and_versions_are_read(name, key, doi, latest):
    paper = fetch(Recorded(recorded(f"arxiv_api/{name}.xml")), [key]).records[key]
    assert [str(name) for name in paper.identifiers] == ([f"doi:{doi}"] if doi else [])
    assert paper.versions[-1].label == latest
    assert paper.versions[0].label == "v1"


@pytest.mark.parametrize("name", ["id_0000.0000_unknown_empty.xml", "id_0808.05394_unknown_empty.xml"])
def test_recorded_empty_responses_mean_unknown(name):
    assert fetch(Recorded(recorded(f"arxiv_api/{name}")), ["2401.00134"]).missing == {"2401.00134"}


def test_of_two_recorded_papers_the_omitted_one_is_missing():
    http = Recorded(recorded("arxiv_api/ids_0808.05394,1707.08567_partial.xml"))
    answer = fetch(http, ["0808.0539", "1707.08567"])
    assert (set(answer.records), set(answer.missing)) == ({"1707.08567"}, {"0808.0539"})


@pytest.mark.parametrize("name", ["id_abc_malformed_400.xml", "legacy/doc_error_malformed_id.xml"])
@pytest.mark.parametrize("status", [200, 400])
def test_recorded_errors_are_refusals(name, status):
    answer = fetch(Recorded(recorded(f"arxiv_api/{name}"), status), ["2401.00134"])
    assert (answer.records, answer.missing, set(answer.errors)) == ({}, frozenset(), {"2401.00134"})


def test_the_recorded_text_of_a_rate_limit_is_unavailable():
    with pytest.raises(SourceUnavailable):
        fetch(Recorded(recorded("arxiv_api/rate_limit_429.txt")), ["2401.00134"])


@cases(
    ("name", "keys"),
    [
        ("legacy/search_au_AND_ti", ["cond-mat/0603029"]),
        ("legacy/search_au_AND_ti_phrase", ["1111.2011", "cond-mat/0607501"]),
        ("legacy/doc_typical_response", ["hep-ex/0307015"]),
        ("search_attention_mechanism_doi", ["2002.00741", "1102.2017", "1112.2954"]),
    ],
)
def test_recorded_searches_are_read(name, keys):
    works = search(Recorded(recorded(f"arxiv_api/{name}.xml")), "Words of a Title")
    assert sorted(work.ref.key for work in works) == sorted(keys)


def test_a_hundred_recorded_papers_keep_their_venues_and_names():
    body = recorded("arxiv_api/search_testing_start0_max100.xml")
    keys = ["2005.14124", "2302.03287", "1202.4527", "1205.1866", "hep-ph/0301050", "gr-qc/0103067"]
    found = fetch(Recorded(body), keys)
    papers = {**found.records}
    assert [papers[key].venue for key in keys] == [
        "ISSTA 2020", "ICSTW 2023",
        "International Journal of Software Engineering & Applications (IJSEA), Vol.3, No.1, January 2012",
        "", "Phys.Lett.B573:94-100,2003", "Lect.Notes Phys.562:195-212,2001",
    ]  # fmt: skip
    assert papers["1205.1866"].identifiers == (Ref("doi", "10.5121/vlsic.2012.3205"),)
    assert papers["gr-qc/0103067"].authors[1] == "C. Lämmerzahl"


def test_names_in_a_recorded_harvest_are_latex():
    root = etree.fromstring(recorded("arxiv_oai/arXivRaw_1810.09584_GetRecord.xml"))
    said = {name: root.findtext(f".//{{*}}{name}") or "" for name in ("authors", "journal-ref", "doi", "abstract")}
    assert latex.decode_latex(said["authors"].split(" and ")[-1]) == "Édgar Roldán"
    assert arxiv_fields.venue(said["journal-ref"]) == "EPL 124,60006 (2018)"
    assert arxiv_fields.find_published_dois(said["doi"]) == (Ref("doi", "10.1209/0295-5075/124/60006"),)
    assert "\n" not in arxiv_fields.prose(said["abstract"])
