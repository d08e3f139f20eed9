"""What Semantic Scholar says of papers: in batches, each in its place, and nothing else taken for an answer."""

import json
from datetime import date

import pytest
from hypothesis import given

from readtrack.infra.errors import SourceUnavailable
from readtrack.infra.http.types import HttpResponse
from readtrack.metadata.services import semantic_scholar
from readtrack.metadata.types import PaperDescription, Ref
from tests.metadata.answering import Answering, changed, is_sound
from tests.metadata.recorded import own, recorded
from tests.tables import cases

KEYS = ["ARXIV:2404.00001", "DOI:10.1145/7", "00000000000000000000000000000000000000bb"]
BATCH = json.loads(own("semanticscholar/batch.json"))


def fetched(keys, answer):
    return semantic_scholar.fetch(Answering({"/graph/v1/paper/batch": answer}), keys)


def paper(**said):
    return semantic_scholar.read(KEYS[2], json.dumps(said))


class Disliking:
    """Refuses every batch that holds one name, as Semantic Scholar does, and knows all others."""

    def __init__(self, disliked):
        self.disliked, self.batches = disliked, []

    def get(self, url, headers=None):
        raise AssertionError(url)

    def post(self, url, body, headers=None):
        ids = body["ids"]
        self.batches.append(len(ids))
        if self.disliked in ids:
            return HttpResponse(400, {}, b'{"error":"No valid paper ids given"}', url)
        known = [{"paperId": "c" * 40, "title": name, "externalIds": {"ArXiv": name[6:]}} for name in ids]
        return HttpResponse(200, {}, json.dumps(known).encode(), url)

    def base(self, name):
        return "https://example.org"


def test_every_field_of_a_semantic_scholar_paper_is_read():
    said = fetched(KEYS, BATCH).records[KEYS[0]]
    assert (said.ref, said.service) == (Ref("arxiv", "2404.00001"), "semanticscholar")
    assert (said.stage, said.kind) == ("preprint", "paper")
    assert (said.title, said.authors) == ("Kettle: Warm Caches for Tea", ("Ada Teapot", "J. Taza"))
    assert said.abstract == "Water is hot. Mail ."
    assert said.identifiers == (Ref("doi", "10.1145/9900000.9900001"),)
    assert [(link.role, link.url) for link in said.links] == [("pdf", "https://arxiv.org/pdf/2404.00001")]


def test_results_are_matched_by_position_and_null_means_unknown():
    http = Answering({"/graph/v1/paper/batch": BATCH})
    said = semantic_scholar.fetch(http, KEYS)
    assert said.records.keys() == {KEYS[0], KEYS[2]}
    assert said.missing == frozenset({KEYS[1]})
    assert not said.errors
    assert http.bodies == [{"ids": KEYS}]
    assert "fields=title,abstract" in http.asked[0]
    assert said.records[KEYS[2]].title == "Saucers"


def test_a_stored_paper_is_reparsed_and_contains_no_mail_addresses():
    for key, said in fetched(KEYS, BATCH).records.items():
        assert semantic_scholar.read(key, said.raw) == said
        assert "@" not in said.raw


def test_a_preprint_has_no_venue_and_its_arxiv_doi_is_its_arxiv_identifier():
    said = fetched(KEYS, BATCH).records[KEYS[2]]
    assert (said.stage, said.venue) == ("preprint", "")
    assert (said.year, said.published_on) == (2023, date(2023, 1, 3))
    assert said.identifiers == (Ref("arxiv", "2301.00002"),)


@cases(
    ("arxiv", "day", "venue", "published_on"),
    [
        ("2311.00001", "2023-11-02", "", date(2023, 11, 2)),
        ("2311.00001", "2023-10-31", "", date(2023, 10, 31)),
        ("2304.00001", "2023-11-02", "EuroSys 2023", date(2023, 11, 2)),
        ("2304.00001", None, "", None),
        ("2204.00001", None, "EuroSys 2023", None),
    ],
)
def test_a_record_with_the_date_of_a_preprint_describes_the_preprint(arxiv, day, venue, published_on):
    said = paper(
        venue="European Conference on Computer Systems", year=2023, publicationDate=day, externalIds={"ArXiv": arxiv}
    )
    assert (said.venue, said.published_on, said.year) == (venue, published_on, 2023)


@cases(
    ("said", "stage"),
    [
        ({"venue": "Nature"}, "published"),
        ({"venue": "", "journal": {"name": "SSRN Electronic Journal"}}, "preprint"),
        ({"venue": "bioRxiv"}, "preprint"),
        ({"venue": "", "externalIds": {"ArXiv": "2301.00002"}}, "preprint"),
        ({"venue": "", "externalIds": {"DOI": "10.1145/5"}}, "page"),
        ({"venue": None, "externalIds": {"ACL": "2020.acl-main.1"}}, "published"),
        ({}, "page"),
    ],
)
def test_a_paper_with_a_venue_is_published(said, stage):
    assert paper(**said).stage == stage


@cases(
    ("kind", "others", "venue"),
    [
        ("conference", ["Int Conf Tea", "TeaConf", "TC"], "TeaConf 2023"),
        ("journal", ["TeaConf"], "International Conference on Tea"),
        ("conference", "Int Conf Tea", "International Conference on Tea"),
        ("conference", None, "International Conference on Tea"),
    ],
)
def test_a_conference_is_given_by_its_acronym(kind, others, venue):
    where = {"name": "International Conference on Tea", "type": kind, "alternate_names": others}
    assert paper(publicationVenue=where, year=2023).venue == venue


def test_identifiers_are_requested_in_order_of_reliability():
    refs = (Ref("doi", "10.1145/7"), Ref("arxiv", "2404.00001"), Ref("s2", "b" * 40), Ref("usenix", "osdi23/ren"))
    assert semantic_scholar.SERVICE.select_keys(PaperDescription(refs)) == (
        "b" * 40,
        "ARXIV:2404.00001",
        "DOI:10.1145/7",
    )


def test_one_rejected_identifier_is_found_by_bisection_and_affects_no_other():
    keys = [f"ARXIV:2404.{number:05}" for number in range(1, 9)]
    http = Disliking(keys[5])
    said = semantic_scholar.fetch(http, keys)
    assert set(said.errors) == {keys[5]}
    assert set(said.records) == set(keys) - {keys[5]}
    assert http.batches == [8, 4, 4, 2, 1, 1, 2]


def test_more_than_a_hundred_identifiers_take_several_requests():
    http = Disliking("")
    assert len(semantic_scholar.fetch(http, [f"ARXIV:2404.{number:05}" for number in range(1, 151)]).records) == 150
    assert http.batches == [100, 50]


def test_malformed_identifiers_are_not_sent():
    http = Answering({})
    said = semantic_scholar.fetch(http, ["a b", "title:Kettle", ""])
    assert (len(said.errors), http.asked) == (3, [])


@cases(
    "answer",
    [
        (200, "<html>Sign in</html>"),
        (200, ""),
        (200, {"message": "Too Many Requests", "code": "429"}),
        (200, {"error": "out of order"}),
        (200, BATCH[:2]),
        (200, [BATCH[0], None, "Saucers"]),
        (200, [BATCH[0], None, {"title": "Saucers"}]),
        (403, {"message": "Forbidden"}),
        (404, {"message": "Missing Authentication Token"}),
        (400, {"error": "Unrecognized or unsupported fields: [abstract]"}),
        (400, "<html>Bad Request</html>"),
    ],
)
def test_any_response_but_a_list_of_papers_is_retried_later(answer):
    with pytest.raises(SourceUnavailable):
        fetched(KEYS, answer)


def test_a_paper_other_than_the_requested_one_is_refused():
    said = fetched([KEYS[0]], [BATCH[2]])
    assert "a different paper" in said.errors[KEYS[0]]


def test_a_work_is_found_by_its_exact_title():
    http = Answering({"/paper/search/match": {"data": [BATCH[0] | {"matchScore": 99.5}]}})
    [found] = semantic_scholar.search(http, "Kettle: warm-caches")
    assert found.ref == Ref("arxiv", "2404.00001")
    assert found.identifiers == (Ref("doi", "10.1145/9900000.9900001"), Ref("s2", BATCH[0]["paperId"]))
    assert "query=Kettle%3A%20warm%20caches&" in http.asked[0]


@pytest.mark.parametrize("match", [(404, {"error": "Title match not found"}), {"data": []}])
def test_without_a_match_works_are_found_by_the_words_of_the_title(match):
    http = Answering({"/search/match": match, "/paper/search": {"total": 2, "data": [BATCH[2], {"title": "No hash"}]}})
    assert [str(work.ref) for work in semantic_scholar.search(http, "saucers")] == ["arxiv:2301.00002"]


def test_a_failed_search_is_not_mistaken_for_an_empty_one():
    for answer in ({"message": "Too Many Requests"}, (404, {"message": "no route"})):
        with pytest.raises(SourceUnavailable):
            semantic_scholar.search(Answering({"/search/match": answer, "/paper/search": answer}), "saucers")


@pytest.mark.deep
@given(said=changed(BATCH))
def test_a_malformed_response_leaves_fields_blank(said):
    try:
        found = fetched(KEYS, said).records
    except SourceUnavailable:
        return
    assert all(is_sound(work) for work in found.values())
    assert all(semantic_scholar.read(key, work.raw) == work for key, work in found.items())


def test_a_recorded_batch_is_read():
    keys = [
        "CorpusId:211530585",
        "CorpusId:470667",
        "DOI:10.2139/ssrn.2250500",
        "0f40b1f08821e22e859c6050916cec3667778613",
    ]
    said = fetched(keys, recorded("semanticscholar/paper_batch_with_null.json"))
    assert (said.missing, said.errors) == ({keys[0]}, {})
    trust, miracle, audits = (said.records[key] for key in keys[1:])
    assert trust.ref == Ref("s2", "c31c87c591a25c64fbaa82e8ac6a81831b6ac7ce")
    assert (trust.title, trust.year) == ("How Much Should We Trust Differences-in-Differences Estimates?", 2001)
    assert (trust.stage, trust.venue) == ("preprint", "")
    assert (miracle.ref, miracle.published_on) == (Ref("doi", "10.2139/ssrn.2250500"), date(2013, 4, 10))
    assert miracle.authors == ("E. Duflo", "A. Banerjee", "R. Glennerster", "Cynthia Kinnan")
    assert (audits.year, audits.published_on, audits.stage) == (2023, None, "page")


def test_a_recorded_batch_of_authors_only_gives_only_authors():
    keys = ["CorpusId:470667", "DOI:10.2139/ssrn.2250500", "0f40b1f08821e22e859c6050916cec3667778613"]
    said = fetched(keys, recorded("semanticscholar/paper_batch_authors.json")).records
    assert [(work.title, len(work.authors)) for work in said.values()] == [("", 3), ("", 4), ("", 3)]


def test_a_recorded_journal_article_is_read():
    key = "DOI:10.1371/journal.pone.0000308"
    said = fetched([key], [json.loads(recorded("semanticscholar/paper_by_doi_plos.json"))]).records[key]
    assert said.title == "Sharing Detailed Research Data Is Associated with Increased Citation Rate"
    assert (said.venue, said.year, said.stage, len(said.authors)) == ("PLoS ONE", 2007, "published", 3)


@cases(
    ("file", "titles"),
    [
        ("paper_search_match", ["Mining association rules between sets of items in large databases"]),
        ("paper_search_turing", ["Using DeepSpeed and Megatron to Train Megatron-Turing NLG 530B, A Large-Scale"]),
        ("paper_search_open_access", [""]),
        ("paper_search_empty", []),
    ],
)
def test_recorded_searches_are_read(file, titles):
    found = semantic_scholar.search(Answering({"": recorded(f"semanticscholar/{file}.json")}), "anything")
    assert len(found) <= 10
    assert all(work.title.startswith(title) for work, title in zip(found, titles, strict=False))
    assert bool(found) == bool(titles)


@cases(("file", "status"), [("404_paper", 404), ("400_bad_field", 400), ("429_long", 200), ("429_short", 200)])
def test_recorded_error_messages_are_not_results(file, status):
    with pytest.raises(SourceUnavailable):
        fetched(KEYS, (status, recorded(f"semanticscholar/{file}.json")))
