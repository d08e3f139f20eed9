"""OpenReview: forums of published papers and of mere submissions, whose dates are those of the submission."""

from datetime import date

import pytest

from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from tests.metadata.browsing import Browsing, page
from tests.metadata.recorded import own
from tests.tables import cases

KEY = "TeaTeaTea1"
FORUM = own("openreview/forum.html").decode()
CONFERENCE = "The Twelfth International Conference on Learning Representations"


def fetched(body, **answer):
    http = Browsing({f"https://openreview.net/forum?id={KEY}": page(body, **answer)})
    return sources.service("openreview").fetch(http, [KEY])


def read(forum):
    return fetched(forum).records[KEY]


def test_every_field_of_a_published_papers_forum_is_read():
    paper = read(FORUM)
    assert (paper.ref, paper.stage) == (Ref("openreview", KEY), "published")
    assert paper.title == "Steeping Is All You Need"
    assert paper.authors == ("Ada Teapot", "山田 花子")
    assert (paper.venue, paper.year, paper.published_on) == ("ICLR 2024", 2024, None)
    assert paper.abstract == "We steep $n$ leaves in $O(1)$ cups."
    assert [link.role for link in paper.links] == ["landing", "pdf"]
    assert sources.service("openreview").read(KEY, paper.raw) == paper


@cases(
    ("conference", "year"),
    [
        (CONFERENCE, 2024),
        ("Thirty-seventh Conference on Neural Information Processing Systems", 2023),
        ("Forty-first International Conference on Machine Learning", 2024),
        ("First Conference on Language Modeling", 2024),
        ("8th Annual Conference on Robot Learning", 2024),
        ("ICLR 2025 Workshop on Tea", 2025),
        ("International Conference on Learning Representations", None),
        ("Twelfth Asian Conference on Machine Learning", None),
        ("Umpteenth Conference on Language Modeling", None),
    ],
)
def test_the_year_is_that_of_the_conference_or_blank(conference, year):
    paper = read(FORUM.replace(CONFERENCE, conference))
    assert (paper.stage, paper.year, paper.published_on) == ("published", year, None)


@pytest.mark.parametrize("conference", [f"Submitted to {CONFERENCE}", ""])
def test_a_submission_is_a_dated_preprint_without_a_venue(conference):
    paper = read(FORUM.replace(CONFERENCE, conference))
    assert (paper.stage, paper.venue, paper.published_on) == ("preprint", "", date(2023, 9, 22))


def test_a_journal_paper_keeps_its_date():
    paper = read(FORUM.replace(CONFERENCE, "Transactions on Tea").replace("conference_title", "journal_title"))
    assert (paper.stage, paper.venue, paper.year) == ("published", "Transactions on Tea", 2023)


def test_anonymous_authors_are_left_blank():
    anonymous = FORUM.replace("Ada Teapot", "Anonymous").replace("山田 花子", "Anonymous")
    paper = read(anonymous)
    assert (paper.authors, paper.stage) == ((), "preprint")


def test_a_restricted_forum_is_refused_and_an_unknown_one_is_missing():
    login = "https://openreview.net/login?redirect=%2Fforum"
    assert "signing in" in fetched("<title>Login | OpenReview</title>", at=login).errors[KEY]
    assert "signing in" in fetched("<title>Login | OpenReview</title>").errors[KEY]
    assert fetched("<title>Error | OpenReview</title>", status=404).missing == {KEY}
    assert "(status 403)" in fetched("<title>Forum | OpenReview</title>", status=403).errors[KEY]
