"""Asking a site by its pages: what is found, missing, refused, and what is asked again later."""

import pytest

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.metadata import sources
from readtrack.metadata.types import PaperDescription, Ref
from tests.metadata.browsing import Browsing, page
from tests.metadata.recorded import own
from tests.tables import cases

KEY = "blog.example.com/posts/kettle"
ADDRESS = f"https://{KEY}"
TEA = "<html><head><title>Tea | Blog</title></head><body>Tea</body></html>"
BY_PAGES = ["aaai", "acl", "hf", "ieee", "jmlr", "mlsys", "neurips", "openreview", "pmlr", "url", "usenix", "wechat"]
BY_PAGES += ["zenn", "zhihu"]


def fetched(answer):
    return sources.service("url").fetch(Browsing({ADDRESS: answer}), [KEY])


def test_a_page_is_found_and_can_be_reparsed():
    fetched_now = fetched(page(TEA))
    found = fetched_now.records[KEY]
    assert (found.ref, found.title, found.stage) == (Ref("url", KEY), "Tea", "page")
    assert sources.service("url").read(KEY, found.raw) == found
    assert not fetched_now.missing
    assert not fetched_now.errors


def test_a_page_without_a_content_type_is_read_if_it_looks_like_html():
    assert fetched(page(TEA, kind="")).records[KEY].title == "Tea"


@pytest.mark.parametrize("status", [404, 410])
def test_a_nonexistent_page_is_missing(status):
    assert fetched(page("<title>Not found</title>", status=status)).missing == {KEY}
    assert fetched(page("", status=status)).missing == {KEY}


@cases(
    ("answer", "why"),
    [
        (page(own("walls/challenge.html")), "requires a captcha"),
        (page(own("walls/challenge.html"), status=403), "requires a captcha"),
        (page(own("walls/challenge.html"), status=404), "requires a captcha"),
        (page(TEA, status=403), "(status 403)"),
        (page('{"error": {"code": 40362}}', status=403, kind="application/json"), "(status 403)"),
        (page("<title>404 Not Found</title>"), "says this page doesn't exist"),
        (page("<title>GitHub</title><body>x</body>"), "has no readable title"),
        (page("<html><head></head><body></body></html>"), "has no readable title"),
        (page(TEA, at="https://accounts.google.com/v3/signin/identifier?continue=x"), "signing in"),
        (page(TEA, at="https://blog.example.com/login?next=/posts/kettle"), "signing in"),
        (page(TEA, at="https://blog.example.com/"), "home page of blog.example.com"),
        (page(b"%PDF-1.7", kind="application/pdf"), "a PDF file"),
        (page(b"\0\0\0", kind="video/mp4"), "a video"),
        (page('{"title": "Tea"}', kind="application/json"), "unsupported type (application/json)"),
        (page(b"%PDF-1.7", kind=""), "unsupported type"),
        (page("Title: Tea", kind="text/plain"), "unsupported type (text/plain)"),
    ],
)
def test_a_page_that_is_not_about_the_work_is_refused_with_a_message(answer, why):
    said = fetched(answer)
    assert why in said.errors[KEY]
    assert not said.records
    assert not said.missing


@cases(
    "answer",
    [
        page(""),
        page("  \n"),
        page('<html><head><title>Tea</title><meta name="citation_author" content="A'),
        page("<title>502 Bad Gateway</title>"),
        page("<html><head><title>Site maintenance</title></head></html>"),
    ],
)
def test_f17_a_truncated_page_and_transient_errors_are_retried(answer):
    with pytest.raises(SourceUnavailable, match="Retrying later"):
        fetched(answer)


def test_a_page_that_may_not_be_visited_is_refused_and_the_others_are_not():
    assert fetched(SourceRefused("It is too large.")).errors == {KEY: "It is too large."}


def test_being_offline_is_an_error_and_refuses_no_key():
    with pytest.raises(SourceRefused):
        fetched(SourceRefused("Nobody is spoken to.", code="offline"))


def test_a_page_that_moved_is_read_at_its_new_url():
    assert fetched(page(TEA, at="https://new.example.com/kettle")).records[KEY].title == "Tea"


def test_every_key_is_in_one_part_of_the_result_and_requested_once():
    pages = {ADDRESS: page(TEA), "https://a.example.com/b": page(TEA, status=403)}
    http = Browsing(pages)
    said = sources.service("url").fetch(http, [KEY, "a.example.com/b", "a.example.com/c", KEY])
    assert (set(said.records), set(said.errors), set(said.missing)) == ({KEY}, {"a.example.com/b"}, {"a.example.com/c"})
    assert len(http.asked) == 3


@cases("name", BY_PAGES)
def test_a_site_is_queried_about_its_own_identifiers_and_is_authoritative_for_them(name):
    service, source = sources.service(name), sources.by_name(name)
    assert service.own_schemes == {name}
    assert service in sources.authorities(name)
    assert service.select_keys(PaperDescription((Ref("arxiv", "2305.15778"),), title="Tea")) == ()
    assert 1 <= service.interval <= 10
    known = [key for key in source.examples.values() if key]
    assert any(service.select_keys(PaperDescription((Ref(name, key),))) == (key,) for key in known)


@cases(
    "ref",
    [
        "neurips:1457c0d6bfcb4967418bfb8ac142f64a",
        "mlsys:f7177163c833dff4b38fc8d2872f1ec6",
        "openreview:0123456789abcdef0123456789abcdef01234567",
        "url:mcn.cse.psu.edu/paper/systor23-heting.pdf",
        "url:example.org/talk.pptx",
        f"url:example.org/long?sha256-{'0' * 64}",
    ],
)
def test_a_key_without_a_page_causes_no_request(ref):
    about = PaperDescription((Ref.parse(ref),))
    assert [
        service.name for service in sources.all_services() if service.name in BY_PAGES and service.select_keys(about)
    ] == []


@pytest.mark.parametrize("scheme", ["acm", "pvldb"])
def test_schemes_without_a_readable_page_have_no_authoritative_service(scheme):
    assert sources.authorities(scheme) == ()
