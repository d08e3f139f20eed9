"""A55: powers that one has not: admin's doors, other people's accounts, one's own role, the first admin's place."""

import threading
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import ReadtrackError
from readtrack.infra.models import Person, UserSession
from readtrack.infra.permissions import OPERATOR
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import Claim
from readtrack.team.accounts.passwords import Verdict
from readtrack.team.accounts.schemas import InvitationCreate, PersonSetUp, TokenCreate
from tests.sample_library import content, count_of, every_route
from tests.web.permissions import plain
from tests.web.sent import BODIES

pytestmark = pytest.mark.slow  # every door of a whole application

ADMINS = ("/people/{person_id", "/people/invitations", "/api/v1/people/{person_id", "/api/v1/invitations")
EVERYBODYS = {("GET", "/people/{person_id:int}"), ("GET", "/api/v1/people/{person_id:int}")}
PASSWORD = "correct horse battery"
TRIED = {"role": "admin", "email": "", "name": "Viewer", "disabled": "1", "mail": "0"}


@pytest.fixture
def at_once(database):
    """Does each in a transaction of its own, all at the same moment; what came of them, None for what was refused."""

    def do(*works):
        begin, done = threading.Barrier(len(works)), []

        def work(step):
            begin.wait()
            try:
                with database.write() as tx:
                    result = step(tx) or True
            except ReadtrackError:
                result = None
            done.append(result)

        threads = [threading.Thread(target=work, args=(step,)) for step in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return done

    return do


def admin_doors(app):
    doors = [door for door in every_route() if door[1].startswith(ADMINS) and door not in EVERYBODYS]
    return [door for door in doors if door[0] != "HEAD"]


@pytest.mark.parametrize("role", ["viewer", "member", "editor"])
def test_a55_no_endpoint_lets_anyone_but_an_admin_manage_people(app, library, sign_in, database, role):
    browser = sign_in(getattr(library, role))
    before = content(database)
    for method, path in admin_doors(app):
        said = BODIES.get(f"{method} {plain(path)}")
        body = {"data": TRIED} if not path.startswith("/api/") and method == "POST" else {"json": said}
        answer = browser.request(method, library.address(path), **body)
        assert answer.status_code == 403, (method, path)
    assert content(database) == before
    assert len(admin_doors(app)) > 10


def test_a55_no_token_creates_invitations_or_tokens_whatever_its_scope(app, library, database, client):
    with database.write() as tx:
        _, secret = commands.create_token(
            tx, library.admin, TokenCreate(name="all", scopes=["admin", "write", "import"])
        )
    client.headers |= {"Authorization": f"Bearer {secret}"}
    for path in ("/api/v1/invitations", "/api/v1/people/{person_id}/link", "/api/v1/tokens"):
        body = {"name": "more", "scopes": ["admin"]} if path.endswith("tokens") else {}
        assert client.post(library.address(path), json=body).status_code == 403, path


def test_a55_an_admin_cannot_manage_people_with_a_token_without_the_scope(library, database, client):
    with database.write() as tx:
        _, secret = commands.create_token(tx, library.admin, TokenCreate(name="write", scopes=["write"]))
    client.headers |= {"Authorization": f"Bearer {secret}"}
    answer = client.patch(library.address("/api/v1/people/{person_id}"), json={"role": "admin"})
    assert (answer.status_code, answer.json()["code"]) == (403, "missing-scope")


def test_a55_the_last_admin_cannot_be_removed(library, sign_in, database):
    browser = sign_in(library.admin)
    mine = f"/api/v1/people/{library.admin.id}"
    assert browser.patch(mine, json={"role": "viewer"}).status_code == 409
    assert browser.patch(mine, json={"disabled": True}).status_code == 409
    assert browser.patch(mine, json={"role": "viewer", "disabled": True}).status_code == 409
    assert browser.delete(mine).status_code == 409
    with database.read() as tx:
        assert queries.get_person(tx, library.admin.id).role == "admin"


DISABLE, DEMOTE = commands.disable_person, lambda tx, me, person: commands.set_role(tx, me, person, "editor")


@pytest.mark.parametrize(
    ("one", "other"), [(DISABLE, DISABLE), (DEMOTE, DEMOTE), (DEMOTE, DISABLE)], ids=["disable", "demote", "both"]
)
@pytest.mark.parametrize("whom", ["each-other", "oneself", "the-same"])
def test_a55_two_admins_who_demote_each_other_at_once_leave_one_admin(library, database, at_once, whom, one, other):
    with database.write() as tx:
        commands.set_role(tx, OPERATOR, library.editor.id, "admin")
    first, second = library.admin, replace(library.editor, role="admin")
    of = {"each-other": (second, first), "oneself": (first, second), "the-same": (first, first)}[whom]
    done = at_once(
        lambda tx: one(tx, first, of[0].id),
        lambda tx: other(tx, second, of[1].id),
    )
    with database.read() as tx:
        admins = sa.select(sa.func.count()).where(col(Person.role) == "admin", col(Person.disabled_at).is_(None))
        assert tx.scalar(admins) == 1
    assert whom == "the-same" or done.count(None) == 1


def test_a55_two_people_using_one_invitation_at_once_only_one_joins(library, database, at_once):
    with database.write() as tx:
        code = commands.invite(tx, library.admin, InvitationCreate(role="admin"))
    before = count_of(database, Person)

    def join(name):
        return lambda tx: commands.join(tx, code, PersonSetUp(name=name, password=PASSWORD), password_hash="x")

    done = at_once(*(join(name) for name in ("Eve", "Mallory", "Oscar", "Trudy")))

    assert [isinstance(it, Person) for it in done].count(True) == 1
    assert count_of(database, Person) == before + 1


def test_a55_two_people_using_two_invitations_cannot_get_one_name(library, database, at_once):
    with database.write() as tx:
        codes = [commands.invite(tx, library.admin, InvitationCreate()) for _ in range(2)]
    given = [PersonSetUp(name=name, password=PASSWORD) for name in ("Eve", "\uff25ve")]
    done = at_once(
        lambda tx: commands.join(tx, codes[0], given[0], password_hash="x"),
        lambda tx: commands.join(tx, codes[1], given[1], password_hash="x"),
    )
    assert [isinstance(it, Person) for it in done].count(True) == 1


def test_a55_a_person_being_disabled_cannot_sign_in_at_the_same_moment(library, database, at_once):
    """Whoever lets in and whoever shuts out come one after the other: no session outlives the shutting out."""
    with database.write() as tx:
        queries.get_person(tx, library.member.id).password_hash = "kept"

    def come_in(tx):
        person = commands.verify_claim(tx, Claim(library.member.id, "kept", "person:1", ()), Verdict(is_correct=True))
        return person and commands.sign_in_new(tx, person, agent="")

    for _ in range(10):
        at_once(come_in, come_in, lambda tx: commands.disable_person(tx, library.admin, library.member.id))
        assert count_of(database, UserSession) == 0
        with database.write() as tx:
            queries.get_person(tx, library.member.id).disabled_at = None
