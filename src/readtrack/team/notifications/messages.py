"""Texts of notifications for the inbox, the API and the mail: what happened, to what, and where."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from readtrack.infra.clock import to_local
from readtrack.infra.i18n import N_, format_day, format_short, ngettext
from readtrack.infra.i18n import gettext as _

MAX_EXCERPT_CHARS = 160  # characters of a title or a text
_ASSIGNED = {
    "made": N_("assigned you a paper"),
    "edited": N_("changed your assignment"),
    "withdrawn": N_("withdrew your assignment"),
    "accepted": N_("accepted your assignment"),
    "declined": N_("declined your assignment"),
}
_BY_NOBODY = {"version", "job"}
_MET = {
    "planned": N_("scheduled a meeting"),
    "moved": N_("changed a meeting"),
    "cancelled": N_("canceled a meeting"),
    "on again": N_("restored a meeting"),
    "presents": N_("asked you to present"),
}


_IMPORT_PAGES = {"waits": "/imports/{}?show=open", "flagged": "/imports/{}/report"}  # the lines to review, by change


class NotificationRow(NamedTuple):
    """A notification with the names of its subjects."""

    id: int
    kind: str
    created_at: datetime
    read_at: datetime | None
    times: int  # events since it was last read
    by: str
    data: Mapping[str, Any]
    paper_id: int | None
    paper: str
    language: str
    comment_id: int | None
    question_id: int | None
    question: str
    topic: str
    topic_slug: str
    summary_id: int | None
    assignment_id: int | None
    due_on: date | None
    meeting_id: int | None
    meeting: str
    starts_at: datetime | None
    import_id: int | None
    note: str
    job_id: int | None


class NotificationText(NamedTuple):
    """The text of a notification.

    `actor` is "" if no person caused it; `subject` names what it is about, `detail` adds to it.
    """

    actor: str
    action: str
    subject: str
    address: str
    detail: str = ""
    language: str = ""

    @property
    def sentence(self) -> str:
        """The notification as one line of text."""
        text = (
            _("{actor} {action}").format(actor=self.actor, action=self.action)
            if self.actor
            else f"{self.action[:1].upper()}{self.action[1:]}"
        )
        text_with_subject = f"{text}: {self.subject}" if self.subject else text
        return f"{text_with_subject} ({self.detail})" if self.detail else text_with_subject


def build_notification_text(row: NotificationRow, zone: str = "") -> NotificationText:
    """Return the text of a notification. `zone`: the time zone of its recipient."""
    action, addition = _WORDS[row.kind](row, zone)
    language = row.language if row.paper and _target_name(row) == _shorten_text(row.paper) else ""
    actor = "" if row.kind in _BY_NOBODY else row.by
    return NotificationText(actor, action, _target_name(row), _target_address(row), addition, language)


def _mention_text(row: NotificationRow, _zone: str) -> tuple[str, str]:
    if row.data.get("as") == "owner":
        return _("assigned you a question"), ""
    return _("mentioned you"), _("{count} times").format(count=row.times) if row.times > 1 else ""


def _reply_text(row: NotificationRow, _zone: str) -> tuple[str, str]:
    return _("replied"), _("{count} replies").format(count=row.times) if row.times > 1 else ""


def _assignment_text(row: NotificationRow, _zone: str) -> tuple[str, str]:
    change = str(row.data.get("what", ""))
    due_text = _("due {day}").format(day=format_day(row.due_on)) if row.due_on and change in {"made", "edited"} else ""
    return _(_ASSIGNED.get(change, N_("changed an assignment"))), due_text


def _meeting_text(row: NotificationRow, zone: str) -> tuple[str, str]:
    start = row.starts_at or _parse_moment(row.data.get("starts_at"))
    local_start = to_local(start, zone) if start else None
    start_text = _format_moment(local_start) if local_start else ""
    return _(_MET.get(str(row.data.get("happened", "")), N_("changed a meeting"))), start_text


def _format_moment(local_time: datetime) -> str:
    """Return a time such as "Wed 3 Dec 2025, 15:00"."""
    parts = {
        "weekday": format_short(local_time.date(), "weekday"),
        "day": format_day(local_time.date()),
        "time": f"{local_time:%H:%M}",
    }
    return _("{weekday} {day}, {time}").format(**parts)


def _parse_moment(text: object) -> datetime | None:
    """Parse the time of a deleted meeting from the notification's data."""
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _version_text(row: NotificationRow, _zone: str) -> tuple[str, str]:
    label = str(row.data.get("label", ""))
    is_published = label == "published"
    return (_("Now published") if is_published else _("New version {label}").format(label=label)), ""


def _job_text(row: NotificationRow, _zone: str) -> tuple[str, str]:
    change = row.data.get("happened")
    if change in {"waits", "flagged"}:
        lines = int(row.data.get("count", 0))
        return _("Import needs review"), ngettext("{count} line", "{count} lines", lines).format(count=lines)
    if change == "handed-back":
        return _("Import not completed"), ""
    if change == "backup-failed":
        return _("Backup failed"), str(row.data.get("problem", ""))
    if change == "webhook-disabled":
        return _("Webhook turned off"), str(row.data.get("problem", ""))
    return _("Job failed"), str(row.data.get("problem", ""))


_WORDS = {
    "mention": _mention_text,
    "reply": _reply_text,
    "assignment": _assignment_text,
    "meeting": _meeting_text,
    "version": _version_text,
    "job": _job_text,
}


def _target_name(row: NotificationRow) -> str:
    """Return the name of the most specific subject."""
    meeting = row.meeting or (str(row.data.get("title", "")) if row.kind == "meeting" else "")
    return _shorten_text(next((name for name in (meeting, row.question, row.paper, row.topic, row.note) if name), ""))


def _shorten_text(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_EXCERPT_CHARS else f"{line[: MAX_EXCERPT_CHARS - 1]}…"


def _target_address(row: NotificationRow) -> str:
    """Return the address of the most specific subject."""
    if row.data.get("happened") == "webhook-disabled":
        return "/settings/webhooks"
    if row.topic_slug and not row.comment_id:
        return f"/topics/{row.topic_slug}"
    patterns = (
        (row.comment_id, "/comments/{}"),
        (row.meeting_id, "/meetings/{}"),
        (row.question_id, "/questions/{}"),
        (row.paper_id, "/papers/{}"),
        (row.import_id, _IMPORT_PAGES.get(row.data.get("happened", ""), "/imports/{}")),
    )
    return next((pattern.format(number) for number, pattern in patterns if number), "/notifications")
