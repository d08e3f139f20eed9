"""USENIX: pages of presentations, with their tags and without the mail addresses in them."""

import pytest

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata import sources
from readtrack.metadata.types import Ref, WebLink
from tests.metadata.browsing import Browsing, page
from tests.metadata.recorded import own, recorded
from tests.tables import cases

BASE = "https://usenix.example.org/inside/conference"
USENIX = sources.service("usenix")


def fetched(key, address, body):
    http = Browsing({f"{BASE}/{address}": page(body)})
    return USENIX.fetch(http, [key]), http.asked


def read(key, name):
    return fetched(key, f"{key.replace('/', '/presentation/')}", recorded(f"usenix/{name}"))[0].records[key]


def test_every_field_of_a_usenix_page_is_read():
    paper = fetched("osdi23/teapot", "osdi23/presentation/teapot", own("usenix/presentation.html"))[0].records[
        "osdi23/teapot"
    ]
    assert (paper.ref, paper.service, paper.stage) == (Ref("usenix", "osdi23/teapot"), "", "published")
    assert paper.title == "Kettle: Warm Caches for Cold Tea"
    assert paper.authors == ("Ada Teapot", "Xiang (Jenny) Samovar", "José Taza")
    assert (paper.year, paper.published_on, paper.venue, paper.language) == (2023, None, "OSDI 2023", "en")
    assert paper.abstract.startswith("Water that was hot once")
    assert paper.abstract.endswith("Write to .")
    assert paper.links == (
        WebLink("https://www.usenix.org/conference/osdi23/presentation/teapot", "landing"),
        WebLink("https://www.usenix.org/system/files/osdi23-teapot.pdf", "pdf"),
    )


def test_mail_addresses_and_affiliations_are_not_stored():
    paper = fetched("osdi23/teapot", "osdi23/presentation/teapot", own("usenix/presentation.html"))[0].records[
        "osdi23/teapot"
    ]
    assert "@" not in repr(paper)
    assert "Tea Labs" not in repr(paper)


@cases(
    ("key", "there"),
    [
        ("osdi23/teapot", "osdi23/presentation/teapot"),
        ("osdi14/teapot", "osdi14/technical-sessions/presentation/teapot"),
        ("osdi14/tea-pot", "osdi14/technical-sessions/presentation/tea_pot"),
        ("nsdi18/teapot", "nsdi18/presentation/teapot"),
        ("fast17/teapot", "fast17/presentation/teapot"),
        ("osdi99/teapot", "osdi99/technical-sessions/presentation/teapot"),
    ],
)
def test_pages_are_found_under_both_url_forms(key, there):
    said, asked = fetched(key, there, own("usenix/presentation.html"))
    assert said.records[key].ref == Ref("usenix", key)
    assert asked[-1] == f"{BASE}/{there}"


def test_a_paper_is_missing_only_when_both_url_forms_are():
    said, asked = fetched("osdi23/coffee", "osdi23/presentation/teapot", own("usenix/presentation.html"))
    assert said.missing == {"osdi23/coffee"}
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("key", "name", "title", "authors", "venue", "pdf"),
    [
        (
            "nsdi22/goyal",
            "nsdi22_goyal_presentation.html",
            "Backpressure Flow Control",
            (
                "Prateesh Goyal",
                "Preey Shah",
                "Kevin Zhao",
                "Georgios Nikolaidis",
                "Mohammad Alizadeh",
                "Thomas E. Anderson",
            ),
            "NSDI 2022",
            "https://www.usenix.org/system/files/nsdi22-paper-goyal.pdf",
        ),
        (
            "usenixsecurity22/bulekov",
            "usenixsecurity22_bulekov_presentation.html",
            "Morphuzz: Bending (Input) Space to Fuzz Virtual Devices",
            ("Alexander Bulekov", "Bandan Das", "Stefan Hajnoczi", "Manuel Egele"),
            "USENIX Security 2022",
            "https://www.usenix.org/system/files/sec22-bulekov.pdf",
        ),
    ],
)
def test_recorded_presentation_is_read(key, name, title, authors, venue, pdf):
    paper = read(key, name)
    assert (paper.title, paper.authors, paper.year, paper.venue) == (title, authors, 2022, venue)
    assert WebLink(pdf, "pdf") in paper.links
    assert paper.published_on is None
    assert len(paper.abstract) > 500
    assert "@" not in paper.raw
    assert "MIT CSAIL" not in paper.raw


def test_recorded_programme_page_is_not_a_paper():
    programme = recorded("usenix/osdi26_technical-sessions_excerpt.html")
    with pytest.raises(SourceUnavailable):
        fetched("osdi26/zhou-yang", "osdi26/presentation/zhou-yang", programme)


@cases("name", ["-", "%C3%A9"])
def test_an_address_without_a_name_of_a_talk_is_no_presentation(name):
    ref = sources.recognize(f"https://www.usenix.org/conference/osdi20/presentation/{name}")
    assert ref is not None
    assert ref.scheme == "url"
