"""Mailed links, written by jobs so that neither response nor time reveals who has an account.

Each attempt creates its own code and stores only its hash. The last message counts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from email.message import EmailMessage

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import to_local
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import N_, format_day, use_language
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.mail import Mail, MailHttp, build_message, get_mail
from readtrack.infra.models import Invitation, Job, Person
from readtrack.team.accounts import commands
from readtrack.team.accounts.commands.accounts import ADDRESS_CHANGED
from readtrack.team.accounts.commands.invitations import FORGOTTEN, LETTER

FORGOTTEN_TEXT = N_("""Hello {name},

Someone asked to reset your password for readtrack ({home}).
Set a new password here. The link works once, until {until}:

{link}

If it wasn't you, you can ignore this email.
""")
RESET_TEXT = N_("""Hello {name},

{by} sent you a link to set your password for readtrack ({home}).
It works once, until {until}, and signs you out everywhere else:

{link}
""")
INVITED_TEXT = N_("""Hello,

{by} invited you to join the team on readtrack ({home}) as {role}.
The link works once, until {until}:

{link}

If you weren't expecting this, you can ignore this email.
""")
CHANGED_TEXT = N_("""Hello {name},

The email address of your readtrack account ({home}) was changed.
Emails now go to the new address only.

If it wasn't you, tell an admin right away and change your password.
""")


@queue.handler(FORGOTTEN)
def send_reset_email(database: Database, http: Http, job: LeasedJob) -> None:
    """Mail a reset link to the person of that name or address, if any.

    The job does not report whether there is one.
    """
    with _erase_on_failure(database, job):
        mail = get_mail(http)
        with database.write() as tx:
            queue.extend_lease(tx, job)
            reset_link = commands.renew_reset_link(tx, job.payload.get("asked", ""), is_retry=job.attempts > 1)
            message = _build_reset_email(mail, *reset_link) if reset_link else None
        _send_and_finish(database, mail, job, message)


@queue.handler(LETTER)
def send_invitation_email(database: Database, http: Http, job: LeasedJob) -> None:
    """Mail an invitation or reset link, unless it has been ended."""
    mail = get_mail(http)
    with database.write() as tx:
        queue.extend_lease(tx, job)
        new_link = commands.new_code(tx, job.payload["invitation"])
        creator = tx.get(Person, new_link[0].created_by) if new_link and new_link[0].created_by else None
        person = tx.get(Person, new_link[0].person_id) if new_link and new_link[0].person_id else None
        creator_name = creator.name if creator else ""
        message = (
            _build_invitation_email(mail, *new_link, person=person, creator_name=creator_name) if new_link else None
        )
    _send_and_finish(database, mail, job, message)


@queue.handler(ADDRESS_CHANGED)
def send_address_changed_email(database: Database, http: Http, job: LeasedJob) -> None:
    """Notify the old address that it was replaced, if mail is configured."""
    with _erase_on_failure(database, job):
        mail = http.mail if isinstance(http, MailHttp) else None
        with database.read() as tx:
            person = tx.get(Person, job.payload.get("person", 0))
            recipient = job.payload.get("to", "")
            message = (
                _build_address_changed_email(mail, person, recipient)
                if mail and person and person.erased_at is None and recipient
                else None
            )
        _send_and_finish(database, mail, job, message)


def _send_and_finish(database: Database, mail: Mail | None, job: LeasedJob, message: EmailMessage | None) -> None:
    if mail is not None and message is not None:
        mail.send(message)
    with database.write() as tx:
        queue.finish_job(tx, job)
        _erase_typed_name(tx, job)


@contextmanager
def _erase_on_failure(database: Database, job: LeasedJob) -> Iterator[None]:
    """Erase the typed name when the message will never be sent."""
    try:
        yield
    except (SourceRefused, SourceUnavailable) as error:
        if isinstance(error, SourceRefused) or job.attempts >= queue.MAX_ATTEMPTS:
            with database.write() as tx:
                _erase_typed_name(tx, job)
        raise


def _erase_typed_name(tx: Write, job: LeasedJob) -> None:
    """Erase the typed name from the job: it may have been a password."""
    tx.execute(sa.update(Job).where(col(Job.id) == job.id).values(payload={}))


def _build_reset_email(mail: Mail, person: Person, code: str, expires_at: datetime) -> EmailMessage:
    with use_language(person.language):
        facts = {"name": person.name, "until": _format_moment(expires_at, person.time_zone)}
        text = _(FORGOTTEN_TEXT).format(**facts, home=mail.link("/"), link=mail.link(f"/invitations/accept/{code}"))
        return build_message(person.email, _("Set your readtrack password"), text)


def _build_address_changed_email(mail: Mail, person: Person, recipient: str) -> EmailMessage:
    with use_language(person.language):
        text = _(CHANGED_TEXT).format(name=person.name, home=mail.link("/"))
        return build_message(recipient, _("Your readtrack email address was changed"), text)


def _build_invitation_email(
    mail: Mail, link: Invitation, code: str, *, person: Person | None, creator_name: str
) -> EmailMessage:
    with use_language(person.language if person is not None else ""):
        facts = {
            "by": creator_name or _("An admin"),
            "home": mail.link("/"),
            "link": mail.link(f"/invitations/accept/{code}"),
        }
        if person is not None:
            text = _(RESET_TEXT).format(
                **facts, name=person.name, until=_format_moment(link.expires_at, person.time_zone)
            )
            return build_message(person.email, _("Set your readtrack password"), text)
        text = _(INVITED_TEXT).format(**facts, role=_(link.role), until=_format_moment(link.expires_at, ""))
        return build_message(link.email, _("You're invited to readtrack"), text)


def _format_moment(moment: datetime, zone: str) -> str:
    local_time = to_local(moment, zone)
    parts = {"time": f"{local_time:%H:%M}", "day": format_day(local_time.date()), "zone": zone or "UTC"}
    return _("{day}, {time} ({zone})").format(**parts)
