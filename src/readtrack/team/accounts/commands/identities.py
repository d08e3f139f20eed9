"""Sign-in with identities of a provider or proxy. Only the person links them to an account."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, NotAllowed, NotFound
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Identity, Person
from readtrack.infra.permissions import OPERATOR, CurrentUser, require, require_browser, require_confirmed
from readtrack.infra.text import normalize
from readtrack.team.accounts import names as accounts_names
from readtrack.team.accounts import queries
from readtrack.team.accounts.commands.accounts import record_audit_event
from readtrack.team.accounts.commands.invitations import join_by_id
from readtrack.team.accounts.commands.sessions import get_person_for_update
from readtrack.team.accounts.identities import ExternalIdentity, find_identity, has_password

MAX_NAMESAKES = 100
UNKNOWN = N_("This account isn't linked yet. Sign in another way and link it in Settings, or accept an invitation.")


def sign_in_with_identity(tx: Write, external: ExternalIdentity) -> Person:
    """Return the person of an identity.

    Raise NotAllowed if it is unknown or the account is disabled.
    """
    identity = find_identity(tx, external)
    if identity is None:
        raise NotAllowed(_(UNKNOWN), code="unknown-identity")
    person = get_person_for_update(tx, identity.person_id)
    if person.disabled_at is not None:
        raise NotAllowed(_("This account is disabled. Ask an admin."), code="disabled")
    identity.used_at = now()
    identity.name = external.name or identity.name
    return person


def join_with_identity(tx: Write, invitation_id: int, external: ExternalIdentity) -> Person:
    """Create a person without a password from an invitation.

    Raise NotFound if the link is no longer valid, Conflict if the identity has an account: an invitation changes no
    role.
    """
    if find_identity(tx, external) is not None:
        raise Conflict(_("You're already on the team. Sign in instead."), code="known")
    person = join_by_id(tx, invitation_id, _free_name(tx, external))
    _add(tx, CurrentUser(person.id or 0, person.name, person.role), external)
    return person


def link_identity(tx: Write, me: CurrentUser, external: ExternalIdentity) -> None:
    """Link an identity to the current user. Raise Conflict if it belongs to another person."""
    require(me, "keep")
    require_confirmed(me)
    _link(tx, me, me.id, external)


def name_identity(tx: Write, me: CurrentUser, person_id: int, external: ExternalIdentity) -> None:
    """Link an identity to a person, as the command-line operator."""
    if me != OPERATOR:
        raise NotAllowed(_("Only the operator can link accounts for other people."))
    _link(tx, me, person_id, external)


def unlink_identity(tx: Write, me: CurrentUser, identity_id: int) -> None:
    """Unlink an identity. Raise Conflict if it is the only way to sign in."""
    require(me, "keep")
    require_browser(me)
    get_person_for_update(tx, me.id)  # serializes concurrent unlinks
    identities = tx.scalars(sa.select(Identity).where(col(Identity.person_id) == me.id)).all()
    identity = next((row for row in identities if row.id == identity_id), None)
    if identity is None:
        raise NotFound(_("This is no longer available."))
    if len(identities) == 1 and not has_password(tx, me):
        message = _("This is your only way to sign in. Ask an admin for a link to set a password first.")
        raise Conflict(message, code="last-way-in")
    tx.delete(identity)
    events.record_event(tx, me, "person.identity-unlinked", data={"by": identity.issuer}, private=True)


def _link(tx: Write, me: CurrentUser, person_id: int, external: ExternalIdentity) -> None:
    existing = find_identity(tx, external)
    if existing is not None and existing.person_id != person_id:
        raise Conflict(_("This account is already linked to someone else."), code="taken")
    if existing is None:
        _add(tx, me, external, person_id=person_id)


def _add(tx: Write, me: CurrentUser, external: ExternalIdentity, *, person_id: int | None = None) -> None:
    row = Identity(
        person_id=person_id or me.id,
        issuer=external.issuer,
        subject=external.subject,
        name=normalize.clean(external.name),
    )
    tx.add(row)
    tx.flush()
    if me == OPERATOR:
        record_audit_event(
            tx, me, "person.identity-linked", person=queries.get_person(tx, row.person_id).name, by=external.issuer
        )
    else:
        events.record_event(tx, me, "person.identity-linked", data={"by": external.issuer}, private=True)


def _free_name(tx: Read, external: ExternalIdentity) -> str:
    """Return the provider's name for the person if it is valid here, numbered if it is taken."""
    try:
        # May be an email address, which is not a valid name.
        base_name = accounts_names.normalize_person_name(external.name.partition("@")[0])
    except ValueError:
        base_name = "New colleague"
    candidates = (
        base_name,
        *(f"{base_name[: accounts_names.MAX_NAME_CHARS - 4]} {number}" for number in range(2, MAX_NAMESAKES)),
    )
    free_name = next((name for name in candidates if not queries.find_name_conflicts(tx, name, "")), None)
    if free_name is None:
        raise Conflict(_("Too many people have this name. Join with a password instead."))
    return free_name
