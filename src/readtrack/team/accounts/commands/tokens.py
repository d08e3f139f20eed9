"""API tokens: created in a browser, shown once, stored as hashes."""

from datetime import timedelta

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import FieldError, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Token
from readtrack.infra.permissions import OPERATOR, SCOPES_OF, CurrentUser, require_browser, require_confirmed
from readtrack.team.accounts.passwords import fingerprint, new_secret
from readtrack.team.accounts.schemas import TokenCreate

PREFIX = "rt_"
HINT_CHARS = 8  # characters of the secret shown in the list


def create_token(tx: Write, me: CurrentUser, data: TokenCreate, *, view_id: int | None = None) -> tuple[Token, str]:
    """Create a token of the current user and return it with its secret.

    Raise Invalid for scopes beyond the role. A token with more than the feed scope needs a confirmed user, because it
    outlives the session. `view_id`: it gives access to that feed only.
    """
    require_browser(me)
    if set(data.scopes) != {"feed"}:
        require_confirmed(me)
    _refuse_wider(me, data)
    secret = new_secret(PREFIX)
    token = Token(
        person_id=me.id,
        name=data.name,
        view_id=view_id,
        secret_hash=fingerprint(secret),
        hint=secret[:HINT_CHARS],
        scopes=sorted(set(data.scopes)),
        expires_at=now() + timedelta(days=data.days) if data.days else None,
    )
    tx.add(token)
    tx.flush()
    events.record_event(
        tx, me, "token.created", data={"name": _audited_name(token), "scopes": token.scopes}, private=True
    )
    return token, secret


def revoke_token(tx: Write, me: CurrentUser, token_id: int) -> None:
    """Revoke a token of the current user; the operator may revoke any. Raise NotFound."""
    require_browser(me)
    token = tx.get(Token, token_id)
    if token is None or (me != OPERATOR and token.person_id != me.id):
        raise NotFound(_("Token {token_id} not found.").format(token_id=token_id))
    if token.revoked_at is None:
        token.revoked_at = now()
        events.record_event(
            tx, None if me == OPERATOR else me, "token.revoked", data={"name": _audited_name(token)}, private=True
        )


def _audited_name(token: Token) -> str:
    """Return the name for the audit log.

    The name of a feed token would reveal a saved search that may be private.
    """
    return token.name if token.view_id is None else f"feed of view {token.view_id}"


def _refuse_wider(me: CurrentUser, data: TokenCreate) -> None:
    excess_scopes = sorted(set(data.scopes) - SCOPES_OF[me.role])
    if excess_scopes:
        message = _("The role {role} doesn't allow: {list}.").format(role=me.role, list=", ".join(excess_scopes))
        raise Invalid(message, [FieldError("/scopes", "beyond-role", message)])
