"""One-time links: for the first admin, a new person, or a person who resets the password.

Only hashes of codes are stored. A mailed link gets its code when the message is written, in accounts/emails.py.
"""

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import action_quotas, events
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.models import Invitation, Person
from readtrack.infra.permissions import OPERATOR, CurrentUser, require, require_browser, require_confirmed
from readtrack.infra.text import normalize
from readtrack.team.accounts import names as accounts_names
from readtrack.team.accounts import queries
from readtrack.team.accounts.commands import login_throttle
from readtrack.team.accounts.commands.accounts import end_links, new_person, record_audit_event, require_available
from readtrack.team.accounts.commands.sessions import sign_out_everywhere
from readtrack.team.accounts.invitation_queries import valid_invitation_filter
from readtrack.team.accounts.passwords import fingerprint, new_secret
from readtrack.team.accounts.queries import InvitationLink
from readtrack.team.accounts.schemas import InvitationCreate, PersonSetUp, Profile

VALID_FOR = timedelta(days=7)
GOOD_FOR_RESET = timedelta(minutes=30)  # a reset link for an account in use
BETWEEN_LETTERS = timedelta(minutes=5)
LETTER, FORGOTTEN = "people.letter", "people.forgotten"  # jobs, see accounts/emails.py


def make_set_up_code(tx: Write) -> str:
    """Create the link for the first admin and return its code; earlier ones end.

    Raise Conflict if a person exists.
    """
    if queries.has_people(tx):
        raise Conflict(_("readtrack is already set up. Ask an admin for an invitation."))
    tx.execute(sa.delete(Invitation).where(col(Invitation.kind) == "set-up"))
    return _create_invitation(tx, OPERATOR, kind="set-up", role="admin")[1]


def set_up(tx: Write, code: str, data: PersonSetUp, *, password_hash: str) -> Person:
    """Create the first admin.

    Of two concurrent requests, one succeeds and the other gets NotFound.
    """
    # All set-up links are locked first: a concurrent request waits here and then finds them used.
    query = sa.select(Invitation).where(col(Invitation.kind) == "set-up").order_by(col(Invitation.id))
    links = tx.scalars(query.with_for_update()).all()
    queries.get_invitation(tx, "set-up", code)
    if queries.has_people(tx):
        raise NotFound(_("readtrack is already set up. Ask an admin for an invitation."))
    for link in links:
        link.used_at = now()
    person = new_person(tx, data.name, data.email, role="admin", password_hash=password_hash, time_zone=data.time_zone)
    events.record_event(tx, _visitor(person), "person.set-up", data={"person": person.name})
    return person


def invite(tx: Write, me: CurrentUser, data: InvitationCreate) -> str:
    """Create a link for one new person with that role, and return its code."""
    return _invitation(tx, me, data)[1]


def invite_by_mail(tx: Write, me: CurrentUser, data: InvitationCreate) -> None:
    """Mail an invitation link to the address, without showing it.

    Raise Invalid if the address is taken.
    """
    require_available(queries.find_name_conflicts(tx, "", data.email))
    invitation, _ = _invitation(tx, me, data)
    queue.enqueue(tx, LETTER, {"invitation": invitation.id}, created_by=me.id or None)


def create_reset_link(tx: Write, me: CurrentUser, person_id: int) -> str:
    """Create a link with which the person sets a password, and return its code.

    Their earlier links end. It gives access to an account, possibly an admin's, so it needs a confirmed user.
    """
    require(me, "manage-people")
    require_confirmed(me)
    return _create_reset_invitation(tx, me, person_id)[1]


def mail_reset_link(tx: Write, me: CurrentUser, person_id: int) -> None:
    """Mail a reset link to the person, without showing it.

    Raise Conflict if they have no address.
    """
    invitation, _code = _create_reset_invitation(tx, me, person_id)
    person = queries.get_person(tx, person_id)
    if not person.email:
        raise Conflict(_("{name} has no email address. Create a link and share it yourself.").format(name=person.name))
    queue.enqueue(tx, LETTER, {"invitation": invitation.id}, created_by=me.id or None)


def revoke_invitation(tx: Write, me: CurrentUser, invitation_id: int) -> None:
    """End a valid link. Raise NotFound if it is not valid."""
    require(me, "manage-people")
    link = _lock_valid_invitation(tx, invitation_id)
    if link is None:
        raise NotFound(_("This is no longer available."))
    link.used_at, link.email = now(), ""
    record_audit_event(tx, me, "person.invitation-revoked", role=link.role)


def request_reset_link(tx: Write, name_or_email: str, *, address: str) -> None:
    """Enqueue a reset link for a forgotten password. Raise TooManyRequests.

    Only the job looks for the person, so the response does not reveal who has an account.
    """
    typed_name = normalize.clean(name_or_email)[: accounts_names.MAX_EMAIL_CHARS]
    login_throttle.count_attempt(
        tx, f"forgot:{fingerprint(normalize.key(typed_name))}", login_throttle.from_address(address)
    )
    queue.enqueue(tx, FORGOTTEN, {"asked": typed_name})


def renew_reset_link(tx: Write, name_or_email: str, *, is_retry: bool) -> tuple[Person, str, datetime] | None:
    """Create a reset link and return the person, its code and expiry, or None without a recipient.

    Each person gets one message per BETWEEN_LETTERS. `is_retry`: a retry of the same message.
    """
    person = queries.find_person(tx, name_or_email)
    if person is None or person.disabled_at is not None or not person.email:
        return None
    conditions = (col(Invitation.person_id) == person.id, col(Invitation.created_by).is_(None))
    query = sa.select(col(Invitation.id)).where(*conditions, col(Invitation.created_at) > now() - BETWEEN_LETTERS)
    if not is_retry and tx.scalar(query.limit(1)) is not None:
        return None
    link, code = _create_invitation(tx, OPERATOR, kind="join", role=person.role, person=person)
    link.expires_at = now() + GOOD_FOR_RESET
    events.record_event(tx, _visitor(person), "person.link-asked", private=True)
    return person, code, link.expires_at


def new_code(tx: Write, invitation_id: int) -> tuple[Invitation, str] | None:
    """Replace the code of a valid link and return both, or None if the link is no longer valid."""
    link = _lock_valid_invitation(tx, invitation_id)
    if link is None:
        return None
    code = new_secret()
    link.code_hash = fingerprint(code)
    return link, code


def join(tx: Write, code: str, data: PersonSetUp, *, password_hash: str) -> Person:
    """Create a person from an invitation. Raise NotFound if the link is not valid."""
    return _join(tx, _mark_used(tx, queries.get_invitation(tx, "join", code)), data, password_hash=password_hash)


def join_by_id(tx: Write, invitation_id: int, name: str) -> Person:
    """Create a person without a password, after an invitation link and a sign-in at the provider."""
    return _join(
        tx, _mark_used(tx, queries.get_invitation_by_id(tx, invitation_id)), Profile(name=name), password_hash=""
    )


def _join(tx: Write, invitation: InvitationLink, data: Profile | PersonSetUp, *, password_hash: str) -> Person:
    if invitation.person_id is not None:
        raise NotFound(_("This link can't be used here."))
    person = new_person(
        tx, data.name, data.email, role=invitation.role, password_hash=password_hash, time_zone=data.time_zone
    )
    events.record_event(tx, _visitor(person), "person.joined", data={"person": person.name, "role": person.role})
    return person


def reset_password(tx: Write, code: str, *, password_hash: str) -> Person:
    """Set the password of the link's person and end their sessions. Raise NotFound."""
    invitation = _mark_used(tx, queries.get_invitation(tx, "join", code))
    if invitation.person_id is None:
        raise NotFound(_("This link can't be used here."))
    person = queries.get_person(tx, invitation.person_id)
    person.password_hash = password_hash
    sign_out_everywhere(tx, invitation.person_id)
    end_links(tx, person_id=invitation.person_id)
    events.record_event(tx, _visitor(person), "person.password-changed", private=True)
    return person


def _mark_used(tx: Write, invitation: InvitationLink) -> InvitationLink:
    """Mark the link as used first, so that a concurrent request finds it used. Raise NotFound."""
    statement = sa.update(Invitation).where(col(Invitation.id) == invitation.id, col(Invitation.used_at).is_(None))
    if tx.execute(statement.values(used_at=now(), email="").returning(col(Invitation.id))).first() is None:
        raise NotFound(_("This link has expired or was already used. Ask an admin for a new one."))
    return invitation


def _lock_valid_invitation(tx: Write, invitation_id: int) -> Invitation | None:
    """Return the valid link, locked until the transaction ends, or None."""
    return tx.scalar(
        sa.select(Invitation).where(col(Invitation.id) == invitation_id, valid_invitation_filter()).with_for_update()
    )


def _invitation(tx: Write, me: CurrentUser, data: InvitationCreate) -> tuple[Invitation, str]:
    require(me, "manage-people")
    require_browser(me)
    action_quotas.require(tx, me, "person.invited")
    record_audit_event(tx, me, "person.invited", role=data.role)
    return _create_invitation(tx, me, kind="join", role=data.role, email=data.email)


def _create_reset_invitation(tx: Write, me: CurrentUser, person_id: int) -> tuple[Invitation, str]:
    require(me, "manage-people")
    require_browser(me)
    person = queries.get_person(tx, person_id)
    if person.disabled_at is not None:
        raise Conflict(_("{name} is disabled. Enable the account first.").format(name=person.name))
    end_links(tx, person_id=person_id)
    record_audit_event(tx, me, "person.link-made", person=person.name)
    return _create_invitation(tx, me, kind="join", role=person.role, person=person)


def _create_invitation(
    tx: Write, me: CurrentUser, *, kind: str, role: str, email: str = "", person: Person | None = None
) -> tuple[Invitation, str]:
    # Expired links no longer need the address.
    tx.execute(sa.update(Invitation).where(col(Invitation.expires_at) <= now()).values(email=""))
    code = new_secret()
    is_reset = person is not None and person.password_hash != ""
    link = Invitation(
        kind=kind,
        code_hash=fingerprint(code),
        role=role,
        email=email,
        person_id=person.id if person else None,
        created_by=me.id or None,  # the operator has no person row
        expires_at=now() + (GOOD_FOR_RESET if is_reset else VALID_FOR),
    )
    tx.add(link)
    tx.flush()
    return link, code


def _visitor(person: Person) -> CurrentUser:
    return CurrentUser(person.id or 0, person.name, person.role)
