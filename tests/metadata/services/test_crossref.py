"""What Crossref says of a DOI: read as it is, and nothing else taken for an answer."""

import json
from datetime import date

import pytest
from hypothesis import given

from readtrack.infra.errors import SourceUnavailable
from readtrack.infra.text.person_names import NameParts, name_parts
from readtrack.metadata.services import crossref
from readtrack.metadata.types import PaperDescription, Ref
from tests.metadata.answering import Answering, changed, is_sound
from tests.metadata.recorded import own, recorded
from tests.tables import cases

KEY = "10.1145/9900000.9900001"
CONFERENCE = json.loads(own("crossref/conference.json"))
NOT_FOUND = (404, "Resource not found.")


def fetched(key, answer):
    return crossref.fetch(Answering({f"/works/{key}": answer}), [key])


def work(**message):
    return crossref.read(KEY, json.dumps(message))


def test_every_field_of_a_crossref_work_is_read():
    paper = fetched(KEY, CONFERENCE).records[KEY]
    assert (paper.ref, paper.service) == (Ref("doi", KEY), "crossref")
    assert (paper.stage, paper.kind, paper.language) == ("published", "paper", "en")
    assert paper.title == "Kettle: Warm Caches for $O(n)$ Tea & Coffee: A Slow Study"
    assert paper.authors == ("Ada Teapot", "Juan de la Taza Jr.", "The Samovar Collaboration", "山田 花子")
    assert [name_parts(name) for name in paper.authors] == [
        NameParts("Teapot", "Ada"),
        NameParts("Taza", "Juan", "de la", "Jr."),
        NameParts("The Samovar Collaboration"),
        NameParts("山田 花子"),
    ]
    assert (paper.year, paper.published_on, paper.venue) == (2024, date(2024, 4, 22), "EuroSys 2024")
    assert paper.abstract == "Water is hot. Write to ."
    assert paper.identifiers == (Ref("arxiv", "2404.00001"),)
    assert [(link.role, link.url) for link in paper.links] == [
        ("landing", f"https://doi.org/{KEY}"),
        ("pdf", f"https://dl.acm.org/doi/pdf/{KEY}"),
    ]


@cases(
    ("message", "publication_type"),
    [
        ({"type": "journal-article"}, "journal_article"),
        ({"type": "proceedings-article"}, "conference_paper"),
        ({"type": "monograph"}, "book"),
        ({"type": "dissertation"}, "thesis"),
        ({"type": "report"}, "report"),
        ({"type": "posted-content"}, ""),
        ({"type": "book-chapter", "container-title": ["Handbook of Tea"]}, "chapter"),
        ({"type": "book-chapter", "container-title": ["Lecture Notes in Computer Science", "ECCV"]}, ""),
    ],
)
def test_the_publication_type_is_what_crossref_states(message, publication_type):
    assert work(title=["Tea"], **message).publication_type == publication_type


def test_a_stored_work_is_reparsed_and_contains_no_mail_addresses_and_no_references():
    paper = fetched(KEY, CONFERENCE).records[KEY]
    assert crossref.read(KEY, paper.raw) == paper
    assert "@" not in paper.raw
    assert "Somebody" not in paper.raw


def test_the_doi_is_one_url_segment_after_its_prefix():
    http = Answering({"": NOT_FOUND})
    key = "10.1002/(sici)1096-9128(199702)9:2<1::aid-cpe1>3.0.co;2-z"
    assert crossref.fetch(http, [key]).missing == {key}
    suffix = "%28sici%291096-9128%28199702%299%3A2%3C1%3A%3Aaid-cpe1%3E3.0.co%3B2-z"
    assert http.asked == [f"https://crossref.example.org/works/10.1002/{suffix}"]


def test_works_without_a_crossref_doi_are_not_requested():
    refs = (KEY, "10.5281/zenodo.1", "10.4230/lipics.tqc.2013.93", "10.5555/3571885.3571946")
    about = PaperDescription((*(Ref("doi", key) for key in refs), Ref("arxiv", "2404.00001")))
    assert crossref.SERVICE.select_keys(about) == (KEY,)


def test_only_a_plain_404_means_that_a_doi_is_unknown():
    assert fetched(KEY, NOT_FOUND).missing == {KEY}


@cases(
    "answer",
    [
        (404, "<html><title>404 Not Found</title></html>"),
        (404, {"status": "failed"}),
        (403, "<html>Just a moment...</html>"),
        (200, "<html>Sign in</html>"),
        (200, ""),
        (200, '{"message": {"DOI": "10.1145/99'),
        (200, {"status": "error", "message": "out of order"}),
        (200, {"status": "failed", "message": [{"type": "error"}]}),
        (200, {"message": {"DOI": "10.1145/1111111.1111111", "title": ["Another"]}}),
        (200, {"message": {"something": "else"}}),
        (200, "[" * 100_000),
        (200, b"\xff\xfe"),
        (400, "<html>Bad Request</html>"),
    ],
)
def test_any_other_response_is_retried_later(answer):
    with pytest.raises(SourceUnavailable):
        fetched(KEY, answer)


def test_a_doi_crossref_rejects_is_refused_with_a_message():
    said = fetched(KEY, (400, {"status": "failed", "message-type": "validation-failure", "message": []}))
    assert "rejected" in said.errors[KEY]
    assert "is not a valid DOI" in crossref.fetch(Answering({}), ["10.1145/X Y"]).errors["10.1145/X Y"]


def test_a_response_under_another_doi_of_the_work_is_accepted_as_an_identifier():
    message = CONFERENCE["message"] | {"DOI": "10.1145/5", "aliases": [KEY]}
    paper = fetched(KEY, {"message": message}).records[KEY]
    assert paper.ref == Ref("doi", KEY)
    assert Ref("doi", "10.1145/5") in paper.identifiers


@cases(
    ("said", "year", "day"),
    [
        ({"published": {"date-parts": [[2021, 6, 9]]}}, 2021, date(2021, 6, 9)),
        ({"published": {"date-parts": [[2021]]}, "published-online": {"date-parts": [[2020, 1, 2]]}}, 2021, None),
        (
            {"published-print": {"date-parts": [[2011, 6]]}, "issued": {"date-parts": [[2009, 9, 23]]}},
            2009,
            date(2009, 9, 23),
        ),
        ({"issued": {"date-parts": [[None]]}, "created": {"date-parts": [[2020, 6, 8]]}}, None, None),
        ({"issued": {"date-parts": [["2015", "2", "30"]]}}, 2015, None),
        ({"issued": {"date-parts": [[2020, 10**30, 1]]}}, 2020, None),
        ({"posted": {"date-parts": [[2020, 12, 1]]}}, 2020, date(2020, 12, 1)),
        ({"issued": "2015"}, None, None),
    ],
)
def test_a_year_alone_is_not_a_date(said, year, day):
    paper = work(title=["Kettles"], **said)
    assert (paper.year, paper.published_on) == (year, day)


@cases(
    ("kind", "key", "stage", "is_paper"),
    [
        ("journal-article", KEY, "published", True),
        ("posted-content", KEY, "preprint", True),
        ("journal-article", "10.2139/ssrn.9", "preprint", True),
        ("posted-content", "10.1101/2024.01.01.000001", "preprint", True),
        ("journal-article", "10.1101/gr.1.1", "published", True),
        ("dissertation", KEY, "published", True),
        ("dataset", KEY, "page", False),
        ("", KEY, "page", True),
    ],
)
def test_the_stage_follows_from_the_type(kind, key, stage, is_paper):
    paper = crossref.read(key, json.dumps({"type": kind}))
    assert (paper.stage, paper.kind == "paper") == (stage, is_paper)


@cases(
    ("message", "venue"),
    [
        (
            {"type": "book-chapter", "container-title": ["Lecture Notes in Pottery", "Cups and Saucers"]},
            "Cups and Saucers",
        ),
        ({"type": "journal-article", "container-title": ["Der Becher", "The Cup"]}, "Der Becher"),
        ({"type": "proceedings-article", "event": {"name": "Fourth Gathering on Cups"}}, "Fourth Gathering on Cups"),
        ({"type": "dissertation", "institution": [{"name": "University of Cups"}]}, "University of Cups"),
        ({"type": "journal-article", "container-title": None}, ""),
    ],
)
def test_the_venue_is_the_book_the_journal_or_the_publisher(message, venue):
    assert work(**message).venue == venue


@cases(
    ("message", "title", "remark"),
    [
        ({"title": ["RETRACTED: Kettles"]}, "Kettles", "retracted"),
        ({"title": ["RETRACTED ARTICLE: Kettles"]}, "Kettles", "retracted"),
        ({"title": ["[Retracted] Kettles"]}, "Kettles", "retracted"),
        ({"title": ["WITHDRAWN: Kettles"]}, "Kettles", "withdrawn"),
        ({"title": ["Retracted needles of pine"]}, "Retracted needles of pine", ""),
        ({"title": ["Kettles"], "updated-by": [{"type": "retraction", "DOI": "10.1/2"}]}, "Kettles", "retracted"),
        ({"title": ["Kettles"], "updated-by": [{"type": "correction", "DOI": "10.1/2"}]}, "Kettles", ""),
        (
            {"title": ["Retraction: Kettles"], "update-to": [{"type": "retraction", "DOI": "10.1145/7"}]},
            "Retraction: Kettles",
            "retraction of doi 10.1145/7",
        ),
    ],
)
def test_a_retracted_work_is_marked_in_the_remark(message, title, remark):
    paper = work(**message)
    assert (paper.title, paper.remark) == (title, remark)


def test_a_subtitle_already_in_the_title_is_not_repeated():
    assert work(title=["Kettles: a study"], subtitle=["A Study"]).title == "Kettles: a study"


def test_works_are_found_by_title():
    other = CONFERENCE["message"] | {"DOI": "10.1145/5"}
    http = Answering({"/works": {"message": {"items": [CONFERENCE["message"], other, {"title": ["No DOI"]}, None]}}})
    found = crossref.search(http, "Warm caches & tea?")
    assert [paper.ref.key for paper in found] == [KEY, "10.1145/5"]
    assert http.asked == ["https://crossref.example.org/works?query.bibliographic=Warm%20caches%20%26%20tea%3F&rows=10"]


@pytest.mark.deep
@given(message=changed(CONFERENCE["message"]))
def test_a_malformed_response_leaves_fields_blank(message):
    try:
        found = crossref.fetch(Answering({"": {"message": message}}), [KEY]).records
    except SourceUnavailable:
        return
    assert is_sound(found[KEY])
    assert crossref.read(KEY, found[KEY].raw) == found[KEY]


@cases(
    ("file", "title", "authors", "first", "venue", "said", "stage"),
    [
        ("10.1145_3448016.3452841", "Vector Quotient Filters: Overcoming the Time/Space Trade-Off in Filter Design", 6, "Prashant Pandey", "SIGMOD 2021", date(2021, 6, 9), "published"),  # noqa: E501
        ("10.1109_iccv.2007.4408927", "A Seeded Image Segmentation Framework Unifying Graph Cuts And Random Walker Which Yields A New Algorithm", 2, "Ali Kemal Sinop", "ICCV 2007", 2007, "published"),  # noqa: E501
        ("10.1007_978-3-662-46370-3_13", "Clinical Symptoms and Physical Examinations", 2, "Ronald L. Diercks", "Shoulder Stiffness", 2015, "published"),  # noqa: E501
        ("10.1101_2020.12.01.406702", "Identification of a novel cationic glycolipid in Streptococcus agalactiae that contributes to brain entry and meningitis", 8, "Luke R. Joyce", "", date(2020, 12, 1), "preprint"),  # noqa: E501
        ("10.7554_elife.01567", "Automated quantitative histology reveals vascular morphodynamics during Arabidopsis hypocotyl secondary growth", 5, "Martial Sankar", "eLife", date(2014, 2, 11), "published"),  # noqa: E501
        ("10.1007_s00120-007-1345-2", "Penisverletzung durch eine Moulinette: Folge einer autoerotischen Selbstverstümmelung", 1, "M. Lehsnau", "Der Urologe", 2007, "published"),  # noqa: E501
        ("10.14264_uql.2020.791", "School truancy and financial independence during emerging adulthood: a longitudinal analysis of receipt of and reliance on cash transfers", 1, "Patricia Maree Collingwood", "The University of Queensland", None, "published"),  # noqa: E501
        ("10.1371_journal.pone.0033693", "Methylphenidate Exposure Induces Dopamine Neuron Loss and Activation of Microglia in the Basal Ganglia of Mice", 6, "Shankar Sadasivan", "PLoS ONE", date(2012, 3, 21), "published"),  # noqa: E501
        ("10.1145_3184558.3186235", "DL-Learner Structured Machine Learning on Semantic Web Data", 4, "Lorenz Bühmann", "WWW 2018 Companion", 2018, "published"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_recorded_work_is_read(file, title, authors, first, venue, said, stage):
    answer = json.loads(recorded(f"crossref/{file}.json"))
    message = answer.get("message", answer)
    key = message["DOI"].lower()
    paper = fetched(key, {"message": message}).records[key]
    assert (paper.title, len(paper.authors), paper.authors[0]) == (title, authors, first)
    assert (paper.venue, paper.stage) == (venue, stage)
    assert (paper.published_on or paper.year) == said
    assert "<" not in paper.title + paper.abstract


def test_recorded_refusals_are_distinguished():
    assert fetched(KEY, (404, recorded("crossref/404_not_found.txt"))).missing == {KEY}
    assert fetched(KEY, (400, recorded("crossref/400_parameter_not_allowed.json"))).errors
    for file in ("crossref/404_bad_cursor.json", "doi_org/404_unknown_doi.html"):
        with pytest.raises(SourceUnavailable):
            fetched(KEY, (404, recorded(file)))
    for file in ("302_to_crossref_10.1126.html", "301_http_to_https.html", "400_not_a_doi.html", "ra_10.1145.json"):
        with pytest.raises(SourceUnavailable):
            fetched(KEY, recorded(f"doi_org/{file}"))


@cases(
    ("file", "works", "first"),
    [
        ("works_list_2017", 3, "Inside SSL: accelerating secure transactions"),
        ("works_query_ecology_rows2", 2, "Communicating Ecology"),
        ("works_query_select_doi_title", 10, "Communicating Ecology"),
        ("works_sample5", 5, "The dire side of autophagy in aging: Lessons from C. elegans"),
    ],
)
def test_recorded_lists_are_read(file, works, first):
    found = crossref.search(Answering({"/works": recorded(f"crossref/{file}.json")}), "anything")
    assert (len(found), found[0].title) == (works, first)
    assert all(is_sound(paper) for paper in found)


def test_a_search_returns_works_and_not_reviews_of_them():
    review = CONFERENCE["message"] | {"DOI": "10.1145/6", "type": "peer-review"}
    http = Answering({"/works": {"message": {"items": [review, CONFERENCE["message"]]}}})
    assert [paper.ref.key for paper in crossref.search(http, "Kettles")] == [KEY]


def test_a_correction_notice_names_the_corrected_work_only_by_doi():
    notice = {"type": "correction", "DOI": "10.1145/9"}
    assert work(**{"update-to": [notice]}).remark == "correction of doi 10.1145/9"
    assert work(**{"update-to": [notice | {"DOI": "a.b@example.org"}]}).remark == "correction"
