"""Links that let somebody in once: the first admin, a new person, or a person without a password that they know."""

from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack import events
from readtrack.clock import now
from readtrack.db import Write
from readtrack.errors import Conflict, NotFound
from readtrack.models import Invitation, Person
from readtrack.people import queries
from readtrack.people.commands.accounts import end_links, new_person, tell
from readtrack.people.commands.coming_in import sign_out_everywhere
from readtrack.people.inputs import Invite, PersonSetUp, Profile
from readtrack.people.passwords import fingerprint, new_secret
from readtrack.people.queries import Invited
from readtrack.policy import OPERATOR, Visitor, require, require_browser

GOOD = timedelta(days=7)
GOOD_FOR_RESET = timedelta(minutes=30)  # a link that opens an account in use


def make_set_up_code(tx: Write) -> str:
    """The code of the link that makes the first admin; earlier ones end. Raises Conflict when somebody exists."""
    if queries.anybody(tx):
        raise Conflict("There are people already; an admin invites further ones. Nothing was changed.")
    tx.execute(sa.delete(Invitation).where(col(Invitation.kind) == "set-up"))
    return _make(tx, OPERATOR, kind="set-up", role="admin")


def set_up(tx: Write, code: str, given: PersonSetUp, *, password_hash: str) -> Person:
    """The first admin. Of two who come at the same moment one is let in; the other gets NotFound."""
    # All such links are locked before one is looked at: the second comer waits here, and finds them used.
    every = sa.select(Invitation).where(col(Invitation.kind) == "set-up").order_by(col(Invitation.id))
    links = tx.scalars(every.with_for_update()).all()
    queries.get_invitation(tx, "set-up", code)
    if queries.anybody(tx):
        raise NotFound("readtrack is set up already. Nothing was changed; ask an admin for an invitation.")
    for link in links:
        link.used_at = now()
    person = new_person(tx, given.name, given.email, role="admin", password_hash=password_hash)
    events.record(tx, _visitor(person), "person.set-up", data={"person": person.name})
    return person


def invite(tx: Write, me: Visitor, given: Invite) -> str:
    """The code of a link with which one new person comes in, in that role."""
    require(me, "manage-people")
    require_browser(me)
    tell(tx, me, "person.invited", role=given.role)
    return _make(tx, me, kind="join", role=given.role)


def invite_back(tx: Write, me: Visitor, person_id: int) -> str:
    """The code of a link with which that person sets a password; earlier ones of theirs work no more."""
    require(me, "manage-people")
    require_browser(me)
    person = queries.get_person(tx, person_id)
    if person.disabled_at is not None:
        raise Conflict(f"{person.name} is disabled. Nothing was changed; enable the account first.")
    end_links(tx, person_id)
    tell(tx, me, "person.link-made", person=person.name)
    return _make(tx, me, kind="join", role=person.role, person=person)


def join(tx: Write, code: str, given: PersonSetUp, *, password_hash: str) -> Person:
    """The person whom an invitation makes; raises NotFound when the link is not good (any more)."""
    return _join(tx, _use(tx, queries.get_invitation(tx, "join", code)), given, password_hash=password_hash)


def join_by_id(tx: Write, invitation_id: int, name: str) -> Person:
    """The same for whoever followed a link and came back as somebody whom a provider knows: without a password."""
    return _join(tx, _use(tx, queries.get_invitation_by_id(tx, invitation_id)), Profile(name=name), password_hash="")


def _join(tx: Write, invited: Invited, given: Profile | PersonSetUp, *, password_hash: str) -> Person:
    if invited.person_id is not None:
        raise NotFound("This link belongs to a person who is here already.")
    person = new_person(tx, given.name, given.email, role=invited.role, password_hash=password_hash)
    events.record(tx, _visitor(person), "person.joined", data={"person": person.name, "role": person.role})
    return person


def reset_password(tx: Write, code: str, *, password_hash: str) -> Person:
    """Sets the password of the person whose link it is, and ends their sessions; raises NotFound."""
    invited = _use(tx, queries.get_invitation(tx, "join", code))
    if invited.person_id is None:
        raise NotFound("This link makes a new person; it sets nobody's password.")
    person = queries.get_person(tx, invited.person_id)
    person.password_hash = password_hash
    sign_out_everywhere(tx, invited.person_id)
    events.record(tx, _visitor(person), "person.password-changed", private=True)
    return person


def _use(tx: Write, invited: Invited) -> Invited:
    """Marks the link as used, before anything else: of two who come at once the second finds nothing to mark."""
    unused = sa.update(Invitation).where(col(Invitation.id) == invited.id, col(Invitation.used_at).is_(None))
    if tx.execute(unused.values(used_at=now()).returning(col(Invitation.id))).first() is None:
        raise NotFound("This link was used a moment ago. Nothing was changed; ask an admin for a new one.")
    return invited


def _make(tx: Write, me: Visitor, *, kind: str, role: str, person: Person | None = None) -> str:
    code = new_secret()
    good = GOOD_FOR_RESET if person and person.password_hash else GOOD
    tx.add(
        Invitation(
            kind=kind,
            code_hash=fingerprint(code),
            role=role,
            person_id=person.id if person else None,
            created_by=None if me == OPERATOR else me.id,
            until=now() + good,
        )
    )
    return code


def _visitor(person: Person) -> Visitor:
    return Visitor(person.id or 0, person.name, person.role)
