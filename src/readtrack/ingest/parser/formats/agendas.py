"""Agendas of reading groups: one dated line per session, with its papers, who presents them and their addresses.

Examples: `**Oct 3** — Title (OSDI'20) — presented by *Ada* — [paper](…)`, `Tue 7 May   Title` above indented lines,
`- 10 Oct, 14:00 — Ada — Title`, `Week 2: Attacks` above `Tue  Title. Authors. Venue` and further titles.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from readtrack.infra.text.titles.clean import is_broken_off, names_a_paper
from readtrack.infra.text.titles.dates import iso_day
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, once_per_note
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.date_names import is_date
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.diary import find_reading, is_chore
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.items.sentence_titles import is_lead_in
from readtrack.ingest.parser.items.subjects import is_task
from readtrack.ingest.parser.items.unlinked import as_diary_line
from readtrack.ingest.parser.lists.list_items import is_bullet, without_bullet
from readtrack.ingest.parser.vocabulary.title_affixes import SPEAKER_LAST
from readtrack.ingest.parser.vocabulary.venues import tag_in

_SESSION = re.compile(
    r"""
    (?P<mark>[*_]{0,3})                             # bold or in italics
    (?P<day>[^*_—–:：|\t\[\]"“「『]{3,30}?)
    (?P<time>
        [,\s]{0,2}\d{1,2}[:：]\d\d
        (?:\s?[-–]\s?\d{1,2}[:：]\d\d|\s?[-–])?    # and when it ends, or only that it does
        (?:\s\([^()]{1,12}\))?                      # and the time zone
    )?
    (?P=mark)
    (?P<gap>
        \s?[:：](?!\d\d)\s{0,2} | \s?[—–]\s{0,2} | \s-\s | \s?\t\s{0,20} | \s{2,20}
        | \s(?=["“「『])                              # before a title in quotes
        | (?(time)\s|(?!))                          # one space is enough behind a time
    )
    (?P<rest>\S.*)
    """,
    re.VERBOSE,
)
_MAY_HAVE_DAY = re.compile(r"\d|\S\s{2}|\t")
_NAME_FIRST = re.compile(
    r"(?:[^\W\d_][\w.'’-]{0,20}(?:\s(?:&\s|and\s)?[^\W\d_][\w.'’-]{0,20}){0,2})(?:\s\([^()]{1,20}\))?\s[—–-]\s(?=\S)"
)
_SPEAKER = re.compile(
    r"""
    (?:\s?[—–,，;|·-]\s?|\s|^)(?:[(（]\s?)?
    (?:
        (?:presented|given|led)\ by
        | (?:speaker|presenter|discussant|chair|lead)s?\s?[:：]
        | (?:担当|発表者|発表|司会|主讲人?|报告人|分享人|讲者)\s?[:：]
    )\s?
    [*_]{0,2}[^—–,，;|*_\[\]()（）]{1,60}[*_]{0,2}     # the name
    (?:\s?[(（][?？tbd]{1,3}[)）])?                  # which may not be certain
    [)）]?
    (?=\s?[—–,，;|·\[]|\s-\s|\s?https?:|\s?arXiv:|\s*$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MIN_SESSIONS, _MAX_LINES = 2, 8
_STARTS_SOMETHING = ("#", "|", ">", "```", "~~~", "<")


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    first = _match_session(page, start)
    if first is None or not _has_several_sessions(page):
        return None
    end = _find_end(page, start)
    if is_bullet(page.text(start)) and page.is_deeper(end, start):
        return None  # a list of its own
    lines = [first, *(page.text(index) for index in range(start + 1, end))]
    text = _join(lines)
    if find_reading(text) or is_task(text) or is_chore(text):
        return None  # a line of a diary
    entries: list[ParsedEntry] = []
    for offset, count in _split_items(lines):
        context = page.context(start + offset, start + offset + count)
        lines[offset] = _without_lead_in(lines[offset])
        part = _join(lines[offset : offset + count])
        entries += map(as_diary_line, read_piece(part, context, in_list=True, is_title=names_a_paper(lines[offset])))
    return EntryBlock(end - start, entries)


def _match_session(page: NoteDocument, index: int) -> str | None:
    """Return what a line says behind its day, None if it does not begin with one.

    A day without a number, such as `Tue`, stands in a column of its own.
    """
    text = page.text(index)
    if text.startswith(_STARTS_SOMETHING):
        return None
    raw = without_bullet(text) if is_bullet(text) else page.lines[index].raw.strip()
    if not _MAY_HAVE_DAY.search(raw, 0, 30):
        return None
    for match in filter(None, map(_SESSION.fullmatch, dict.fromkeys((raw, without_bullet(text))))):
        is_column = match["gap"].isspace() and len(match["gap"]) > 1
        has_number = any(map(str.isdecimal, match["day"]))
        if (has_number or is_column) and (is_date(match["day"]) or iso_day(match["day"])):
            return _without_presenter(match["rest"])
    return None


def _without_presenter(text: str) -> str:
    """Return a line without the name beside its title: `Ada — Title`, `Title (Ada)`."""
    if (last := SPEAKER_LAST.search(text)) and not tag_in(last["who"]):
        return text[: last.start()]
    name = _NAME_FIRST.match(text)
    return text[name.end() :] if name and _tells_paper(text[name.end() :]) else text


def _without_lead_in(text: str) -> str:
    """Return the rest of `Paper: Title`."""
    label, colon, words = text.partition(": ")
    return words if colon and " " not in label and is_lead_in(f"{label}:") else text


def _tells_paper(text: str) -> bool:
    entries = read_piece(_SPEAKER.sub(" ", text), ItemContext(1, 1), in_list=True, is_title=names_a_paper(text))
    return any(entry.kind == "paper" and entry.title for entry in entries)


def _split_items(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where the papers of a session begin, and their numbers of lines."""
    starts = [0]
    for index, line in enumerate(lines[1:], 1):
        begun = _join(lines[starts[-1] : index])
        if _tells_paper(line) and _tells_paper(begun) and not is_broken_off(begun):
            starts.append(index)
    yield from ((start, end - start) for start, end in pairwise([*starts, len(lines)]))


@once_per_note
def _has_several_sessions(page: NoteDocument) -> bool:
    return sum(_match_session(page, index) is not None for index in range(len(page.lines))) >= _MIN_SESSIONS


def _find_end(page: NoteDocument, start: int) -> int:
    """Return the index after the session: deeper lines belong to it."""
    end = start + 1
    while end < start + _MAX_LINES and page.is_deeper(end, start):
        text = page.text(end)
        if is_bullet(text) or text.startswith(_STARTS_SOMETHING) or _match_session(page, end):
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
