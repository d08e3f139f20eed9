"""Every page, in the language that shows what is not translated: no word stands outside of its brackets but data."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import SQLModel, col
from starlette.routing import BaseRoute, Match

from readtrack.infra.db import Database
from readtrack.infra.i18n import PSEUDO
from readtrack.infra.models import Person
from readtrack.web.app import all_routes
from tests.browser import furnishing
from tests.browser.places import EMPTY, PLACES, Place
from tests.depth import DEEP
from tests.pages import spoken_in

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # the demo's library, and every page of it

# What others wrote, or programs.
DATA = {"bdi", "code", "del", "ins", "kbd", "math", "optgroup", "pre", "script", "style", "textarea"}
NAMES = re.compile(  # said alike in every language
    r"readtrack|Ctrl\+[A-Z]|UTC|arXiv|DOI|doi|PDF|HTML|CSL-JSON|JSON|CSV|RIS|Atom|BibTeX|Markdown|Org|OPML"
    r"|PMLR|English|Deutsch|français|GitHub|USENIX|Zenn|Speaker Deck|OpenReview|DBLP|Crossref|OpenAlex|Semantic Scholar"
    r"|DataCite|AAAI|ACL Anthology|CVF|IEEE Xplore|IEEE|APA|ACM|NIPS|Hugging Face|WeChat|Zhihu|Slack|Mattermost|Discord"
)
IDENTIFIERS = re.compile(r"\S*[\d/:.@_]\S*|\S+-\S+|\b[A-Z]{2}\b")  # and a face's letters
PARTS = re.compile(r"[\0|,;·()“”…\[\]]| · |: ")


def data_of(database: Database) -> str:
    """All that people and sources wrote, in one text: what a page shows of it is data. Words of the model are none."""
    with database.read() as tx:
        rows = [row for table in SQLModel.metadata.sorted_tables for row in tx.execute(sa.select(table))]
    written = (text for row in rows for value in row for text in _texts(value))
    return " \n ".join(" ".join(text.split()) for text in written if not re.fullmatch(r"[a-z_.-]*", text)).casefold()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def untranslated(page: str, data: str) -> list[str]:
    """What the page says outside of messages and is nobody's data, name or number."""
    return [spoken for spoken in spoken_in(page, DATA) if any(_is_word(part, data) for part in PARTS.split(spoken))]


def _is_word(part: str, data: str) -> bool:
    text = " ".join(part.split()).strip(" .…☐☑")
    left = " ".join(IDENTIFIERS.sub(" ", NAMES.sub(" ", text)).split())
    return bool(re.search("[A-Za-z]{2}", left)) and text.casefold() not in data and left.casefold() not in data


def one_of_each(places: Iterable[Place]) -> list[Place]:
    """The first place of each page; others, by other people or in other states, in a deep run."""
    first: dict[str, Place] = {}
    for place in places:
        first.setdefault(place.name if DEEP else place.name.partition(",")[0], place)
    return [*first.values()]


def pages(furnished: furnishing.Furnished, places: Iterable[Place], sign_in: Any) -> Iterator[tuple[str, str]]:
    """The places of people who are signed in, as they stand when they are opened."""
    browsers = {role: sign_in(person) for role, person in furnished.people.items()}
    for place in places:
        if place.by and place.name != "api":  # which tells programmers, in English
            answer = browsers[place.by].get(furnished.address(place))
            assert answer.status_code < 500, place.name
            if "html" in answer.headers.get("content-type", ""):
                yield place.name, answer.text


@pytest.mark.parametrize(
    ("fill", "places"),
    [
        pytest.param(furnishing.furnish, one_of_each(PLACES), id="full"),
        pytest.param(furnishing.first_person, EMPTY, id="empty", marks=pytest.mark.deep),
    ],
)
def test_every_word_of_every_page_is_translated_and_every_form_leads_to_a_route(database, sign_in, fill, places):
    furnished = fill(database)
    with database.write() as tx:
        tx.execute(sa.update(Person).where(col(Person.disabled_at).is_(None)).values(language=PSEUDO))
    data = "\n".join([data_of(database), *(place.address for place in places)])  # what is looked for stands there

    shown = dict(pages(furnished, places, sign_in))
    left = {name: words for name, page in shown.items() if (words := untranslated(page, data))}

    assert not left, "\n".join(f"{name}: {' | '.join(words)}" for name, words in left.items())
    assert {
        (name, *target) for name, page in shown.items() for target in form_targets(page) if not leads(*target)
    } == set()


def form_targets(page: str) -> set[tuple[str, str]]:
    """Method and path of what the forms and htmx controls of a page request."""
    document = html.fromstring(page)
    posted = document.xpath("//form[@method='post']/@action | //@formaction | //@hx-post")
    targets = [
        *(("POST", address) for address in posted),
        *(("GET", address) for address in document.xpath("//@hx-get")),
    ]
    return {(method, address.partition("?")[0].partition("#")[0]) for method, address in targets}


@cache  # most pages have some of the same
def leads(method: str, path: str) -> bool:
    """Whether a route answers that."""
    scope = {"type": "http", "method": method, "path": unquote(path)}
    return not path or any(route.matches(scope)[0] is Match.FULL for route in all_routes_once())


@cache
def all_routes_once() -> list[BaseRoute]:
    return [*all_routes()]
