"""A55: powers that one has not: admin's doors, other people's accounts, one's own role, the first admin's place."""

import threading
from dataclasses import replace

import pytest

from readtrack.errors import Conflict
from readtrack.people import commands, queries
from readtrack.people.inputs import TokenCreate
from readtrack.policy import OPERATOR
from tests.library import content, every_route
from tests.web.test_routes import DOORS

pytestmark = pytest.mark.slow  # every door of a whole application; `make test` has them

ADMINS = ("/people/{person_id", "/people/invitations", "/api/v1/people/{person_id", "/api/v1/invitations")
EVERYBODYS = {("GET", "/people/{person_id:int}"), ("GET", "/api/v1/people/{person_id:int}")}
TRIED = {"role": "admin", "email": "", "name": "Viewer", "disabled": "1", "mail": "0"}


def admin_doors(app):
    doors = [door for door in every_route(app) if door[1].startswith(ADMINS) and door not in EVERYBODYS]
    return [door for door in doors if door[0] != "HEAD"]


@pytest.mark.parametrize("role", ["viewer", "member", "editor"])
def test_a55_nobody_but_an_admin_manages_people_by_any_door(app, library, sign_in, database, role):
    browser = sign_in(getattr(library, role))
    before = content(database)
    for method, path in admin_doors(app):
        said = DOORS.get((method, path), (None, "", None))[2]
        body = {"data": TRIED} if not path.startswith("/api/") and method == "POST" else {"json": said}
        answer = browser.request(method, library.address(path), **body)
        assert answer.status_code == 403, (method, path)
    assert content(database) == before
    assert len(admin_doors(app)) > 10


def test_a55_no_token_makes_links_or_tokens_whatever_its_scope(app, library, database, client):
    with database.write() as tx:
        _, secret = commands.create_token(
            tx, library.admin, TokenCreate(name="all", scopes=["admin", "write", "import"])
        )
    client.headers |= {"Authorization": f"Bearer {secret}"}
    for path in ("/api/v1/invitations", "/api/v1/people/{person_id}/link", "/api/v1/tokens"):
        body = {"name": "more", "scopes": ["admin"]} if path.endswith("tokens") else {}
        assert client.post(library.address(path), json=body).status_code == 403, path


def test_a55_an_admin_without_the_scope_manages_nobody_by_token(library, database, client):
    with database.write() as tx:
        _, secret = commands.create_token(tx, library.admin, TokenCreate(name="write", scopes=["write"]))
    client.headers |= {"Authorization": f"Bearer {secret}"}
    answer = client.patch(library.address("/api/v1/people/{person_id}"), json={"role": "admin"})
    assert (answer.status_code, answer.json()["code"]) == (403, "missing-scope")


def test_a55_the_last_admin_stays_whoever_takes_it_away(library, sign_in, database):
    browser = sign_in(library.admin)
    mine = f"/api/v1/people/{library.admin.id}"
    assert browser.patch(mine, json={"role": "viewer"}).status_code == 409
    assert browser.patch(mine, json={"disabled": True}).status_code == 409
    assert browser.patch(mine, json={"role": "viewer", "disabled": True}).status_code == 409
    assert browser.delete(mine).status_code == 409
    with database.read() as tx:
        assert queries.get_person(tx, library.admin.id).role == "admin"


def test_a55_two_admins_who_shut_each_other_out_at_once_leave_one(library, database):
    with database.write() as tx:
        commands.set_role(tx, OPERATOR, library.editor.id, "admin")
    one, other = library.admin, replace(library.editor, role="admin")
    pairs, begin, done = [(one, other), (other, one)], threading.Barrier(2), []

    def shut_out(me, other):
        begin.wait()
        try:
            with database.write() as tx:
                commands.disable_person(tx, me, other.id)
        except Conflict:
            return
        done.append(other.id)

    threads = [threading.Thread(target=shut_out, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 1
