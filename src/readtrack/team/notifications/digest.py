"""Daily mail: one message per person and day, after 7:00 local time, with the unread notifications.

A message is marked as sent in a transaction before it is handed to the relay, so that no failure sends it twice. It is
unmarked only if the relay certainly did not accept it. The notifications stay unread in the inbox. Names and titles are
user input, so each is one line without control characters.
"""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from email.message import EmailMessage
from typing import Any, NamedTuple

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import SourceRefused, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import format_number, ngettext, use_language
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.mail import Mail, MailNotAccepted, build_message, get_mail
from readtrack.infra.models import Notification, Person
from readtrack.team.notifications import queries
from readtrack.team.notifications.messages import NotificationText, build_notification_text
from readtrack.team.notifications.queries import join_subjects, visible_filter

MAX_NOTIFICATIONS = 50  # notifications per mail; the inbox has the rest
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # line ends and direction marks
JOB = "notices.mail"
DIGEST_HOUR = 7  # local hour of the morning
# older events are not mailed, for example after mail is configured late or a backup is restored
STALE_AFTER = timedelta(days=7)


def render_subject(count: int) -> str:
    """Return the subject, which contains no user input."""
    message = ngettext("readtrack: {count} new notification", "readtrack: {count} new notifications", count)
    return message.format(count=count)


def render_text(name: str, notifications: Sequence[NotificationText], *, count: int, link: Callable[[str], str]) -> str:
    """Return the text: notifications with addresses, the number of others, how to unsubscribe."""
    parts = [_("Hello {name},").format(name=to_plain_line(name))]
    parts += [
        f"* {to_plain_line(notification.sentence)}\n  {link(notification.address)}"
        for notification in notifications[:MAX_NOTIFICATIONS]
    ]
    if count > MAX_NOTIFICATIONS:
        parts.append(
            _("{count} more: {address}").format(
                count=format_number(count - MAX_NOTIFICATIONS), address=link("/notifications")
            )
        )
    else:
        parts.append(_("All notifications: {address}").format(address=link("/notifications")))
    footer = _("Notification settings: {address}")
    parts.append("--\n" + footer.format(address=link("/settings/notifications")))
    return "\n\n".join(parts) + "\n"


def to_plain_line(text: str) -> str:
    """Return the text as one line of visible characters."""
    characters = (" " if unicodedata.category(character) in _UNSEEN else character for character in text)
    return " ".join("".join(characters).split())


log = structlog.get_logger()


class Addressee(NamedTuple):
    """A person who is due a mail today."""

    id: int
    name: str
    email: str
    zone: str
    language: str
    mailed_on: date | None


class DigestLetter(NamedTuple):
    """A mail and the notifications that it marks as sent."""

    subject: str
    text: str
    notification_ids: Sequence[int | None]


Step = tuple[Addressee, DigestLetter | None]  # None if no notification is visible any more


def schedule_digests(tx: Write, http: Http) -> None:
    """Enqueue a job if mail is configured and anyone is due a mail."""
    mail = getattr(http, "mail", None)
    if mail is not None and not mail.offline and _addressees(tx):
        queue.enqueue(tx, JOB, dedup_key=JOB)


@queue.handler(JOB)
def send_letters(database: Database, http: Http, job: LeasedJob) -> None:
    """Send the mails one by one. A failure for one person does not stop the others."""
    mail, errors = get_mail(http), dict[int, Exception]()
    mail.greet()
    while (step := _take_next_letter(database, job, mail, errors)) is not None:
        recipient, letter = step
        if letter is None:
            continue
        try:
            _send_letter(mail, recipient, letter)
        except MailNotAccepted as error:
            errors[recipient.id] = error
            _unmark_letter(database, job, recipient, letter)
            mail.greet()  # stop here if the relay is down
    if errors:
        raise next(iter(errors.values()))


def _take_next_letter(database: Database, job: LeasedJob, mail: Mail, errors: dict[int, Exception]) -> Step | None:
    """Return the next person and their mail, marked as sent, or None if all are done.

    A mail that cannot be written is added to `errors`, and the others continue.
    """
    recipients: list[Addressee] = []
    with queue.isolate_errors("failed to write daily email", StorageUnavailable) as outcome, database.write() as tx:
        queue.extend_lease(tx, job, ending=True)
        recipients = [recipient for recipient in _addressees(tx) if recipient.id not in errors]
        if recipients:
            return recipients[0], _write_letter(tx, recipients[0], mail)
        if not errors:
            queue.finish_job(tx, job)
    if outcome.problem is None:
        return None
    if not recipients:  # the query of people failed
        raise outcome.problem
    errors[recipients[0].id] = queue.ItemsFailedError(queue.BROKEN)
    return recipients[0], None


def _send_letter(mail: Mail, recipient: Addressee, letter: DigestLetter) -> None:
    """Send a mail. Rejections by the relay and messages that cannot be built are logged."""
    try:
        with queue.isolate_errors("failed to send daily email", SourceUnavailable, SourceRefused, person=recipient.id):
            message: EmailMessage = build_message(recipient.email, letter.subject, letter.text)
            message["List-Unsubscribe"] = f"<{mail.link('/settings/notifications')}>"
            mail.send(message)
    except SourceRefused as error:
        log.warning("daily email refused", person=recipient.id, problem=error.message)


def _unmark_letter(database: Database, job: LeasedJob, recipient: Addressee, letter: DigestLetter) -> None:
    """Unmark a mail that was not sent."""
    with database.write() as tx:
        queue.extend_lease(tx, job)
        statement = sa.update(Notification).where(
            col(Notification.id).in_(letter.notification_ids), col(Notification.read_at).is_(None)
        )
        tx.execute(statement.values(mail_due=True))
        tx.execute(sa.update(Person).where(col(Person.id) == recipient.id).values(mailed_on=recipient.mailed_on))


def _addressees(tx: Read) -> list[Addressee]:
    """Return the people with due notifications whose local morning has begun, without a mail today."""
    is_due = sa.exists().where(col(Notification.person_id) == col(Person.id), *_due_filters())
    columns: Sequence[Any] = (Person.id, Person.name, Person.email, Person.time_zone, Person.language, Person.mailed_on)
    query = sa.select(*columns).where(col(Person.disabled_at).is_(None), col(Person.email) != "", is_due)
    now = clock.now()
    recipients = []
    for row in tx.execute(query.order_by(col(Person.id))):
        local_now = clock.to_local(now, row.time_zone)
        if _is_morning(local_now) and (row.mailed_on is None or row.mailed_on < local_now.date()):
            recipients.append(Addressee(*row))
    return recipients


def _is_morning(local_now: datetime) -> bool:
    return local_now.hour >= DIGEST_HOUR


def _due_filters() -> tuple[sa.ColumnElement[bool], ...]:
    return (
        col(Notification.mail_due).is_(True),
        col(Notification.read_at).is_(None),
        col(Notification.created_at) > clock.now() - STALE_AFTER,
    )


def _write_letter(tx: Write, recipient: Addressee, mail: Mail) -> DigestLetter | None:
    """Write a person's mail and mark it as sent.

    Return None if no notification is visible any more.
    """
    is_own = col(Notification.person_id) == recipient.id
    visible = join_subjects([col(Notification.id)]).where(is_own, *_due_filters(), visible_filter()).subquery()
    count = tx.scalar(sa.select(sa.func.count()).select_from(visible))
    rows = tx.rows(
        queries.notifications_query().where(*_due_filters()).limit(MAX_NOTIFICATIONS), {"person_id": recipient.id}
    )
    statement = (
        sa.update(Notification)
        .where(is_own, col(Notification.mail_due))
        .values(mail_due=False)
        .returning(col(Notification.id))
    )
    notifications = tx.scalars(statement).all()
    if not count:
        return None
    today = clock.today_of(recipient.zone)
    tx.execute(sa.update(Person).where(col(Person.id) == recipient.id).values(mailed_on=today))
    with use_language(recipient.language):
        texts = [build_notification_text(row, recipient.zone) for row in queries.build_rows(tx, rows)]
        return DigestLetter(
            render_subject(count), render_text(recipient.name, texts, count=count, link=mail.link), notifications
        )
