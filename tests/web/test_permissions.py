"""Every route × who asks × what it is about and how that is: the answer is the one of tests/web/permissions.py.

One library for all cells: what a request does is rolled back when it is answered.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from zlib import crc32

import pytest

from readtrack.infra import config as operator
from readtrack.infra import permissions as infra_permissions
from readtrack.infra.clock import now
from readtrack.infra.models import Person
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import commands as people
from readtrack.team.accounts import queries
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.web.app import create_app
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES
from tests.depth import DEEP, one_in
from tests.sample_library import Forgetful, every_route, furnished
from tests.web import permissions
from tests.web.permissions import FEED, FEED_OF_VIEW, OPEN, plain
from tests.web.permissions_of_team import BROWSER, TOKEN
from tests.web.sent import MISSING, MISSING_OF, NOW, body_of, things
from tests.web.states import ABSENT, IN, MOVED, REFUSED, SIGN_IN, THINGS

pytestmark = pytest.mark.slow  # thousands of requests

ROLES = ("viewer", "eve", "owner", "editor", "admin")
TOKENS = {f"{scope} token": scope for scope in ("read", "write", "import", "feed", "admin")}
WHO = ("anonymous", "disabled", *ROLES, *TOKENS)
SPOILT: dict[str, tuple[dict[str, object], int]] = {  # what became of a token, and what it answers
    "good": ({}, 200),
    "revoked": ({"revoked_at": now()}, 401),
    "ended": ({"expires_at": now() - timedelta(seconds=1)}, 401),
    "without a scope": ({"scopes": []}, 403),
    "for feeds": ({"scopes": ["feed"]}, 403),
}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
FORGOTTEN = {"/api/v1/imports"}  # answers with what it has kept just before, and here nothing is kept


class World:
    """The application, a client of everybody, and the numbers of what there is."""

    def __init__(self, database: Forgetful, settings) -> None:
        library = furnished(database)
        with database.write() as tx:
            self.people = {role: getattr(library, role) for role in ("viewer", "editor", "admin")}
            self.people |= {"owner": library.member, "eve": make.visitor(tx, "Eve")}
            gone = make.person(tx, "Shut Out", disabled_at=now())
            self.people["disabled"] = CurrentUser(gone.id, gone.name, "member")
            self.things = things(tx, library, self.people["eve"])
        self.app = create_app(settings, database)
        self.secrets = {who: _signed_in(database, me) for who, me in self.people.items()}
        self.tokens = {who: _token(database, library.admin, scope) for who, scope in TOKENS.items()}
        self.tokens |= {why: _token(database, library.admin, "read", **values) for why, (values, _) in SPOILT.items()}
        self.tokens["demoted"] = _demoted(database)
        self.of = library.of
        database.forgets = True

    def client(self, who: str) -> AppClient:
        if who in self.tokens:
            headers = {"Authorization": f"Bearer {self.tokens[who]}"}
            return AppClient(self.app, ADDRESS, headers=headers)
        cookies = {"readtrack": self.secrets[who]} if who in self.secrets else {}
        return AppClient(self.app, ADDRESS, headers=OWN_PAGES, cookies=cookies)

    def numbers(self, about: str, state: str) -> dict[str, object]:
        """What stands in an address."""
        if state == "missing":
            return {**self.of, **_missing(about, self.of)}
        return {**self.of, **self.things.get((about, state), {})}

    def visitor(self, who: str) -> CurrentUser:
        if who in TOKENS:
            return CurrentUser(self.people["admin"].id, "", "admin", frozenset({TOKENS[who]}), token_id=1)
        return self.people[who]


def _signed_in(database, me) -> str:
    with database.write() as tx:
        return people.sign_in_new(tx, queries.get_person(tx, me.id), agent="a test")[1]


def _token(database, me, *scopes, **values) -> str:
    with database.write() as tx:
        token, secret = people.create_token(tx, me, TokenCreate(name="ci", scopes=[*scopes]))
        for name, value in values.items():
            setattr(token, name, value)
    return secret


def _demoted(database) -> str:
    with database.write() as tx:
        me = make.visitor(tx, "Once Admin", role="admin")
    secret = _token(database, me, "read", "write", "import", "admin")
    with database.write() as tx:
        tx.get_one(Person, me.id).role = "viewer"
    return secret


@pytest.fixture(scope="module")
def world(sqlite_files, tmp_path_factory) -> Iterator[World]:
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


def expected(world: World, row: permissions.Row, who: str, state: str) -> set[str]:
    """What may be answered."""
    if row.needs.startswith(OPEN):
        unready = {"503"} if row.path == "/readyz" else set()  # no worker runs here
        return {REFUSED} if BROWSER in row.needs and who in TOKENS else {IN, ABSENT, MOVED} | unready
    if row.needs == FEED:
        return {ABSENT} if who in {"anonymous", "disabled"} else {IN}
    if row.needs == FEED_OF_VIEW:
        return {ABSENT} if who in {"anonymous", "disabled", "feed token"} else {_of_whom(THINGS[row.about][state], who)}
    if who in {"anonymous", "disabled"}:
        return {SIGN_IN}
    then = THINGS[row.about][state]
    denied = {REFUSED} if then == IN else {REFUSED, ABSENT, MOVED}
    if not _allows(row.needs, world.visitor(who)):
        return denied
    return {ABSENT} if row.path in FORGOTTEN else {_of_whom(then, who)}


def _allows(needs: str, me: CurrentUser) -> bool:
    """Whether somebody may do that at all."""
    acts = {*needs.split(", ")}
    here = (TOKEN if me.scopes is None else BROWSER) not in acts
    return here and all(infra_permissions.has_permission(me, act) for act in {*acts, "see"} - {BROWSER, TOKEN})


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
    if status in {404, 409} and re.search(r"was merged into paper \d+\.", answer.text):
        return MOVED
    return {404: ABSENT, 403: REFUSED}.get(status, IN if status < 500 else str(status))


def routes(app) -> set[tuple[str, str]]:
    return {(method, plain(path)) for method, path in every_route()}


def states_for(world: World, who: str, row: permissions.Row) -> list[str]:
    """For tokens, and for who may not do it at all, one is enough: both are settled before anything is looked for."""
    states = list(THINGS[row.about])
    acts = "see" if row.needs == FEED_OF_VIEW else row.needs
    looks_for_it = len(states) > 1 and who in ROLES and _allows(acts, world.visitor(who))
    states = states if looks_for_it else states[:1]
    return [state for state in states if _is_at_an_edge(world, row, who, state) or DEEP]


def _is_at_an_edge(world: World, row: permissions.Row, who: str, state: str) -> bool:
    """Whether the table has something else for the next weaker or the next stronger visitor, or nobody is weaker.

    In between, all are treated alike: only a deep run asks for each of them. So it does for each state of a thing in
    which it is not there for anybody, and for tokens at each route; else these are one in two or four, by their names.
    """
    if who in TOKENS and not one_in(4, row.method, row.path):
        return False
    first = next(iter(THINGS[row.about]))
    if state not in {first, "private"} and not one_in(2, row.method, row.path, state):
        return False
    group = next(group for group in (WHO[:2], ROLES, tuple(TOKENS)) if who in group)
    place = group.index(who)
    mine = expected(world, row, who, state)
    beside = group[max(place - 1, 0) : place + 2]
    if any(expected(world, row, other, state) != mine for other in beside):
        return True
    asked_elsewhere = who in TOKENS or row.method == "GET"  # test_routes.py walks through all as viewer and as nobody
    return place == 0 and (not asked_elsewhere or one_in(3, row.method, row.path, state))


def test_every_route_has_a_permissions_row_and_vice_versa(world):
    listed = [(row.method, row.path) for row in permissions.rows()]
    known = {(method, path) for method, path in routes(world.app) if method != "HEAD"}
    assert (known - {*listed}, {*listed} - known) == (set(), set())
    assert len(listed) == len({*listed})


@pytest.mark.parametrize("who", WHO)
def test_a13_every_cell_of_the_permissions_table_holds(world, who):
    wrong = []
    with world.client(who) as client:
        for row in permissions.rows():
            for state in states_for(world, who, row):
                address = row.path.format(**world.numbers(row.about, state))
                answer = client.request(row.method, address, **body_of(row))
                got, wanted = answered(answer), expected(world, row, who, state)
                if got not in wanted:
                    wrong.append(f"{row.method} {address} ({state}): {answer.status_code} {got}, not {wanted}")
    assert not wrong, "\n".join(wrong)


def test_a13_an_unrouted_method_does_nothing(world):
    there = routes(world.app)
    with world.client("admin") as client:
        for path in sorted({path for _, path in there}):
            address = path.format(**world.numbers("-", "there"))
            others = [method for method in METHODS if (method, path) not in there]
            for number, method in enumerate(others):
                if DEEP or (one_in(3, path) and number == crc32(path.encode()) % len(others)):
                    wanted = 204 if method == "OPTIONS" else 405  # the methods that there are
                    assert client.request(method, address).status_code == wanted, (method, path)


def test_a13_head_responds_like_get(world):
    with world.client("viewer") as client:
        for row in permissions.rows():
            if row.method == "GET" and row.about != "-" and one_in(3, row.path):
                address = row.path.format(**world.numbers(row.about, [*THINGS[row.about]][-1]))
                head, get = client.head(address), client.get(address)
                assert (head.status_code, head.content) == (get.status_code, b""), row.path


@pytest.mark.parametrize(("state", "then"), [("deleted", ABSENT), ("merged", MOVED), ("missing", ABSENT)])
def test_a13_a_paper_named_in_a_body_must_exist_too(world, state, then):
    gone = world.numbers("paper", state)["paper_id"]
    bodies = {
        "/api/v1/assignments": {"paper": gone, "person": world.people["owner"].id},
        "/api/v1/papers/{paper_id}/relations": {"to": gone, "kind": "cites"},
        "/api/v1/series/{series_id}/candidates": {"paper": gone},
        "/api/v1/meetings/{meeting_id}/agenda": {"paper": gone},
    }
    with world.client("admin") as client:
        answers = {path: client.post(path.format(**world.of), json=body, headers=NOW) for path, body in bodies.items()}
        question = client.post("/api/v1/questions", json={"text": "Why?", "paper": gone})
    assert {path: answered(answer) for path, answer in answers.items()} == dict.fromkeys(bodies, then)
    assert (question.status_code, question.json()["errors"][0]["pointer"]) == (422, "/paper")


@pytest.mark.parametrize("spoilt", SPOILT)
def test_a18_a_token_works_while_it_is_valid(world, spoilt):
    with world.client(spoilt) as client:
        assert client.get("/api/v1/papers").status_code == SPOILT[spoilt][1]


def test_a18_the_token_of_a_demoted_person_has_their_current_permissions(world):
    with world.client("demoted") as client:
        assert client.get("/api/v1/people").status_code == 200
        assert client.get("/api/v1/audit").status_code == 403
        assert client.post("/api/v1/jobs/1/retry").status_code == 403
        assert client.put("/api/v1/papers/1/reading", json={"status": "read"}).status_code == 403


def test_a18_a_token_is_accepted_only_in_its_header(world):
    secret = world.tokens["read token"]
    given = {"Authorization": f"bearer {secret}"}
    with world.client("anonymous") as client:
        assert client.get("/api/v1/papers", headers=given).status_code == 200  # the word is the same in small letters
        for name in ("token", "access_token", "authorization"):
            assert client.get("/api/v1/topics", params={name: secret}).status_code == 401
            assert client.post("/api/v1/papers", json={name: secret, "title": "New"}).status_code == 401
        for header in (f"Basic {secret}", f"Token {secret}", secret, f"Bearer  {secret[:-1]}", "Bearer"):
            assert client.get("/api/v1/papers", headers={"Authorization": header}).status_code == 401, header
