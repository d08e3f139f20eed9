"""What services say that a work cites: lasting names, and nothing else taken for an answer."""

import json

import pytest
from hypothesis import given

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata.parsing import reference_lists
from readtrack.metadata.services import crossref, semantic_scholar
from readtrack.metadata.types import BibliographyItem, Ref
from tests.metadata.answering import Answering, changed
from tests.metadata.recorded import own, recorded
from tests.tables import cases

DOI = "10.1145/9900000.9900001"
WORK = json.loads(own("crossref/conference.json"))
LIST = json.loads(own("semanticscholar/references.json"))
CUPS, STEAM = Ref("doi", "10.1000/cups.7"), Ref("arxiv", "2301.00009")


def references(answer):
    http = Answering({"/references": answer})
    return http, semantic_scholar.works_cited(http, f"DOI:{DOI}")


def test_a_crossref_response_lists_each_cited_work_once():
    raw = crossref.fetch(Answering({DOI: WORK}), [DOI]).records[DOI].raw
    assert crossref.works_cited(raw) == [
        BibliographyItem((Ref("doi", "10.1145/9800000.9800001"),)),
        BibliographyItem((CUPS,), "Cups & Saucers", 2019),
        BibliographyItem((STEAM,), "Steam"),
    ]
    assert "Somebody" not in raw
    assert "@" not in raw


def test_a_response_without_a_list_has_no_citations():
    assert crossref.works_cited('{"title": ["Kettle"]}') == []


def test_semantic_scholar_is_queried_once_and_returns_all_permanent_identifiers():
    http, works = references(LIST)
    assert works == [
        BibliographyItem((Ref("arxiv", "1901.00007"), CUPS), "Cups and Saucers", 2019),
        BibliographyItem((STEAM,), "Steam", 2023),
    ]
    [asked] = http.asked
    assert asked.endswith(
        f"/graph/v1/paper/DOI:{DOI}/references?fields=externalIds,title,year&limit={reference_lists.MAX_ENTRIES}"
    )


def test_a_list_withheld_by_the_publisher_is_empty_and_an_unknown_paper_has_none():
    assert references({"data": None, "citingPaperInfo": {}})[1] == []
    assert references((404, {"error": "Paper with id DOI:10.1/x not found"}))[1] is None


@cases(
    "answer", [(404, "<html>gone</html>"), (200, "<html>Sign in</html>"), (200, {"error": "no"}), (200, []), (500, {})]
)
def test_any_other_response_is_retried_later(answer):
    with pytest.raises(SourceUnavailable):
        references(answer)


@given(answer=changed(LIST))
def test_a_list_of_any_shape_yields_only_identifiers(answer):
    try:
        _, works = references(answer)
    except SourceUnavailable:
        return
    for work in works or ():
        assert work.names
        assert isinstance(work.title, str)
        assert work.year is None or 1000 <= work.year < 2200


@pytest.mark.deep
@given(answer=changed(WORK["message"]))
def test_citations_of_a_work_of_any_shape_can_be_read(answer):
    try:
        found = crossref.fetch(Answering({DOI: {"message": answer}}), [DOI]).records
    except SourceUnavailable:
        return
    assert all(work.names for said in found.values() for work in crossref.works_cited(said.raw))


def test_real_responses_are_read():
    key = "10.1145/3448016.3452841"
    raw = crossref.fetch(Answering({key: recorded("crossref/10.1145_3448016.3452841.json")}), [key]).records[key].raw
    assert len(crossref.works_cited(raw)) == 37
    assert len(raw) < 20_000
    http, works = references(recorded("semanticscholar/paper_references.json"))
    assert works == []  # it was asked for titles alone
    assert len(http.asked) == 1
