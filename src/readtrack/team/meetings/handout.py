"""Agenda of a meeting as Markdown, for mail or notes."""

import re
from collections.abc import Iterator, Sequence

from readtrack.infra.i18n import gettext as _
from readtrack.team.meetings.queries.agendas import ItemRow
from readtrack.team.meetings.queries.meetings import MeetingDetail, MeetingRow
from readtrack.team.meetings.recurrence import DAYS

_SPACES = re.compile(r"\s+")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")


def render_markdown(meeting: MeetingDetail, items: Sequence[ItemRow], *, base_url: str) -> str:
    """Render the meeting: time, place, presenter, agenda, notes and decisions."""
    row = meeting.row
    presenter_text = _("Presented by {name}").format(name=_escape_markdown(row.presenter)) if row.presenter else ""
    facts = [
        format_time_range(row),
        _escape_markdown(row.location),
        presenter_text,
        {"cancelled": _("Canceled")}.get(row.state, ""),
    ]
    heading = [f"# {_escape_markdown(row.title)}", "  \n".join(fact for fact in facts if fact)]
    agenda = [f"## {_('Agenda')}", "\n".join(_item_lines(items, base_url)) if items else _("No agenda yet")]
    notes = [f"## {_('Meeting notes')}", meeting.notes] if meeting.notes else []
    decisions = [f"## {_('Decisions')}", meeting.decisions] if meeting.decisions else []
    return "\n\n".join([*heading, *agenda, *notes, *decisions]) + "\n"


def render_plain_text(items: Sequence[ItemRow], base_url: str) -> str:
    """Render an agenda as plain text for a calendar."""
    return "\n".join(
        f"{number}. {item.display_title}{_by(item)}\n{base_url}{item.address}" for number, item in _number_items(items)
    )


def format_time_range(row: MeetingRow) -> str:
    """Return a time range such as "Wednesday 3 Dec 2025, 15:00 to 16:00 (Asia/Tokyo)"."""
    start = row.local_start
    day = f"{DAYS[start.weekday()]} {start.day} {start:%b %Y}"
    return f"{day}, {start:%H:%M} to {row.local_end:%H:%M} ({row.time_zone})"


def _item_lines(items: Sequence[ItemRow], base: str) -> Iterator[str]:
    for number, item in _number_items(items):
        outcome = "" if item.state == "planned" else f" ({item.state})"
        title, byline = _escape_markdown(item.display_title), _escape_markdown(_by(item))
        yield f"{number}. [{title}]({base}{item.address}){byline}{outcome}"
        if item.note:
            yield f"   {_escape_markdown(item.note)}"


def _number_items(items: Sequence[ItemRow]) -> Iterator[tuple[int, ItemRow]]:
    return enumerate(items, start=1)


def _by(item: ItemRow) -> str:
    parts = [item.presenter or "", f"{item.minutes} min" if item.minutes else ""]
    text = ", ".join(filter(None, parts))
    return f" ({text})" if text else ""


def _escape_markdown(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", _SPACES.sub(" ", text))
