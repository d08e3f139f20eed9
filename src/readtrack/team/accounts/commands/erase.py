"""Erasure of former members: private content is deleted, shared content is anonymized."""

import json
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    Comment,
    Draft,
    Event,
    IdempotencyKey,
    Identity,
    Invitation,
    Job,
    LlmUsage,
    LoginAttempt,
    Notification,
    PendingSignIn,
    Reading,
    ReadingEvent,
    ReadMarker,
    SavedSearch,
    Summary,
    SummaryVersion,
    Token,
    UndoEntry,
    UserSession,
    Webhook,
    WebhookDelivery,
)
from readtrack.infra.permissions import CurrentUser, require
from readtrack.infra.saved_texts import text_saved
from readtrack.infra.text import normalize
from readtrack.library.images.commands import enqueue_image_cleanup
from readtrack.team.accounts import names as accounts_names
from readtrack.team.accounts import queries
from readtrack.team.accounts.commands.accounts import ADDRESS_CHANGED, record_audit_event
from readtrack.team.accounts.commands.invitations import FORGOTTEN, LETTER

NAMING = frozenset({"person", "before", "email"})  # event fields that contain a name or an address
# Tables whose rows belong to one person.
THEIRS = (Identity, PendingSignIn, UserSession, Notification, ReadMarker, IdempotencyKey, Draft, LlmUsage, UndoEntry)
NOTHING: dict[str, Any] = {
    "email": "",
    "email_key": None,
    "password_hash": "",
    "theme": "",
    "single_keys": True,
    "language": "",
    "time_zone": "",
    "density": "",
    "reading_limit": 3,
    "start": "",
    "variants": False,
    "hide_checklist": False,
    "notification_settings": {},
    "mailed_on": None,
    "totp_salt": "",
    "totp_step": 0,
    "recovery": [],
}


def erase_person(tx: Write, me: CurrentUser, person_id: int) -> str:
    """Erase a disabled person and return their anonymous name.

    This cannot be undone. Raise Conflict if they can sign in.
    """
    require(me, "manage-people")
    person = queries.get_person(tx, person_id)
    if person.disabled_at is None:
        raise Conflict(_("Disable this account before erasing it."))
    if person.erased_at is not None:
        return person.name
    known_names = {person.name, person.email} - {""} | _find_earlier_names(tx, person_id)
    new_name = f"{accounts_names.FORMER} {person_id}"
    _erase_private(tx, person_id)
    enqueue_image_cleanup(tx, person_id)
    _erase_access(tx, person_id)
    _erase_from_letters(tx, known_names)
    _erase_from_answers(tx, known_names)
    _erase_from_events(tx, person_id, known_names, new_name)
    person.sqlmodel_update({**NOTHING, "name": new_name, "name_key": normalize.key(new_name), "erased_at": now()})
    tx.flush()
    record_audit_event(tx, me, "person.erased", person=new_name)
    return new_name


def _find_earlier_names(tx: Write, person_id: int) -> set[str]:
    is_rename = col(Event.verb).in_(["person.renamed", "person.email-changed"])
    rows = tx.execute(
        sa.select(col(Event.data), col(Event.before)).where(col(Event.person_id) == person_id, is_rename)
    ).all()
    return {name for data, before in rows if (name := data.get("before") or (before or {}).get("email"))}


def _erase_private(tx: Write, person_id: int) -> None:
    """Delete private readings and summaries with their events, and the texts of deleted comments."""
    is_deleted = (col(Comment.person_id) == person_id, col(Comment.deleted_at).is_not(None))
    comment_ids = tx.scalars(sa.update(Comment).where(*is_deleted).values(markdown="").returning(col(Comment.id)))
    emptied_ids = [comment_id for comment_id in comment_ids if comment_id]
    text_saved(tx, "comment", emptied_ids)
    summary_ids = _ids(tx, person_id, Summary, sa.or_(col(Summary.private), col(Summary.deleted_at).is_not(None)))
    tx.execute(sa.delete(Notification).where(col(Notification.summary_id).in_(summary_ids)))
    tx.execute(sa.delete(SummaryVersion).where(col(SummaryVersion.summary_id).in_(summary_ids)))
    tx.execute(sa.delete(Summary).where(col(Summary.id).in_(summary_ids)))
    own_summaries = sa.select(col(Summary.id)).where(col(Summary.person_id) == person_id)
    # private versions of summaries that are shared now
    private_versions = (col(SummaryVersion.summary_id).in_(own_summaries), col(SummaryVersion.private))
    tx.bulk_execute(sa.delete(SummaryVersion).where(*private_versions))
    text_saved(tx, "summary", summary_ids)
    private_papers = sa.select(col(Reading.paper_id)).where(col(Reading.person_id) == person_id, col(Reading.private))
    private_events = (col(ReadingEvent.person_id) == person_id, col(ReadingEvent.paper_id).in_(private_papers))
    tx.bulk_execute(sa.delete(ReadingEvent).where(*private_events))
    reading_ids = _ids(tx, person_id, Reading, col(Reading.private).is_(True))
    tx.execute(sa.delete(Reading).where(col(Reading.id).in_(reading_ids)))
    tx.execute(sa.delete(Event).where(col(Event.person_id) == person_id, col(Event.private)))
    _erase_views(tx, person_id)


def _erase_views(tx: Write, person_id: int) -> None:
    view_ids = _ids(
        tx, person_id, SavedSearch, sa.or_(sa.not_(col(SavedSearch.shared)), col(SavedSearch.deleted_at).is_not(None))
    )
    statement = sa.update(Token).where(col(Token.view_id).in_(view_ids)).values(view_id=None, revoked_at=now())
    tx.bulk_execute(statement)  # others may have feeds of them from when they were shared
    tx.execute(sa.delete(SavedSearch).where(col(SavedSearch.id).in_(view_ids)))


def _ids(tx: Write, person_id: int, table: Any, condition: sa.ColumnElement[bool]) -> list[int]:  # noqa: ANN401
    return list(tx.scalars(sa.select(table.id).where(table.person_id == person_id, condition)))


def _erase_access(tx: Write, person_id: int) -> None:
    """Delete credentials, webhooks, notifications and login attempts, and the token ids in events."""
    token_ids = sa.select(col(Token.id)).where(col(Token.person_id) == person_id)
    for model in (Event, ReadingEvent):
        statement = sa.update(model).where(col(model.token_id).in_(token_ids)).values(token_id=None)
        tx.bulk_execute(statement)
    webhook_ids = sa.select(col(Webhook.id)).where(col(Webhook.person_id) == person_id)
    tx.bulk_execute(sa.delete(WebhookDelivery).where(col(WebhookDelivery.webhook_id).in_(webhook_ids)))
    for table in (*THEIRS, Token, Webhook):
        tx.execute(sa.delete(table).where(col(table.person_id) == person_id))
    own_subjects = col(LoginAttempt.subject).in_(
        [f"{kind}:{person_id}" for kind in ("person", "change", "taken", "code", "code-device")]
    )
    tx.execute(
        sa.delete(LoginAttempt).where(
            sa.or_(own_subjects, col(LoginAttempt.subject).startswith(f"device:{person_id}:"))
        )
    )


def _erase_from_letters(tx: Write, names: Iterable[str]) -> None:
    """Erase the address from invitations and mail jobs, with the relays' messages about it."""
    keys = {normalize.key(name) for name in names}
    for link in tx.scalars(sa.select(Invitation).where(col(Invitation.email) != "")):
        link.email = "" if normalize.key(link.email) in keys else link.email
    letters = tx.scalars(sa.select(Job).where(col(Job.kind).in_([FORGOTTEN, LETTER, ADDRESS_CHANGED]))).all()
    job_ids = [job.id for job in letters if _has_any_key(job, keys)]
    tx.execute(sa.update(Job).where(col(Job.id).in_(job_ids)).values(payload={}, error=""))
    data = {"happened": "given-up", "problem": ""}
    tx.execute(sa.update(Notification).where(col(Notification.job_id).in_(job_ids)).values(data=data))


def _has_any_key(job: Job, keys: Iterable[str]) -> bool:
    return any(
        key in normalize.key(f"{job.payload.get('asked', '')} {job.payload.get('to', '')} {job.error}") for key in keys
    )


def _erase_from_answers(tx: Write, names: Iterable[str]) -> None:
    """Delete stored idempotent responses that contain a name or an address."""
    conditions = [
        col(IdempotencyKey.body).contains(json.dumps(name, ensure_ascii=False), autoescape=True) for name in names
    ]
    tx.bulk_execute(sa.delete(IdempotencyKey).where(sa.or_(*conditions)))


def _erase_from_events(tx: Write, person_id: int, names: Iterable[str], new_name: str) -> None:
    """Keep events under the new name, without network addresses."""
    tx.execute(sa.update(Event).where(col(Event.person_id) == person_id).values(address=""))
    replacements = dict.fromkeys(names, new_name)
    for event in tx.scalars(sa.select(Event).where(_mention_filter(replacements))):
        event.data, event.before, event.after = (
            _replace_names(data, replacements) for data in (event.data, event.before, event.after)
        )
    tx.flush()


def _mention_filter(names: Iterable[str]) -> sa.ColumnElement[bool]:
    """Return a filter for events that contain one of the words in JSON form."""
    columns = (col(Event.data), col(Event.before), col(Event.after))
    quoted_names = [json.dumps(name) for name in names]
    return sa.or_(
        *(sa.cast(column, sa.Text).contains(name, autoescape=True) for column in columns for name in quoted_names)
    )


def _replace_names(data: Any, replacements: dict[str, str]) -> Any:  # noqa: ANN401 - the JSON of an event, or None
    if data is None:
        return None
    return {key: replacements.get(value, value) if key in NAMING else value for key, value in data.items()}
