"""What each service of readtrack reads out of the stand-in's answers: the facts, and nothing that is not so."""

from collections.abc import Mapping

import pytest

from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.metadata import sources
from readtrack.metadata.types import Metadata, PaperDescription, Ref, Service
from tests.outside import venues
from tests.outside.facts import Fact, known
from tests.outside.world import SERVICES, World

pytestmark = pytest.mark.slow  # `make check` is to be quick

PRINTED = {
    "crossref": lambda fact: bool(fact.doi) and not fact.at_datacite,
    "datacite": lambda fact: fact.at_datacite,
    "usenix": lambda fact: bool(fact.usenix),
}


@pytest.fixture(scope="module")
def http():
    with World() as world:
        bases = {service: world.base(service) for service in SERVICES}
        yield HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases=bases)


def about(fact: Fact) -> PaperDescription:
    return PaperDescription(tuple(sorted(Ref.parse(name) for name in fact.names)), fact.title)


def answered(http: HttpClient, name: str) -> Mapping[Fact, Metadata]:
    """What the service says of every fact about which it can be asked by its first key."""
    service = sources.service(name)
    keys = {asks[0]: fact for fact in known() if (asks := service.select_keys(about(fact)))}
    found: dict[Fact, Metadata] = {}
    for batch in batches(service, list(keys)):
        fetched = service.fetch(http, batch)
        assert not fetched.errors
        found |= {keys[key]: said for key, said in fetched.records.items()}
    return found


def batches(service: Service, keys: list[str]) -> list[list[str]]:
    return [keys[start : start + service.batch] for start in range(0, len(keys), service.batch)]


@pytest.mark.deep
def test_preprints_have_the_title_and_authors_arxiv_has(http):
    said = answered(http, "arxiv")
    assert said.keys() == {fact for fact in known() if fact.arxiv}
    for fact, metadata in said.items():
        assert (metadata.title, metadata.authors, metadata.stage) == (fact.on_arxiv, fact.authors, "preprint")
        assert metadata.year in {int(fact.published[:4] or 0), fact.year, 2000 + int(fact.arxiv[:2])}


@pytest.mark.deep
@pytest.mark.parametrize("service", PRINTED)
def test_published_papers_have_title_authors_year_and_venue(service, http):
    said = answered(http, service)
    assert said.keys() == {fact for fact in known() if PRINTED[service](fact)}
    for fact, metadata in said.items():
        seen = (metadata.title, metadata.authors, metadata.year, metadata.venue, metadata.stage)
        assert seen == (fact.in_print, fact.authors, fact.printed_in, fact.venue, "published")
        assert metadata.published_on is None
        assert "@" not in metadata.raw


@pytest.mark.deep
def test_openalex_returns_the_work_of_a_doi(http):
    for fact, metadata in answered(http, "openalex").items():
        assert metadata.title in {fact.in_print, fact.on_arxiv}
        assert metadata.authors == fact.authors
        assert metadata.abstract
        assert "@" not in metadata.raw


@pytest.mark.deep
def test_semantic_scholar_returns_both_identifiers_of_a_paper(http):
    said = answered(http, "semanticscholar")
    assert {fact for fact in known() if fact.doi or fact.arxiv} <= said.keys()
    for fact, metadata in said.items():
        assert metadata.title in {fact.in_print, fact.on_arxiv}
        named = {str(ref) for ref in (metadata.ref, *metadata.identifiers)}
        assert fact.names - {f"usenix:{fact.usenix}"} <= named | {str(ref) for ref in about(fact).refs}


@pytest.mark.deep
def test_dblp_finds_the_published_version_by_title(http):
    said = answered(http, "dblp")
    alike = {fact for fact in known() if (fact.usenix or fact.doi) and fact.in_print == fact.title}
    assert alike <= said.keys()
    for fact in alike:
        metadata = said[fact]
        named = {str(ref) for ref in (metadata.ref, *metadata.identifiers)}
        assert fact.names & named
        assert (metadata.title, metadata.authors) == (fact.in_print, fact.authors)
        assert metadata.year == fact.printed_in
        assert metadata.venue == fact.venue or fact.series not in venues.SERIES  # journals are abbreviated there


@pytest.mark.deep
@pytest.mark.parametrize("service", ["arxiv", "crossref", "dblp", "semanticscholar"])
def test_a_title_search_returns_the_paper_first(service, http):
    search = sources.service(service).search
    assert search is not None
    fact = next(fact for fact in known() if fact.arxiv == "2305.15778")
    found = search(http, fact.title)
    assert found[0].title == fact.title
    assert len(found) <= 10
