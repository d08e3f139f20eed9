"""Merging and unmerging shows nobody whether somebody keeps a private text or reading there."""

import re
from collections.abc import Iterator, Mapping
from difflib import unified_diff

import pytest
import sqlalchemy as sa

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.models import Summary
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.team.accounts import commands, queries
from readtrack.web.app import create_app
from readtrack.web.dependencies.auth import cookie_name
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # many requests; `make check` is to be quick
GONE, KEPT, ELSEWHERE = 1, 2, 3
ADDRESSES = """
/ /papers /papers/1 /papers/2 /papers/3 /activity /people/1 /progress /trash /papers?q=text /papers?q=is:read
/papers?group=reader /api/v1/papers.csv
/api/v1/papers /api/v1/papers?q=text /api/v1/papers/1 /api/v1/papers/2?include=reading,topics,summary
/api/v1/papers/2/events /api/v1/papers/2/summaries /api/v1/papers/2/readings /api/v1/papers/1/summaries
/api/v1/papers/1/readings /api/v1/papers/2/mentions /api/v1/readings /api/v1/board?group=reader /api/v1/events
/api/v1/audit /api/v1/people /api/v1/people/1 /api/v1/progress /api/v1/progress?who=team /api/v1/progress/coverage
/api/v1/trash /api/v1/home /api/v1/palette?q=text
/api/v1/summaries/{private}/versions /api/v1/summaries/{shared}/versions /summaries/{private}/versions
/summaries/{shared}/versions
"""
CHANGING = re.compile(  # moments, marks of them, and what is drawn by lot
    r"""\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d[.\d]*)?(?:Z|\+00:00)?|"request_id":"\w+"|nonce-?[\w+/=-]*|v=[0-9a-f]+
    |\d+\ \w+\ \d{4},\ \d\d:\d\d
    |flash=[^;]+|'(?:etag|x-request-id|content-length|date)':[^,]*|<code>[0-9a-f]{12}</code>""",
    re.VERBOSE,
)


@pytest.fixture
def server(dialect, request):
    return request.getfixturevalue({"sqlite": "sqlite_files", "postgresql": "postgres"}[dialect])


@pytest.mark.parametrize(
    ("name", "private"),
    [("Editor", GONE), *(pytest.param(role, KEPT, marks=pytest.mark.deep) for role in ("Editor", "Admin"))],
)
def test_merging_and_unmerging_look_the_same_with_and_without_private_data(server, settings, private, name):
    shared = GONE + KEPT - private
    with_it, without = (answers(server, settings, name, private=place, shared=shared) for place in (private, ELSEWHERE))
    assert len(with_it) == len(without) == 2 * len(ADDRESSES.split()) + 2
    differing = [at for at, answer in with_it.items() if answer != without[at]]
    assert {at: difference(with_it[at], without[at]) for at in differing} == {}


def answers(server, settings, name: str, *, private: int, shared: int) -> dict[str, str]:
    """What somebody else is answered while two papers are one, and after that.

    The member has a private text and reading of one paper, and shared ones of another.
    """
    url = server.copy()
    database = Database(url)
    with database.write() as tx:
        search.ensure(tx)
        member, *others = (make.visitor(tx, name, role=name.lower()) for name in ("Member", "Editor", "Admin"))
        for number in (GONE, KEPT, ELSEWHERE):
            make.paper(tx, f"On Work {number}", identifier=f"arxiv:2401.0000{number}")
        search.update_papers(tx, [GONE, KEPT, ELSEWHERE])
    keep(database, member, private, private=True)
    keep(database, member, shared, private=False)
    with database.read() as tx:  # drawn by lot, so they are called by what they are
        texts = {str(text.id): "private" if text.private else "shared" for text in tx.scalars(sa.select(Summary))}
    app = create_app(settings.model_copy(update={"database_url": url}), database)
    browser = browser_of(app, database, settings, others[name == "Admin"])
    found = dict(seen(browser, texts))
    database.dispose()
    server.drop(url)
    return found


def keep(database, me: CurrentUser, paper_id: int, *, private: bool) -> None:
    for status in ("to_read", "reading", "read"):
        with database.write() as tx:
            set_reading(tx, me, paper_id, ReadingUpdate.model_validate({"status": status, "private": private}))
    with database.write() as tx:
        text = f"Text that is {'private' if private else 'shared'}."
        edit_summary(tx, me, paper_id, SummaryUpdate(markdown=text, private=private), version=None)


def seen(browser: AppClient, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    numbers = {word: number for number, word in texts.items()}
    deeds = {"merged": f"/papers/{GONE}/merge", "unmerged": f"/papers/{GONE}/unmerge"}
    for phase, address in deeds.items():
        told = browser.post(address, data={"into": str(KEPT)})
        assert told.status_code == 303
        yield phase, plain(f"{told.headers['location']} {told.text}")
        for shown in ADDRESSES.split():
            answer = browser.get(shown.format(**numbers))
            assert answer.status_code < 500, shown
            text = re.sub(r"\d+", lambda found: texts.get(found[0], found[0]), answer.text)
            yield f"{phase}: {shown}", f"{answer.status_code} {plain(text)}"


def difference(one: str, other: str) -> list[str]:
    return [*unified_diff(other.splitlines(), one.splitlines(), lineterm="", n=0)]


def plain(text: str) -> str:
    return CHANGING.sub("…", text)


def browser_of(app, database, settings, me: CurrentUser) -> AppClient:
    with database.write() as tx:
        _, secret = commands.sign_in_new(tx, queries.get_person(tx, me.id), agent="a test")
    return AppClient(app, ADDRESS, headers=OWN_PAGES, cookies={cookie_name(settings): secret})
