"""Agendas of reading groups: one dated line per session, with the paper, who presents it and its address.

Examples: `**Oct 3** — Title (OSDI'20) — presented by *Ada* — [paper](…)`, `Tue 7 May   Title` above indented lines.
"""

import re
from typing import cast

from readtrack.infra.text.titles.clean import is_broken_off, names_a_paper
from readtrack.infra.text.titles.dates import iso_day
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.formats.bullets import is_bullet
from readtrack.ingest.parser.headings.date_names import is_date
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.diary import find_reading, is_chore
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.unlinked import as_diary_line, is_task

_DIGIT = re.compile(r"\d")
_SESSION = re.compile(
    r"[ ]{0,3}(?P<mark>[*_]{0,3})(?P<day>(?=[^\d]{0,20}\d)[^*_—–:：|\t\[\]\"“「『]{3,30}?)(?P=mark)"
    r"(?:\s?[:：—–]\s{0,2}|\s-\s|\s?\t\s{0,20}|\s{2,20}|\s(?=[\"“「『]))(?P<rest>\S.*)"
)
_SPEAKER = re.compile(
    r"(?:\s?[—–,，;|·-]\s?|\s|^)(?:[(（]\s?)?(?:(?:presented|given|led) by|"
    r"(?:speaker|presenter|discussant|chair|lead)s?\s?[:：]|"
    r"(?:担当|発表者|発表|司会|主讲人?|报告人|分享人|讲者)\s?[:：])\s?"
    r"[*_]{0,2}[^—–,，;|*_\[\]()（）]{1,60}[*_]{0,2}(?:\s?[(（][?？tbd]{1,3}[)）])?[)）]?"
    r"(?=\s?[—–,，;|·\[]|\s-\s|\s?https?:|\s?arXiv:|\s*$)",
    re.IGNORECASE,
)
_MIN_SESSIONS, _MAX_LINES = 2, 8
_STARTS_SOMETHING = ("#", "|", ">", "```", "~~~", "<")


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    first = _match_session(page, start)
    if first is None or _count_sessions(page) < _MIN_SESSIONS:
        return None
    end = _find_end(page, start)
    text = _join([first, *(page.text(index) for index in range(start + 1, end))])
    if find_reading(text) or is_task(text) or is_chore(text):
        return None  # a line of a diary
    context = ItemContext(page.lines[start].number, page.lines[end - 1].number, page.outline.topics)
    entries = read_piece(text, context, in_list=True, is_title=names_a_paper(first))
    return EntryBlock(end - start, [*map(as_diary_line, entries)])


def _match_session(page: NoteDocument, index: int) -> str | None:
    """Return what a line says behind its day, None if it does not begin with one."""
    text = page.text(index)
    if not _DIGIT.search(text, 0, 30) or is_bullet(text) or text.startswith(_STARTS_SOMETHING):
        return None
    matches = filter(None, map(_SESSION.fullmatch, (text, page.lines[index].raw.rstrip())))
    return next((match["rest"] for match in matches if is_date(match["day"]) or iso_day(match["day"])), None)


def _count_sessions(page: NoteDocument) -> int:
    """Return the number of dated lines of the note. Counted once."""
    if "sessions" not in page.format_states:
        page.format_states["sessions"] = sum(
            _match_session(page, index) is not None for index in range(len(page.lines))
        )
    return cast("int", page.format_states["sessions"])


def _find_end(page: NoteDocument, start: int) -> int:
    """Return the index after the session: deeper lines belong to it."""
    end = start + 1
    while end < start + _MAX_LINES and (text := page.text(end)):
        if page.lines[end].indent <= page.lines[start].indent or is_bullet(text) or text.startswith(_STARTS_SOMETHING):
            break
        end += 1
    return end


def _join(lines: list[str]) -> str:
    """Return the lines as one, without who presents the paper. Commas separate facts, not the parts of a title."""
    text = ""
    for line in (_SPEAKER.sub(" ", line).strip(" ,;—–") for line in lines):
        is_same = not text or not line or line[0].islower() or is_broken_off(text)
        text = f"{text} {line}".strip() if is_same or "://" in line else f"{text}, {line}"
    return text


SHAPE = Shape("agendas", 43, read)
