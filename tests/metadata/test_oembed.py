"""What sites say by oEmbed of their videos and slides: a title and who made it."""

import json

import pytest
from hypothesis import given

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata.sites import speakerdeck, youtube
from readtrack.metadata.types import Ref
from tests.metadata.answering import Answering, changed, is_sound
from tests.metadata.recorded import own, recorded

VIDEO, DECK = "AbCdEfGhIjK", "leaflab/tea-and-caches"
SITES = [(youtube, VIDEO, "video"), (speakerdeck, DECK, "slides")]


def fetched(site, key, answer):
    return site.SERVICE.fetch(Answering({"": answer}), [key])


def test_a_video_has_a_title_and_its_channel():
    said = fetched(youtube, VIDEO, own("oembed/video.json")).records[VIDEO]
    assert (said.ref, said.kind, said.stage) == (Ref("youtube", VIDEO), "video", "page")
    assert (said.title, said.authors) == ("Kettle – talk at EuroSys '24", ("Leaf Lab",))
    assert [(link.role, link.url) for link in said.links] == [("video", f"https://www.youtube.com/watch?v={VIDEO}")]
    assert (said.year, said.published_on, said.abstract) == (None, None, "")


def test_slides_have_a_title_and_an_author():
    said = fetched(speakerdeck, DECK, own("oembed/slides.json")).records[DECK]
    assert (said.ref, said.kind) == (Ref("speakerdeck", DECK), "slides")
    assert (said.title, said.authors) == ("お茶とキャッシュ / Tea and caches", ("Leaf Lab",))


@pytest.mark.parametrize(
    ("base", "addresses"),
    [
        ("", ["https://www.youtube.com/oembed", "https://speakerdeck.com/oembed.json"]),
        (
            "https://embeds.example.org",
            ["https://embeds.example.org/youtube", "https://embeds.example.org/speakerdeck"],
        ),
    ],
)
def test_each_site_is_queried_directly_unless_the_operator_sets_another_url(base, addresses):
    http = Answering({"": own("oembed/video.json")}, oembed=base)
    youtube.SERVICE.fetch(http, [VIDEO])
    speakerdeck.SERVICE.fetch(http, [DECK])
    assert http.asked == [
        f"{addresses[0]}?url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3D{VIDEO}&format=json",
        f"{addresses[1]}?url=https%3A%2F%2Fspeakerdeck.com%2Fleaflab%2Ftea-and-caches&format=json",
    ]


@pytest.mark.parametrize(("site", "key", "kind"), SITES)
def test_a_stored_response_is_reparsed_and_has_no_iframe(site, key, kind):
    said = fetched(site, key, own(f"oembed/{kind}.json")).records[key]
    assert site.SERVICE.read(key, said.raw) == said
    assert "iframe" not in said.raw


@pytest.mark.parametrize(
    ("site", "key", "answer"),
    [(youtube, VIDEO, (404, "Not Found")), (youtube, VIDEO, (400, "Bad Request")), (speakerdeck, DECK, (404, ""))],
)
def test_a_deleted_item_is_unknown(site, key, answer):
    assert fetched(site, key, answer).missing == {key}


@pytest.mark.parametrize(("site", "key", "_kind"), SITES)
@pytest.mark.parametrize("status", [401, 403])
def test_a_private_item_is_refused_with_a_message(site, key, _kind, status):
    assert "Ask the owner" in fetched(site, key, (status, "Unauthorized")).errors[key]


@pytest.mark.parametrize(("site", "key", "_kind"), SITES)
@pytest.mark.parametrize(
    "answer",
    [
        (200, "<html>Before you continue</html>"),
        (200, ""),
        (200, '{"title": "Ket'),
        (200, {"error": "out of order"}),
        (200, {"title": ""}),
        (403, "<html>Just a moment...</html>"),
        (404, "<html>Not Found</html>"),
    ],
)
def test_any_other_response_is_retried_later(site, key, _kind, answer):
    with pytest.raises(SourceUnavailable):
        fetched(site, key, answer)


def test_the_site_name_is_not_a_title():
    assert fetched(youtube, VIDEO, {"title": "YouTube", "provider_name": "YouTube"}).records[VIDEO].title == ""


@pytest.mark.deep
@pytest.mark.parametrize(("site", "key", "kind"), SITES)
@given(said=changed(json.loads(own("oembed/video.json"))))
def test_a_malformed_response_leaves_fields_blank(site, key, kind, said):
    try:
        found = fetched(site, key, said).records
    except SourceUnavailable:
        return
    assert is_sound(found[key])


@pytest.mark.parametrize(
    ("site", "key", "file", "title", "author"),
    [
        (youtube, "iwGFalTRHDA", "youtube_iwGFalTRHDA", "Trololo", "KamoKatt"),
        (speakerdeck, "bkeepers/git-the-nosql-database", "speakerdeck_git_nosql", "Git: the NoSQL Database", "Brandon Keepers"),  # noqa: E501
        (speakerdeck, "miyasho88/we-are-hiring", "speakerdeck_smarthr", "SmartHR会社紹介資料 / We are hiring", "Shoji Miyata"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_recorded_response_is_read(site, key, file, title, author):
    said = fetched(site, key, recorded(f"oembed/{file}.json")).records[key]
    assert (said.title, said.authors) == (title, (author,))
