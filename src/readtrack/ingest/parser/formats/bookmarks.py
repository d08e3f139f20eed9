"""Browser and bookmark-service exports (Netscape HTML).

Folders become topics; dates are ignored.
"""

import re
from dataclasses import dataclass, field, replace

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.vocabulary import words_of
from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.parser.bibliography.reading_marks import take_reading_marks
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import build_heading_entry, topic_of
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry
from readtrack.ingest.parser.items.find_links import find_links
from readtrack.ingest.parser.markup import MarkupBlock, Tag, strip_tags, tags
from readtrack.ingest.parser.reasons import BOOKMARK_FOLDER, BOOKMARK_MARKUP, BOOKMARK_WITHOUT_ADDRESS

_BEGINS = re.compile(r"<!doctype\s+netscape-bookmark", re.IGNORECASE)
_GOES_ON_BELOW = re.compile(r"<dt>\s*<(?:h3|a)\b|<dl>\s*(?:<p>|$)", re.IGNORECASE)  # a fragment without its beginning
_CLOSED = re.compile(r"</dt\s*>", re.IGNORECASE)  # never in bookmark files: this is a definition list
_PAGE = re.compile(r"<!doctype html|<html", re.IGNORECASE)  # services that export a page with lists
_SERVICE = re.compile(r"<title>\s*(?:Pocket Export|Instapaper)", re.IGNORECASE)
_HEAD, _NEAR = 12, 3
_GOES_ON = re.compile(
    r"</?(?:dl|dt|dd|p|h1|h3|a|hr|ul|ol|li|meta|title|html|head|body|link|!)\b|<!--|<!doctype", re.IGNORECASE
)
_SECTIONS = {"unread": "to_read", "read archive": "read", "archive": "read"}
_ARCHIVED = "linkding:bookmarks.archived"
_NOTES = re.compile(r"\s?\[/?linkding-notes\]\s?")
_NAMES = frozenset({"dl", "h1", "h3", "a", "dd", "dt", "hr"})
_MAX_NESTING = 20
_BARS = frozenset(
    words_of("""
bookmarks | bookmark | bookmarks bar | bookmarks toolbar | bookmarks menu | other bookmarks | mobile bookmarks
favorites | favourites | favorites bar | favourites bar | imported | unsorted bookmarks | raindrop.io | unsorted
reading list | pocket export | 书签 | 书签栏 | 书签菜单 | 其他书签 | 移动设备书签 | 收藏夹 | 收藏夹栏 | ブックマーク
ブックマーク バー | ブックマークバー | ブックマーク ツールバー | ブックマーク メニュー | その他のブックマーク
お気に入り | お気に入りバー | モバイルのブックマーク | 북마크 | 북마크바
북마크 바 | 기타 북마크 | 즐겨찾기 | 즐겨찾기 바 | 기타
lesezeichen | lesezeichenleiste | lesezeichen-symbolleiste | weitere lesezeichen | favoris | barre de favoris
barre personnelle | autres favoris | marcadores | barra de marcadores | 其他收藏夹 | 移动收藏夹
我的书签 | 未整理的书签 | 書籤 | 書籤列 | 其他書籤
""")
)


@dataclass
class _BookmarkReader(MarkupBlock):
    waiting: str = ""  # the topic of the folder whose list is about to open
    name: str = ""  # the name of that folder if it is not a topic
    unfiled: list[str] = field(default_factory=list)  # names of the open folders that are not topics, "" for the others
    status: str | None = None  # from the section: "Unread", "Read Archive"


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if not _begins(page, start):
        return None
    reading = _BookmarkReader(page, start, _count_lines(page, start))
    for tag in tags(reading.text, _NAMES):
        _read_tag(reading, tag)
    return reading.block(markup=BOOKMARK_MARKUP)


def _begins(page: NoteDocument, index: int) -> bool:
    raw = page.lines[index].raw.lstrip("\ufeff \t")
    if not raw.startswith("<"):
        return False
    if _PAGE.match(raw):
        return any(_SERVICE.search(line.raw) for line in page.lines[index : index + _HEAD])
    if _GOES_ON_BELOW.match(raw):
        return not any(_CLOSED.search(line.raw) for line in page.lines[index : index + _NEAR])
    return _BEGINS.match(raw) is not None


def _count_lines(page: NoteDocument, start: int) -> int:
    """Count the lines up to the last one with markup. Descriptions may continue without any."""
    end, in_description = start, False
    for index in range(start, len(page.lines)):
        raw = page.lines[index].raw.strip("\ufeff \t\u3000")
        has_markup = _GOES_ON.match(raw) is not None
        if not has_markup and raw and not in_description:
            break
        if has_markup:
            in_description = not raw.lower().endswith(("<p>", "</dl>"))
        end = index + 1 if raw else end
    return end - start


def _read_tag(reading: _BookmarkReader, tag: Tag) -> None:
    if tag.name == "dl":
        if len(reading.folders) < _MAX_NESTING:
            reading.folders.append(reading.waiting)
            reading.unfiled.append(reading.name)
        reading.waiting = reading.name = ""
    elif tag.name == "/dl" and reading.folders:
        reading.folders.pop()
        del reading.unfiled[len(reading.folders) :]
    elif tag.name in {"h1", "h3"}:
        _read_folder(reading, tag)
    elif tag.name == "a":
        reading.entries.append(_build_bookmark(reading, tag))
    elif tag.name == "dd" and reading.entries:
        _add_description(reading, tag)


def _read_folder(reading: _BookmarkReader, tag: Tag) -> None:
    name = clean_line(strip_tags(tag.text))[:200]
    number = reading.line(tag.start)
    is_toolbar = tag.attributes.get("personal_toolbar_folder") == "true" or name.casefold() in _BARS | _SECTIONS.keys()
    topic = "" if is_toolbar else topic_of(name)
    reading.waiting = topic
    reading.name = "" if topic or is_toolbar else name
    if tag.name == "h1":
        reading.status = _SECTIONS.get(name.casefold())
        reading.folders, reading.waiting = [reading.waiting], ""
        reading.unfiled, reading.name = [reading.name], ""
    reason = BOOKMARK_FOLDER.format(name=name) if is_toolbar else ""
    reading.entries.append(build_heading_entry(number, number, name, topic, reading.topics, reason))


def _build_bookmark(reading: _BookmarkReader, tag: Tag) -> ParsedEntry:
    title = clean_line(strip_tags(tag.text))
    first, last = reading.line(tag.start), reading.line(tag.end + len(tag.text.rstrip()) - 1)
    labels = split_topic_names(tag.attributes.get("tags", ""))
    marks = take_reading_marks(label for label in labels if label != _ARCHIVED)
    topics = tuple(dict.fromkeys([*reading.topics, *marks.topics]))
    status = marks.status or ("read" if _ARCHIVED in labels else reading.status)
    context = ItemContext(first, last, topics, "to_read" if tag.attributes.get("toread") == "1" else status)
    links = find_links(clean_line(tag.attributes.get("href", "")))
    if not links:
        reason = BOOKMARK_WITHOUT_ADDRESS
        return ParsedEntry(first, last, 1, "junk", title=title[:200], topics=topics, decision="skip", reason=reason)
    entry = build_entry(links[0], ItemText(title, rating=marks.rating), context)
    return replace(entry, headings=tuple(name for name in reading.unfiled if name))


def _add_description(reading: _BookmarkReader, tag: Tag) -> None:
    """Add the description below a bookmark or folder to its entry."""
    text = clean_line(_NOTES.sub(" · ", strip_tags(tag.text)).strip(" ·\n"))
    if not text:
        return
    last = reading.line(tag.end + len(tag.text.rstrip()) - 1)
    entry = reading.entries[-1]
    reading.entries[-1] = replace(entry, last=max(entry.last, last), text=" ".join(filter(None, [entry.text, text])))


SHAPE = Shape("bookmarks", 15, read)
