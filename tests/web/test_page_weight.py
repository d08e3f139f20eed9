"""What a page costs whoever loads it: small, whole, from here, and asked for once."""

import gzip
import hashlib
import re

import lxml.html
import pytest

from readtrack.web.templating.environment import STATIC, asset_url
from tests import make

pytestmark = pytest.mark.slow

ROWS = 50
IMPORT = re.compile(r'^import .*?"\./(\w+\.js)";', re.MULTILINE)
DESCRIPTIONS = ["/manifest.webmanifest", "/opensearch.xml"]  # for browsers that install the page or search by it
ELSEWHERE = re.compile(r"https?:|//|@import|@font-face|url\((?!\"?data:)", re.IGNORECASE)


def packed(text):
    return len(gzip.compress(text if isinstance(text, bytes) else text.encode()))


def word(number):
    """Not found twice, so that nothing is packed better than real titles are."""
    return hashlib.sha256(b"%d" % number).hexdigest()[:9]


def loaded(page):
    """The scripts of a page, and what these import."""
    names = {address.split("/", 3)[3] for address in lxml.html.fromstring(page).xpath("//script/@src")}
    while new := {found for name in names for found in IMPORT.findall((STATIC / name).read_text())} - names:
        names |= new
    return names


@pytest.fixture
def ada(database, sign_in):
    """Who has a page full of papers with everything on them that a row can show."""
    with database.write() as tx:
        ada, others = make.visitor(tx, "Ada", role="admin"), [make.visitor(tx) for _ in range(6)]
        topics = [make.topic(tx, f"Topic of Some Length {number}") for number in range(9)]
        for number in range(ROWS + 10):
            title = f"On the {word(number)} of Rather Many Workers and What They {word(number * 7)} {number}"
            authors = [f"{word(number + k)} {word(number * k)}" for k in range(5)]
            paper = make.paper(tx, title, authors=authors, venue=f"Venue {number}", year=2000 + number % 25)
            make.reading(tx, ada.id, paper.id, "reading")
            for person in others[: number % 7]:
                make.reading(tx, person.id, paper.id, "read")
            for k in range(3):
                make.filed(tx, paper, topics[(number + k) % 9])
    return sign_in(ada)


@pytest.mark.deep
def test_a_page_of_fifty_papers_and_its_styles_and_scripts_are_small(ada):
    for address in ("/papers", "/papers?display=table", "/papers?group=topic", "/board", "/papers/1/summary/edit"):
        page = ada.get(address)
        assert packed(page.content) <= 60_000, address
        names = loaded(page.text)
        assert {"vendor/htmx.min.js", "dom.js", "keys.js"} <= names
        assert sum(packed((STATIC / name).read_bytes()) for name in names) <= 30_000, address
    assert sum(packed(path.read_bytes()) for path in STATIC.rglob("*.css")) <= 25_000
    assert not {path.suffix for path in STATIC.rglob("*")} & {".woff", ".woff2", ".ttf", ".otf"}


@pytest.mark.deep
def test_no_external_resources_are_loaded_and_static_files_are_cached_under_their_hash(ada):
    for path in (*STATIC.rglob("*.css"), *STATIC.glob("*.js")):
        code = re.sub(r"/\*.*?\*/|^\s*//.*$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
        assert not ELSEWHERE.findall(re.sub(r"\s// .*$", "", code, flags=re.MULTILINE)), path.name
    for address in ("/papers", "/home", "/papers/1", "/progress"):
        page = lxml.html.fromstring(ada.get(address).text)
        fetched = page.xpath(
            "//script/@src | //link/@href | //img/@src | //iframe/@src | //*[local-name()='use']/@href"
        )
        assert [one for one in fetched if not re.match(r"/static/|/views/|#", one)] == DESCRIPTIONS
    page = lxml.html.fromstring(ada.get("/papers").text)
    named = page.xpath("//script/@src | //link[@rel='stylesheet' or @rel='icon']/@href")
    assert asset_url("readtrack.css") in named
    for address in named:
        answer = ada.get(address)
        assert re.match(r"/static/[0-9a-f]{12}/", address)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")


@pytest.mark.deep
def test_unchanged_responses_are_not_sent_again(ada):
    newest, listed = f"/api/v1/papers/{ROWS + 10}", "/api/v1/papers"
    tags = {address: ada.get(address).headers["etag"] for address in (newest, listed)}
    for address, tag in tags.items():
        again = ada.get(address, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert ada.patch(newest, json={"venue": "Elsewhere"}, headers={"If-Match": tags[newest]}).status_code == 200
    for address, tag in tags.items():
        assert ada.get(address, headers={"If-None-Match": tag}).status_code == 200
