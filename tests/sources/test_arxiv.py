"""Fetching from arXiv: what is read from a good answer, and that no bad one is taken for "unknown"."""

import os
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from readtrack import sources
from readtrack.egress import Egress, OpenGate
from readtrack.errors import SourceRefused, SourceUnavailable
from readtrack.sources import Answer, DatedVersion, Ref
from readtrack.sources.arxiv import fetch
from tests.standin import ArxivStandIn, Paper, StandIn, made_up_title

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


def way_to(arxiv):
    bases = {"arxiv": arxiv.url}
    return Egress(agent="test", gate=OpenGate(), intervals={}, bases=bases, connect=0.5, total=0.5, max_bytes=1_000_000)


class Recorded:
    """An Http whose every answer is the same text."""

    def __init__(self, body, status=200):
        self.body, self.status, self.urls = body, status, []

    def get(self, url, headers=None):
        self.urls.append(url)
        return Answer(self.status, {}, self.body, url)

    def base(self, name):
        return f"https://{name}.example.org/api/query"


def test_everything_arxiv_says_of_a_paper_is_read(http):
    paper = fetch(http, ["2401.00134"]).found["2401.00134"]
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


def test_what_arxiv_does_not_say_stays_blank(http):
    paper = fetch(http, ["2305.15778"]).found["2305.15778"]
    assert (paper.venue, paper.remark, paper.identifiers, paper.language) == ("", "", (), "")
    assert [version.label for version in paper.versions] == ["v1"]


def test_a_withdrawn_paper_says_so(arxiv, http):
    arxiv.papers["2305.15778"] = Paper(comment="This paper has been withdrawn by the authors")
    paper = fetch(http, ["2305.15778"]).found["2305.15778"]
    assert paper.remark == "withdrawn: This paper has been withdrawn by the authors"


def test_a_doi_that_arxiv_gave_itself_is_no_other_identifier(arxiv, http):
    arxiv.papers["2305.15778"] = Paper(doi="10.48550/arXiv.2305.15778")
    assert fetch(http, ["2305.15778"]).found["2305.15778"].identifiers == ()


def test_old_identifiers_are_fetched_too(http):
    found = fetch(http, ["hep-th/9901001", "cs/0601001", "solv-int/9901001"]).found
    assert {key: paper.title for key, paper in found.items()} == {key: made_up_title(key) for key in found}
    assert len(found) == 3


def test_fifty_papers_are_one_request_and_each_gets_its_own_entry(arxiv, http):
    keys = [f"2305.{number:05}" for number in range(50)]
    answer = fetch(http, keys)
    assert {key: paper.title for key, paper in answer.found.items()} == {key: made_up_title(key) for key in keys}
    assert arxiv.asked == [tuple(keys)]
    assert len(arxiv.requests[0].path) < 2000


def test_the_same_paper_is_asked_for_once(arxiv, http):
    fetch(http, ["2305.15778", "2305.15778"])
    assert arxiv.asked == [("2305.15778",)]


def test_nothing_is_asked_for_nothing(arxiv, http):
    assert fetch(http, []) == sources.Fetched()
    assert arxiv.requests == []


def test_an_unknown_paper_is_missing_when_arxiv_says_so(http):
    answer = fetch(http, ["2401.00134", "2401.99999"])
    assert (set(answer.found), set(answer.missing), answer.refused) == ({"2401.00134"}, {"2401.99999"}, {})


def test_what_is_no_identifier_is_not_asked_for(arxiv, http):
    answer = fetch(http, ["abc", "2401.00134", "2401.00134v2"])
    assert set(answer.refused) == {"abc", "2401.00134v2"}
    assert arxiv.asked == [("2401.00134",)]


def test_one_identifier_that_arxiv_dislikes_does_not_spoil_the_batch():
    class Fussy(ArxivStandIn):
        def answer(self, to, asked):
            self.fault = "400" if "2401.00003" in asked.ids else ""
            super().answer(to, asked)

    keys = [f"2401.{number:05}" for number in range(8)]
    with Fussy() as arxiv:
        answer = fetch(way_to(arxiv), keys)
    assert set(answer.found) == set(keys) - {"2401.00003"}
    assert "does not accept" in answer.refused["2401.00003"]


@pytest.mark.parametrize("fault", ["400", "error entry"])
def test_an_error_entry_is_no_paper(arxiv, http, fault):
    arxiv.fault = fault
    answer = fetch(http, ["2401.00134", "2401.00135"])
    assert (answer.found, answer.missing) == ({}, frozenset())
    assert set(answer.refused) == {"2401.00134", "2401.00135"}


def test_a_part_of_the_entries_is_followed_by_a_question_for_the_rest(arxiv, http):
    arxiv.fault = "one of several"
    answer = fetch(http, ["2401.00001", "2401.00002", "2401.00003"])
    assert len(answer.found) == 3
    assert [len(ids) for ids in arxiv.asked] == [3, 2, 1]


def test_an_entry_never_given_is_not_called_missing(arxiv, http):
    arxiv.fault = "all but one"
    answer = fetch(http, ["2401.00001", "2401.00002"])
    assert set(answer.found) == {"2401.00001"}
    assert answer.missing == frozenset()
    assert "without saying that it is unknown" in answer.refused["2401.00002"]


def test_a_bad_date_costs_only_the_date(arxiv, http):
    arxiv.fault = "bad date"
    found = fetch(http, ["2401.00001", "2401.00134"]).found
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
def test_a_bad_answer_is_unavailable_and_never_missing(arxiv, http, fault):
    arxiv.fault = fault
    started = time.monotonic()
    with pytest.raises(SourceUnavailable, match="asked again later") as failure:
        fetch(http, ["2401.00134", "2401.00135"])
    assert failure.value.retry_after is None
    assert time.monotonic() - started < 2
    arxiv.fault = ""
    assert len(fetch(http, ["2401.00134", "2401.00135"]).found) == 2


@pytest.mark.parametrize("fault", ["429", "503"])
def test_the_wait_that_arxiv_asks_for_is_told(arxiv, http, fault):
    arxiv.fault = f"{fault} after 120"
    with pytest.raises(SourceUnavailable) as failure:
        fetch(http, ["2401.00134"])
    assert failure.value.retry_after == 120
    assert len(arxiv.requests) == 1


@pytest.mark.parametrize("fault", ["huge", "endless", "gzip bomb", "redirect loop"])
def test_what_asking_again_would_not_mend_is_refused(arxiv, http, fault):
    arxiv.fault = fault
    with pytest.raises(SourceRefused):
        fetch(http, ["2401.00134"])


def test_a_redirect_inwards_reaches_nobody(arxiv, http):
    with StandIn() as trap:
        arxiv.fault, arxiv.inwards = "redirect inwards", trap.url
        with pytest.raises(SourceRefused):
            fetch(http, ["2401.00134"])
    assert trap.requests == []


def billion_laughs():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    return f"<!DOCTYPE feed [{entities}]><feed xmlns='http://www.w3.org/2005/Atom'>&l11;</feed>".encode()


@pytest.mark.parametrize(
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
    assert time.process_time() - started < 0.5


def recordings():
    folder = os.environ.get("READTRACK_TEST_SAMPLES")
    return Path(folder).parent / "recordings" / "arxiv_api" if folder else Path("/nowhere")


@pytest.mark.parametrize(
    ("name", "key", "title", "authors"),
    [
        ("id_1707.08567.xml", "1707.08567", "Proceedings of Workshop AEW10", 29),
        ("id_2104.12255v1.xml", "2104.12255", "0", 1),
        ("id_astro-ph_0601001.xml", "astro-ph/0601001", "Frequency of Hot Jupiters", 4),
        ("legacy/id_1601.00001.xml", "1601.00001", "", 0),
    ],
)
def test_recorded_answers_are_read(name, key, title, authors):
    path = recordings() / name
    if not path.exists():
        pytest.skip("READTRACK_TEST_SAMPLES names no folder beside recordings of arXiv")
    paper = fetch(Recorded(path.read_bytes()), [key]).found[key]
    assert paper.title.startswith(title)
    assert "\n" not in paper.title
    assert len(paper.authors) >= authors
    assert paper.published_on is not None


@pytest.mark.parametrize("name", ["id_0000.0000_unknown_empty.xml", "id_0808.05394_unknown_empty.xml"])
def test_recorded_empty_answers_mean_unknown(name):
    path = recordings() / name
    if not path.exists():
        pytest.skip("READTRACK_TEST_SAMPLES names no folder beside recordings of arXiv")
    assert fetch(Recorded(path.read_bytes()), ["2401.00134"]).missing == {"2401.00134"}
