"""API tokens: what each scope lets them do, and when they end."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine

from readtrack.infra import clock, permissions
from readtrack.infra.errors import Invalid, NotAllowed, NotFound
from readtrack.infra.models import SCOPES, Token
from readtrack.infra.permissions import OPERATOR
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.schemas import TokenCreate
from tests import make


def made(database, me, scopes=("read",), **more):
    with database.write() as tx:
        return commands.create_token(tx, me, TokenCreate(name="ci", scopes=list(scopes), **more))


def visitor_of(database, secret):
    with database.read() as tx:
        return queries.find_visitor_by_token(tx, secret)


@pytest.fixture
def ken(database):
    with database.write() as tx:
        return make.visitor(tx, "Ken", role="admin")


ALLOWED = {
    "read": {"see"},
    "write": {"see", "keep", "add", "edit", "discuss", "delete", "merge", "reject", "schedule", "close-hosts", "hide"}
    | {"send-webhooks"},
    "import": {"see", "import", "commit-others"},
    "admin": {"see", "manage-people", "manage-jobs", "manage-backups", "send-team-webhooks"},
    "feed": set(),
}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_allows_exactly_what_the_table_says(database, ken, scope):
    _, secret = made(database, ken, [scope])
    visitor = visitor_of(database, secret)
    assert {act for act in permissions.ACTS if permissions.has_permission(visitor, act)} == ALLOWED[scope]


@pytest.mark.parametrize(
    ("role", "scope"), [("viewer", "write"), ("viewer", "import"), ("member", "admin"), ("editor", "admin")]
)
def test_no_token_exceeds_its_persons_role(database, role, scope):
    with database.write() as tx:
        me = make.visitor(tx, role=role)
    with pytest.raises(Invalid, match=scope):
        made(database, me, ["read", scope])


def test_a_token_loses_rights_with_its_person(database, ken):
    _, secret = made(database, ken, ["read", "write", "admin"])
    with database.write() as tx:
        eve = make.visitor(tx, "Eve", role="admin")
        commands.set_role(tx, eve, ken.id, "viewer")
    visitor = visitor_of(database, secret)
    assert {act for act in permissions.ACTS if permissions.has_permission(visitor, act)} == {"see"}


def test_a_token_ends_when_revoked_or_expired_and_not_otherwise(database, ken):
    revoked, short, endless = (made(database, ken, days=days) for days in (90, 30, None))
    with database.write() as tx:
        commands.revoke_token(tx, ken, revoked[0].id)
        commands.revoke_token(tx, ken, revoked[0].id)  # twice is no error
    assert visitor_of(database, revoked[1]) is None
    with time_machine.travel(clock.now() + timedelta(days=29)):
        assert visitor_of(database, short[1]).token_id == short[0].id
    with time_machine.travel(clock.now() + timedelta(days=30)):
        assert visitor_of(database, short[1]) is None
    with time_machine.travel(clock.now() + timedelta(days=3650)):
        assert visitor_of(database, endless[1]) is not None


@pytest.mark.parametrize("wrong", ["", "rt_", "rt_unknown", "RT_", "\udcff"])
def test_an_unknown_secret_identifies_nobody(database, ken, wrong):
    made(database, ken)
    assert visitor_of(database, wrong) is None


def test_a_secret_is_stored_as_its_hash_and_a_hint(database, ken):
    token, secret = made(database, ken)
    with database.read() as tx:
        stored = str(tx.execute(sa.select(sa.text("*")).select_from(Token)).all())
    assert secret.startswith("rt_")
    assert secret not in stored
    assert secret[len(token.hint) :] not in stored
    assert token.hint == secret[:8]


def test_a_token_cannot_create_or_revoke_tokens(database, ken):
    token, secret = made(database, ken, ["read", "write", "admin"])
    program = visitor_of(database, secret)
    with pytest.raises(NotAllowed):
        made(database, program)
    with pytest.raises(NotAllowed), database.write() as tx:
        commands.revoke_token(tx, program, token.id)


def test_only_the_owner_and_the_operator_can_see_and_revoke_a_token(database, ken):
    token, secret = made(database, ken)
    with database.write() as tx:
        eve = make.visitor(tx, "Eve", role="admin")
    with database.write() as tx:
        assert queries.list_tokens(tx, eve) == []
        assert [(row.person, row.name) for row in queries.list_tokens(tx, OPERATOR)] == [("Ken", "ci")]
        with pytest.raises(NotFound):
            commands.revoke_token(tx, eve, token.id)
        commands.revoke_token(tx, OPERATOR, token.id)
    assert visitor_of(database, secret) is None


def test_the_last_use_of_a_token_is_recorded(database, ken):
    _, secret = made(database, ken)
    visitor = visitor_of(database, secret)
    assert visitor.use_due
    with database.write() as tx:
        commands.record_use(tx, visitor)
    assert not visitor_of(database, secret).use_due


@pytest.mark.parametrize(
    "given",
    [
        {"scopes": []},
        {"scopes": ["everything"]},
        {"days": 0},
        {"days": 99999},
        {"name": ""},
        {"name": "a\u200bb"},
        {"person_id": 1},
    ],
)
def test_an_invalid_token_request_is_refused(given):
    with pytest.raises(ValueError, match="validation error"):
        TokenCreate.model_validate({"name": "ci", "scopes": ["read"], **given})
