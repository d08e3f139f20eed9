"""Pages that stand in the place of what was asked for are told from pages."""

import pytest

from readtrack.metadata.parsing.html_head import PageHead, parse_head
from readtrack.metadata.parsing.login_walls import is_barred, is_failing, wall_reason
from tests.metadata.recorded import own, recorded
from tests.tables import cases

ASKS, SIGN_IN = "requires a captcha", "requires signing in"
COOKIES, GONE, ERROR = "a cookie notice", "says this page doesn't exist", "shows an error"


@cases(
    ("title", "what"),
    [
        ("Just a moment...", ASKS),
        ("Attention Required! | Cloudflare", ASKS),
        ("Access Denied", ASKS),
        ("Are you a robot?", ASKS),
        ("Robot Check – Some Shop", ASKS),
        ("安全验证 - 知乎", ASKS),
        ("Weixin Official Accounts Platform", ASKS),
        ("Making sure you’re not a bot!", ASKS),
        ("Sign in - Google Accounts", SIGN_IN),
        ("Google Drive: Sign-in", SIGN_IN),
        ("OpenReview | Login", SIGN_IN),
        ("登录 - 知乎", SIGN_IN),
        ("知乎 - 有问题，就会有答案", SIGN_IN),
        ("Cookie Absent", COOKIES),
        ("Before you continue to YouTube", COOKIES),
        ("404 Not Found", GONE),
        ("Page not found | USENIX", GONE),
        ("Error: DOI Not Found", GONE),
        ("ページが見つかりません｜Zenn", GONE),
        ("403 Forbidden", ERROR),
    ],
)
def test_a_page_with_a_login_title_is_a_login_wall_whatever_its_status(title, what):
    sentence = wall_reason(200, PageHead(title=title))
    assert what in sentence
    assert what in wall_reason(403, PageHead(title=title))


@cases(
    "title",
    [
        "Human-level control through deep reinforcement learning",
        "Access Denied: Censorship in the Data Plane",
        "Robot Learning with Sparse Rewards",
        "404 Lines of Code",
        "Login Considered Harmful",
        "Just a moment of inertia: a study",
        "Error Correction in Quantum Networks",
        "Sign in with Ethereum, Explained",
        "Backpressure Flow Control | USENIX",
        "橘猫 - 知乎",
        "",
    ],
)
def test_works_whose_titles_begin_like_a_login_wall_are_not(title):
    assert not wall_reason(200, PageHead(title=title))
    assert not is_failing(PageHead(title=title))


@pytest.mark.parametrize("tag", ["citation_title", "article:published_time"])
def test_a_page_with_work_metadata_is_not_a_login_wall_whatever_its_title(tag):
    assert not wall_reason(200, PageHead(title="Access Denied", meta=((tag, "2024-01-01"),)))
    assert not wall_reason(200, PageHead(title="Page not found", ld=({"type": "Article", "title": "Page not found"},)))


@cases("status", [302, 400, 401, 403, 405, 418, 451])
def test_a_page_with_another_status_is_refused_with_that_status(status):
    assert f"(status {status})" in wall_reason(status, PageHead(title="A Fine Title"))
    assert not wall_reason(200, PageHead(title="A Fine Title"))


@cases(
    "title",
    [
        "502 Bad Gateway",
        "We’ll be right back!",
        "Service Unavailable",
        "Site maintenance",
        "系统维护",
        "Kettle Temporarily Unavailable",
    ],
)
def test_a_transient_error_is_not_a_login_wall(title):
    assert is_failing(PageHead(title=title))
    assert not wall_reason(200, PageHead(title=title))


def test_only_walls_that_block_everybody_block_the_page_behind_them():
    assert [
        is_barred(PageHead(title=title)) for title in ("Just a moment...", "Login", "404 Not Found", "A Title")
    ] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("name", ["walls/challenge.html", "wechat/wall.html"])
def test_a_login_wall_is_recognised_by_its_title_or_its_first_words(name):
    assert ASKS in wall_reason(200, parse_head(own(name)))


@pytest.mark.parametrize(
    "name",
    [
        "APS_PhysRevLett.122.145901",
        "ACS_jp003647e",
        "TFOnline_23311932.2015.1117749",
        "AnnualReview_annurev_conmatphys_031214_014726",
    ],
)
@pytest.mark.parametrize("status", [200, 403])
def test_recorded_challenges_are_login_walls(name, status):
    assert ASKS in wall_reason(status, parse_head(recorded(f"cloudflare/{name}.html"), "text/html; charset=UTF-8"))


@pytest.mark.parametrize("name", ["400_not_a_doi", "404_unknown_doi"])
def test_recorded_pages_about_unknown_identifiers_are_login_walls(name):
    assert GONE in wall_reason(200, parse_head(recorded(f"doi_org/{name}.html"), "text/html"))
