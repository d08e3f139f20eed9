"""Who may do what: the table of roles and scopes, written again on purpose."""

from dataclasses import replace

import pytest

from readtrack.infra import permissions
from readtrack.infra.errors import NotAllowed
from readtrack.infra.permissions import CurrentUser

ROLES = ("viewer", "member", "editor", "admin")
LEAST = {
    "see": "viewer",
    "keep": "viewer",
    "add": "member",
    "edit": "member",
    "discuss": "member",
    "import": "member",
    "send-webhooks": "member",
    "delete": "editor",
    "merge": "editor",
    "reject": "editor",
    "schedule": "editor",
    "close-hosts": "editor",
    "commit-others": "editor",
    "hide": "admin",
    "manage-people": "admin",
    "manage-jobs": "admin",
    "manage-backups": "admin",
    "send-team-webhooks": "admin",
}
OPENS = {  # what a token with that scope alone may do, in the hands of an admin
    "read": {"see"},
    "write": {
        "see",
        "keep",
        "add",
        "edit",
        "discuss",
        "send-webhooks",
        "delete",
        "merge",
        "reject",
        "schedule",
        "close-hosts",
        "hide",
    },
    "import": {"see", "import", "commit-others"},
    "feed": set(),
    "admin": {"see", "manage-people", "manage-jobs", "manage-backups", "send-team-webhooks"},
}


def visitor(role, *scopes):
    return CurrentUser(1, "Ada", role, frozenset(scopes) if scopes else None, token_id=1 if scopes else None)


def test_every_action_has_a_row_in_the_table():
    assert set(LEAST) == set(permissions.ACTS)


@pytest.mark.parametrize("role", ROLES)
def test_a_person_may_do_what_their_role_allows(role):
    may = {act for act in LEAST if permissions.has_permission(visitor(role), act)}
    assert may == {act for act, least in LEAST.items() if ROLES.index(least) <= ROLES.index(role)}


@pytest.mark.parametrize("scope", OPENS)
def test_a_token_may_do_what_its_scope_allows(scope):
    assert {act for act in LEAST if permissions.has_permission(visitor("admin", scope), act)} == OPENS[scope]


@pytest.mark.parametrize("role", ROLES)
def test_a_token_never_exceeds_the_persons_current_role(role):
    everything = visitor(role, *OPENS)
    assert {act for act in LEAST if permissions.has_permission(everything, act)} <= {
        a for a in LEAST if permissions.has_permission(visitor(role), a)
    }
    assert permissions.has_permission(everything, "keep") == (role != "viewer")  # a viewer's tokens read


def test_a_refusal_names_the_missing_permission():
    with pytest.raises(NotAllowed, match="requires the editor role; yours is member") as role:
        permissions.require(visitor("member"), "delete")
    with pytest.raises(NotAllowed, match="lacks the write scope") as scope:
        permissions.require(visitor("member", "read"), "add")
    assert (role.value.code, scope.value.code) == ("not-allowed", "missing-scope")


def test_some_actions_require_a_browser_session():
    permissions.require_browser(visitor("viewer"))
    with pytest.raises(NotAllowed, match="Sign in with a browser"):
        permissions.require_browser(visitor("admin", "admin"))


def test_a_token_cannot_change_credentials_even_with_the_password():
    permissions.require_confirmed(replace(visitor("viewer"), confirmed=True))
    with pytest.raises(NotAllowed, match="Sign in with a browser"):
        permissions.require_confirmed(replace(visitor("admin", "admin"), confirmed=True))
