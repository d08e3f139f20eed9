"""Every route × who asks × what it is about and how that is: the answer is the one of tests/web/permissions.py.

One library for all cells: what a request does is rolled back when it is answered.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from readtrack import policy
from readtrack.app import create_app
from readtrack.clock import now
from readtrack.db import Database, Write
from readtrack.people import commands as people
from readtrack.people import queries
from readtrack.people.inputs import TokenCreate
from readtrack.policy import Visitor
from tests import make
from tests.conftest import ADDRESS, OWN_PAGES
from tests.library import furnished
from tests.web import permissions
from tests.web.permissions import ABSENT, BROWSER, FEED, IN, MOVED, OPEN, REFUSED, SIGN_IN, THINGS
from tests.web.sent import MISSING, MISSING_OF, body_of, things

pytestmark = pytest.mark.slow  # thousands of requests

ROLES = ("viewer", "eve", "owner", "editor", "admin")
TOKENS = {f"{scope} token": scope for scope in ("read", "write", "import", "feed", "admin")}
WHO = ("anonymous", "disabled", *ROLES, *TOKENS)


class Forgetful(Database):
    """Once it forgets, nothing that is written in it is kept."""

    forgets = False

    @contextmanager
    def write(self) -> Iterator[Write]:
        with super().write() as tx:
            yield tx
            if self.forgets:
                tx.flush()
                tx.rollback()


class World:
    """The application, a client of everybody, and the numbers of what there is."""

    def __init__(self, database: Forgetful, settings) -> None:
        library = furnished(database)
        with database.write() as tx:
            self.people = {role: getattr(library, role) for role in ("viewer", "editor", "admin")}
            self.people |= {"owner": library.member, "eve": make.visitor(tx, "Eve")}
            gone = make.person(tx, "Shut Out", disabled_at=now())
            self.people["disabled"] = Visitor(gone.id, gone.name, "member")
            self.things = things(tx, library, self.people["eve"])
        self.app = create_app(settings, database)
        self.secrets = {who: _signed_in(database, me) for who, me in self.people.items()}
        self.tokens = {who: _token(database, library.admin, scope) for who, scope in TOKENS.items()}
        self.of = library.of
        database.forgets = True

    def client(self, who: str) -> TestClient:
        if who in TOKENS:
            headers = {"Authorization": f"Bearer {self.tokens[who]}"}
            return TestClient(self.app, ADDRESS, headers=headers, follow_redirects=False)
        cookies = {"readtrack": self.secrets[who]} if who in self.secrets else {}
        return TestClient(self.app, ADDRESS, headers=OWN_PAGES, cookies=cookies, follow_redirects=False)

    def numbers(self, about: str, state: str) -> dict[str, object]:
        """What stands in an address."""
        if state == "missing":
            return {**self.of, **_missing(about, self.of)}
        return {**self.of, **self.things.get((about, state), {})}

    def visitor(self, who: str) -> Visitor:
        if who in TOKENS:
            return Visitor(self.people["admin"].id, "", "admin", frozenset({TOKENS[who]}), token_id=1)
        return self.people[who]


def _signed_in(database, me) -> str:
    with database.write() as tx:
        return people.sign_in_new(tx, queries.get_person(tx, me.id), agent="a test")[1]


def _token(database, me, scope) -> str:
    with database.write() as tx:
        return people.create_token(tx, me, TokenCreate(name=scope, scopes=[scope]))[1]


@pytest.fixture(scope="module")
def world(sqlite_files, tmp_path_factory) -> Iterator[World]:
    from readtrack import settings as operator

    url = sqlite_files.copy()
    database = Forgetful(url)
    data = tmp_path_factory.mktemp("data")
    settings = operator.load({}, data=data, database_url=url, base_url=ADDRESS, secret_key="only for tests " * 4)
    yield World(database, settings.ready())
    database.dispose()
    sqlite_files.drop(url)


def _missing(about: str, of: Mapping[str, object]) -> dict[str, object]:
    if about == "other":
        return {name: MISSING if isinstance(value, int) else "nowhere" for name, value in of.items()}
    names = MISSING_OF.get(about, (f"{about.rsplit(maxsplit=1)[-1]}_id",))
    return dict.fromkeys(names, "nowhere" if about == "topic" else MISSING)


def plain(path: str) -> str:
    return path.replace(":int", "").replace(":path", "")


def expected(world: World, row: permissions.Row, who: str, state: str) -> set[str]:
    """What may be answered."""
    if row.needs == OPEN:
        return {IN, ABSENT, MOVED}
    if row.needs == FEED:
        return {ABSENT} if who in {"anonymous", "disabled"} else {IN}
    if who in {"anonymous", "disabled"}:
        return {SIGN_IN}
    then = THINGS[row.about][state]
    denied = {REFUSED} if then == IN else {REFUSED, ABSENT, MOVED}
    return {_of_whom(then, who)} if _allows(row.needs, world.visitor(who)) else denied


def _allows(needs: str, me: Visitor) -> bool:
    """Whether somebody may do that at all."""
    acts = {*needs.split(", ")}
    here = me.scopes is None or BROWSER not in acts
    return here and all(policy.may(me, act) for act in {*acts, "see"} - {BROWSER})


def _of_whom(then: str, who: str) -> str:
    if then in {IN, ABSENT, MOVED}:
        return then
    else_, also = then.split("|")
    return IN if ("admin" if who in TOKENS else who) in also.split() else else_


def answered(answer) -> str:
    """The kind of an answer."""
    status = answer.status_code
    if status == 401 or (status == 303 and answer.headers["location"].startswith("/sign-in?next=")):
        return SIGN_IN
    if status in {301, 303} and answer.request.method in {"GET", "HEAD"}:
        return MOVED
    if status == 404:
        return MOVED if "do it there." in answer.text else ABSENT
    return {403: REFUSED}.get(status, IN if status < 500 else str(status))


@pytest.mark.parametrize("who", WHO)
def test_every_cell_is_as_the_table_says(world, who):
    wrong = []
    with world.client(who) as client:
        for row in permissions.rows():
            for state in THINGS[row.about]:
                sent = body_of(row)
                address = row.path.format(**world.numbers(row.about, state))
                answer = client.request(row.method, address, **sent)
                got, wanted = answered(answer), expected(world, row, who, state)
                if got not in wanted:
                    wrong.append(f"{row.method} {address} ({state}): {answer.status_code} {got}, not {wanted}")
    assert not wrong, "\n".join(wrong)
