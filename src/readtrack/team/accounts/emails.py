"""Links that go by mail: written by jobs, so that nobody learns from an answer, or its time, who is here.

Each try makes a code of its own; nothing but its fingerprint is stored. The letter that came last counts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from email.message import EmailMessage

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import local
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import N_, day, speaking
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import Claimed
from readtrack.infra.mail import Mail, Posting, letter, mail_of
from readtrack.infra.models import Invitation, Job, Person
from readtrack.team.accounts import commands
from readtrack.team.accounts.commands.accounts import ADDRESS_CHANGED
from readtrack.team.accounts.commands.invitations import FORGOTTEN, LETTER

FORGOTTEN_TEXT = N_("""Hello {name},

somebody, most likely you, asked for a new password at readtrack ({home}).
With this link you choose one. It works once, until {until}:

{link}

If it was not you, there is nothing to do: your password stays as it is.
""")
RESET_TEXT = N_("""Hello {name},

{by} made a link for you with which you choose a password at readtrack ({home}).
It works once, until {until}, and signs you out everywhere else:

{link}
""")
INVITED_TEXT = N_("""Hello,

{by} invites you to readtrack ({home}), where a team keeps track of what it reads.
You come in as {role}. This link works once, until {until}:

{link}

If you do not know why you got this, there is nothing to do.
""")


CHANGED_TEXT = N_("""Hello {name},

the mail address of your account at readtrack ({home}) was changed.
Mail for you goes to the new address from now on, no longer to this one.

If it was not you, tell an admin at once and change your password.
""")


@queue.handler(FORGOTTEN)
def write_to_who_forgot(database: Database, http: Http, claimed: Claimed) -> None:
    """A letter to the person of that name or address; none when there is nobody, which stays unsaid."""
    with _unsaid_at_last(database, claimed):
        mail = mail_of(http)
        with database.write() as tx:
            queue.hold(tx, claimed)
            found = commands.link_for_forgotten(tx, claimed.payload.get("asked", ""), again=claimed.attempts > 1)
            message = _forgotten(mail, *found) if found else None
        _send_and_finish(database, mail, claimed, message)


@queue.handler(LETTER)
def write_invitation(database: Database, http: Http, claimed: Claimed) -> None:
    """The letter with an invitation, or with a link to set a password; none when it was ended meanwhile."""
    mail = mail_of(http)
    with database.write() as tx:
        queue.hold(tx, claimed)
        made = commands.new_code(tx, claimed.payload["invitation"])
        maker = tx.get(Person, made[0].created_by) if made and made[0].created_by else None
        person = tx.get(Person, made[0].person_id) if made and made[0].person_id else None
        by = maker.name if maker else ""
        message = _invited(mail, *made, person=person, by=by) if made else None
    _send_and_finish(database, mail, claimed, message)


@queue.handler(ADDRESS_CHANGED)
def write_to_old_address(database: Database, http: Http, claimed: Claimed) -> None:
    """Tell the earlier address that it was replaced; where no mail is set up there is nothing to do."""
    with _unsaid_at_last(database, claimed):
        mail = http.mail if isinstance(http, Posting) else None
        with database.read() as tx:
            person = tx.get(Person, claimed.payload.get("person", 0))
            to = claimed.payload.get("to", "")
            message = _changed(mail, person, to) if mail and person and person.erased_at is None and to else None
        _send_and_finish(database, mail, claimed, message)


def _send_and_finish(database: Database, mail: Mail | None, claimed: Claimed, message: EmailMessage | None) -> None:
    if mail is not None and message is not None:
        mail.send(message)
    with database.write() as tx:
        queue.finish(tx, claimed)
        _forget(tx, claimed)


@contextmanager
def _unsaid_at_last(database: Database, claimed: Claimed) -> Iterator[None]:
    """A letter that will never be sent: what was typed is not kept for it."""
    try:
        yield
    except (SourceRefused, SourceUnavailable) as problem:
        if isinstance(problem, SourceRefused) or claimed.attempts >= queue.MAX_ATTEMPTS:
            with database.write() as tx:
                _forget(tx, claimed)
        raise


def _forget(tx: Write, claimed: Claimed) -> None:
    """Which name was typed is nobody's business later: it may have been a password."""
    tx.execute(sa.update(Job).where(col(Job.id) == claimed.id).values(payload={}))


def _forgotten(mail: Mail, person: Person, code: str, until: datetime) -> EmailMessage:
    with speaking(person.language):
        facts = {"name": person.name, "until": _when(until, person.time_zone)}
        text = _(FORGOTTEN_TEXT).format(**facts, home=mail.link("/"), link=mail.link(f"/join/{code}"))
        return letter(person.email, _("Choose a new password for readtrack"), text)


def _changed(mail: Mail, person: Person, to: str) -> EmailMessage:
    with speaking(person.language):
        text = _(CHANGED_TEXT).format(name=person.name, home=mail.link("/"))
        return letter(to, _("Your mail address at readtrack was changed"), text)


def _invited(mail: Mail, link: Invitation, code: str, *, person: Person | None, by: str) -> EmailMessage:
    with speaking(person.language if person is not None else ""):
        facts = {"by": by or _("The operator"), "home": mail.link("/"), "link": mail.link(f"/join/{code}")}
        if person is not None:
            text = _(RESET_TEXT).format(**facts, name=person.name, until=_when(link.until, person.time_zone))
            return letter(person.email, _("Choose a password for readtrack"), text)
        text = _(INVITED_TEXT).format(**facts, role=_(link.role), until=_when(link.until, ""))
        return letter(link.email, _("You are invited to readtrack"), text)


def _when(moment: datetime, zone: str) -> str:
    there = local(moment, zone)
    said = {"time": f"{there:%H:%M}", "day": day(there.date()), "zone": zone or "UTC"}
    return _("{time} on {day} ({zone})").format(**said)
