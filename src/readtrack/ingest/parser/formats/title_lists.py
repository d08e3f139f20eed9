"""Lists of titles without addresses, one a line. The whole run of lines decides whether they are titles."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from readtrack.infra.text.titles.marks import take_status
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.headings.lines_below import parse_label
from readtrack.ingest.parser.items.find_links import is_bare
from readtrack.ingest.parser.items.phrases import read_signed
from readtrack.ingest.parser.items.signed_titles import Splitter, find_splitter
from readtrack.ingest.parser.items.title_runs import (
    are_titles,
    is_clear_or_short_title,
    is_clear_title,
    may_be_among_titles,
)
from readtrack.ingest.parser.items.unlinked import read_wordless
from readtrack.ingest.parser.lists.list_items import is_bullet

_STARTS_SOMETHING = ("#", "|", ">", "```", "~~~", "**", "__", "<", "@", "%", "{", "}", "[", "!", "\\", "$", ":")
_SIGN = re.compile(r"#(?=[^\s#!])")
_UNDERLINES = ("---", "===", "***", "___")
_INTRODUCES = (":", "：")
_MAX_LINES = 200
_NAME = "title_lists"


@dataclass(frozen=True)
class _TitleRun:
    """The last run of lines inspected: index of its first line and after its last, and the verdicts."""

    start: int
    end: int
    are_titles: bool
    had_titles: bool = False  # a run above
    splitter: Splitter | None = None  # if they have authors too


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not lists_titles(page, start) and not _follows_titles(page, start):
        return None
    if is_bare(page.text(start + 1), page.links_at(start + 1)):  # a title above its address is read with it
        return None
    text = _text(page, start)
    marks = take_status(text)
    context = page.context(start, start + 1, marks.status)
    run = page.format_states.get(_NAME)
    splitter = run.splitter if isinstance(run, _TitleRun) and run.start <= start < run.end else None
    if splitter and not page.outline.paper and (signed := splitter.split(marks.remainder)):
        return EntryBlock(1, [read_signed(signed, "", context)])
    is_title = may_be_among_titles(text)
    return EntryBlock(1, [read_wordless(marks.remainder, context, in_list=is_title, is_title=is_title)])


def lists_titles(page: NoteDocument, start: int) -> bool:
    """Return True if the lines from there on, of the same indent, are titles. Cached for the whole run."""
    if not _may_be_member(page, start):
        return False
    run = page.format_states.get(_NAME)
    if not isinstance(run, _TitleRun) or not run.start <= start < run.end:
        found = [*_plain_lines(page, start)]
        texts = [_text(page, index) for index in found]
        had_titles = isinstance(run, _TitleRun) and (run.are_titles or run.had_titles)
        is_like_above = had_titles and any(map(is_clear_title, texts)) and all(map(is_clear_or_short_title, texts))
        splitter = find_splitter(texts)
        verdict = splitter is not None or are_titles(texts) or (is_like_above and len(texts) > 1)
        run = page.format_states[_NAME] = _TitleRun(start, found[-1] + 1, verdict, had_titles, splitter)
    return run.are_titles


def _follows_titles(page: NoteDocument, index: int) -> bool:
    """Return True for a clear title that only a blank line separates from the list above."""
    return page.previous == _NAME and _may_be_member(page, index) and is_clear_title(_text(page, index))


def _plain_lines(page: NoteDocument, start: int) -> Iterator[int]:
    """Yield the indexes of lines of the same form: all without blank lines between them, or all with one."""
    step = 1 if _may_be_member(page, start + 1) else 2
    for index in range(start, min(len(page.lines), start + step * _MAX_LINES), step):
        is_apart = step == 1 or not page.text(index - 1) or index == start
        if not is_apart or not _may_be_member(page, index) or page.lines[index].indent != page.lines[start].indent:
            return
        yield index


def _text(page: NoteDocument, index: int) -> str:
    """Return the text of a line without the sign in `#A title`, which is no heading of Markdown."""
    text = page.text(index)
    return _SIGN.sub("", text) if text.startswith("#") else text


def _may_be_member(page: NoteDocument, index: int) -> bool:
    text = _text(page, index)
    if not text or text.startswith(_STARTS_SOMETHING) or text.endswith(_INTRODUCES) or is_bullet(text):
        return False
    if page.text(index + 1).startswith(_UNDERLINES) or index in page.ignored_lines:
        return False
    return not page.links_at(index) and parse_label(text) is None


SHAPE = Shape(_NAME, 48, read)
