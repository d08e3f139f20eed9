"""Account commands: adding, disabling and editing people, and their roles."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, FieldError, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.models import Invitation, Person, Token
from readtrack.infra.permissions import OPERATOR, CurrentUser, require, require_browser, require_confirmed
from readtrack.infra.text import normalize
from readtrack.team.accounts import queries
from readtrack.team.accounts.commands import login_throttle
from readtrack.team.accounts.commands.sessions import Claim, get_person_for_update, sign_out_everywhere, sign_out_others
from readtrack.team.accounts.schemas import MeUpdate, PersonCreate, Role

ADDRESS_CHANGED = "people.address-changed"  # a job, see accounts/emails.py
# Preferences, which a token may change too.
LOOKS = (
    "theme",
    "single_keys",
    "language",
    "time_zone",
    "density",
    "reading_limit",
    "start",
    "variants",
    "hide_checklist",
)


def add_person(tx: Write, me: CurrentUser, data: PersonCreate, *, password_hash: str = "") -> Person:
    """Add a person. The first one is an admin.

    Without a password, they need a reset link (create_reset_link) to sign in.
    """
    require(me, "manage-people")
    role = data.role if queries.has_people(tx) else _role_of_first(data)
    person = new_person(tx, data.name, data.email, role=role, password_hash=password_hash)
    record_audit_event(tx, me, "person.added", person=person.name, role=person.role)
    return person


def edit_me(tx: Write, me: CurrentUser, edit: MeUpdate) -> None:
    """Change the given fields of the current user.

    A token may change preferences only, not name and address. A new address needs a confirmed user, because anyone who
    reads its mail can reset the password.
    """
    require(me, "keep")
    if edit.model_fields_set & {"name", "email"}:
        require_browser(me)
        _rename(tx, me, edit)
    person = queries.get_person(tx, me.id)
    settings = {field: getattr(edit, field) for field in LOOKS if field in edit.model_fields_set}
    changes = {field: value for field, value in settings.items() if getattr(person, field) != value}
    if changes:
        before = {field: getattr(person, field) for field in changes}
        person.sqlmodel_update(changes)
        events.record_event(tx, me, "person.edited", before=before, after=changes, private=True)


def count_address_conflict(tx: Write, me: CurrentUser) -> None:
    """Count an attempt to use a taken address, to stop probing for accounts.

    Raise TooManyRequests.
    """
    login_throttle.count_attempt(tx, f"taken:{me.id}")


def claim_password_change(tx: Write, me: CurrentUser) -> Claim:
    """Count an attempt to enter the current password. Raise TooManyRequests."""
    require_browser(me)
    subject = f"change:{me.id}"
    return Claim(me.id, queries.get_person(tx, me.id).password_hash, subject, login_throttle.count_attempt(tx, subject))


def change_password(tx: Write, me: CurrentUser, *, password_hash: str) -> None:
    """Set the new password, and end all other sessions and password links."""
    require_confirmed(me)
    get_person_for_update(tx, me.id).password_hash = password_hash
    sign_out_others(tx, me)
    end_links(tx, person_id=me.id)
    events.record_event(tx, me, "person.password-changed", private=True)


def set_role(tx: Write, me: CurrentUser, person_id: int, role: Role) -> None:
    """Change a person's role. Raise Conflict for the last admin.

    Open invitation links of a former admin end for good, even if the person becomes admin again.
    """
    require(me, "manage-people")
    if role != "admin":
        _refuse_last_admin(tx, person_id)
        end_links(tx, creator_id=person_id)
    person = queries.get_person(tx, person_id)
    if person.role != role:
        record_audit_event(tx, me, "person.role-changed", before={"role": person.role}, person=person.name, role=role)
        person.role = role


def disable_person(tx: Write, me: CurrentUser, person_id: int) -> None:
    """Disable an account, with its sessions, tokens, and links to and by the person.

    Content stays.
    """
    require(me, "manage-people")
    _refuse_last_admin(tx, person_id)
    person = queries.get_person(tx, person_id)
    if person.disabled_at is not None:
        return
    person.disabled_at = now()
    _end_access(tx, person_id)
    record_audit_event(tx, me, "person.disabled", person=person.name)


def enable_person(tx: Write, me: CurrentUser, person_id: int) -> None:
    """Enable an account with its old password. Tokens stay revoked."""
    require(me, "manage-people")
    person = queries.get_person(tx, person_id)
    if person.erased_at is not None:
        message = _("{name} was erased and can't be restored. Invite them as a new member.").format(name=person.name)
        raise Conflict(message, code="erased")
    if person.disabled_at is not None:
        _end_access(tx, person_id)  # also ends what was created concurrently with disabling the account
        person.disabled_at = None
        record_audit_event(tx, me, "person.enabled", person=person.name)


def new_person(tx: Write, name: str, email: str, *, role: str, password_hash: str, time_zone: str = "") -> Person:
    """Insert a person. Raise Invalid if the name or address is taken."""
    require_available(queries.find_name_conflicts(tx, name, email))
    person = Person(
        name=name,
        name_key=normalize.key(name),
        email=email,
        email_key=normalize.key(email) or None,
        role=role,
        password_hash=password_hash,
        time_zone=time_zone,
    )
    tx.add(person)
    tx.flush()
    return person


def end_links(tx: Write, *, person_id: int = 0, creator_id: int = 0) -> None:
    """End password links to one person and links made by one person. 0 is no person."""
    condition = sa.or_(col(Invitation.person_id) == person_id, col(Invitation.created_by) == creator_id)
    tx.execute(
        sa.update(Invitation).where(condition, col(Invitation.used_at).is_(None)).values(used_at=now(), email="")
    )


def record_audit_event(
    tx: Write, me: CurrentUser, verb: str, *, before: Mapping[str, str] | None = None, **data: str
) -> None:
    """Record an event about people. The command-line operator has no person row."""
    after = None if before is None else {field: data[field] for field in before if field in data}
    events.record_event(tx, None if me == OPERATOR else me, verb, data=data, before=before, after=after)


def require_available(errors: dict[str, str]) -> None:
    """Raise Invalid for conflicts found by `queries.find_name_conflicts`."""
    if errors:
        raise name_conflict_error(errors)


def name_conflict_error(errors: Mapping[str, str]) -> Invalid:
    """Build the error for conflicts found by `queries.find_name_conflicts`."""
    problems = [FieldError(f"/{field}", "taken", message) for field, message in errors.items()]
    return Invalid(" ".join(errors.values()), problems)


def _end_access(tx: Write, person_id: int) -> None:
    """End the person's sessions, pending sign-ins, tokens, and links to and by them."""
    sign_out_everywhere(tx, person_id)
    conditions = (col(Token.person_id) == person_id, col(Token.revoked_at).is_(None))
    tx.execute(sa.update(Token).where(*conditions).values(revoked_at=now()))
    end_links(tx, person_id=person_id, creator_id=person_id)


def _role_of_first(data: PersonCreate) -> Role:
    if "role" in data.model_fields_set and data.role != "admin":
        message = _("The team needs at least one admin. Make someone an admin first.")
        raise Conflict(message, code="first-admin")
    return "admin"


def _rename(tx: Write, me: CurrentUser, edit: MeUpdate) -> None:
    person = queries.get_person(tx, me.id)
    name = edit.name if "name" in edit.model_fields_set and edit.name else person.name
    email = edit.email if "email" in edit.model_fields_set else person.email
    require_available(queries.find_name_conflicts(tx, name, email, except_id=me.id))
    if name != person.name:
        events.record_event(tx, me, "person.renamed", data={"person": name, "before": person.name})
    if email != person.email:
        require_confirmed(me)
        end_links(tx, person_id=me.id)  # links may be in the mailbox of the old address
        if person.email:
            queue.enqueue(tx, ADDRESS_CHANGED, {"person": me.id, "to": person.email})
        events.record_event(
            tx, me, "person.email-changed", before={"email": person.email}, after={"email": email}, private=True
        )
    person.name, person.name_key = name, normalize.key(name)
    person.email, person.email_key = email, normalize.key(email) or None


def _refuse_last_admin(tx: Write, person_id: int) -> None:
    """Raise Conflict for the last admin.

    The rows of all admins are locked so that two cannot disable each other.
    """
    active = (col(Person.role) == "admin", col(Person.disabled_at).is_(None))
    admins = tx.scalars(sa.select(col(Person.id)).where(*active).order_by(col(Person.id)).with_for_update()).all()
    if list(admins) == [person_id]:
        raise Conflict(_("The team needs at least one admin. Make someone an admin first."), code="last-admin")
