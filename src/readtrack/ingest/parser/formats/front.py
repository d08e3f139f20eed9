"""Front matter of a note: the fields between `---` lines at its start, parsed leniently, or properties (`key:: value`).

If it names a paper, the whole note is about that paper. The mappings in its lists, such as the papers of a seminar, are
entries of their own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.dates import YEAR
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.fields import build_details, names_paper, title_of
from readtrack.ingest.parser.headings.heading_papers import entry_of
from readtrack.ingest.parser.headings.headlines import name_of, stated_status, strong
from readtrack.ingest.parser.headings.outline import WHOLE_NOTE, OutlineHeading, topic_of
from readtrack.ingest.parser.headings.venue_names import VenueName, is_clearly_venue, venue_named
from readtrack.ingest.parser.headings.vocabulary import squeeze_name
from readtrack.ingest.parser.headings.yaml_items import KEY, YamlItem, read_items
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.find_links import find_links
from readtrack.ingest.parser.items.link_roles import calls_it_a_paper, is_own
from readtrack.ingest.parser.items.phrases import read_piece
from readtrack.ingest.parser.markup import tile_entries
from readtrack.ingest.parser.reasons import FRONT_MATTER, UNLINKED
from readtrack.ingest.parser.vocabulary.author_names import VENUE_LIKE

_PRESENTERS = (
    "presenter", "presenters", "presented by", "speaker", "speakers", "lead", "discussant", "発表者", "担当", "担当者",
    "主讲", "主讲人", "报告人",
)  # fmt: skip
_PRESENTED = frozenset({"year", *_PRESENTERS})  # beside these, a date is not that of publication
_PEOPLE = frozenset({"authors", "author", "editor", "editors", "著者", "作者", *_PRESENTERS})
_PAPERS_IN = re.compile(
    r"^[^.:]{0,40}?\b(?:papers|talks|reading)\b(?:\s[^\s.:]{1,20}){0,3}?\s(?:in|at|from)\s", re.IGNORECASE
)
_LISTS_OF_WORKS = re.compile(
    r"papers?|readings?|articles?|publications?|references?|literature|论文|論文|文献", re.IGNORECASE
)
_LOOKED_AHEAD = 12


def find_front_matter_end(texts: Sequence[str]) -> int:
    """Return the index of the closing line, or -1 if the note has no front matter."""
    end_marks = {"---": {"---", "..."}, "+++": {"+++"}}[texts[0]]
    for index, text in enumerate(texts[1:], 1):
        if text in end_marks:
            return index if _looks_like_fields(texts[1:index]) else -1
    return -1


def _looks_like_fields(texts: Sequence[str]) -> bool:
    """Return True if the first line is a field or begins a list, and fields are at least a third of the lines."""
    first = next((text for text in texts if text and not text.startswith("#")), "")
    keys = sum(KEY.match(text.replace(" = ", ": ", 1)) is not None for text in texts)
    other_lines = sum(bool(text) and not text.startswith(("-", "#")) for text in texts) - keys
    is_field = KEY.match(first.replace(" = ", ": ", 1)) is not None or first.startswith(("[[", "- "))
    return keys > 0 and is_field and other_lines <= keys * 2


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if start:
        return None
    if page.text(0) not in {"---", "+++"}:
        return _read_head_of_page(page)
    end = find_front_matter_end([line.text for line in page.lines])
    if end < 0:
        return None
    root = read_items(page.lines, 1, end)
    heading = _heading_below(page, end)
    title = title_of(root.fields, heading[1] if heading else "")
    entries = [entry for item in root.children for entry in read_item(page, item, ())]
    entries = sorted([*entries, *_listed_works(page, root, ())], key=lambda entry: entry.first)
    if not title or not names_paper(root.fields):
        _set_venue_and_status(page, root, title)
        tiles = tile_entries(entries, *page.numbers(0, end + 1), reason=FRONT_MATTER)
        return EntryBlock(end + 1, [replace(entry, kind="junk") if entry.kind == "blank" else entry for entry in tiles])
    last = heading[0] if heading and _is_same_title(heading[1], title) else end
    entry = entry_of(title, [], build_details(root.fields), page.context(0, last + 1))
    page.outline.enter(OutlineHeading(WHOLE_NOTE, title, paper=entry.title or title))
    below = [replace(inner, first=1, last=1, part=part) for part, inner in enumerate(entries, 2)]
    return EntryBlock(last + 1, [entry, *below])


def _set_venue_and_status(page: NoteDocument, root: YamlItem, title: str) -> None:
    """Set what the title says of all papers of a list: `Papers in SOSP 2021`, `To read`."""
    place = _PAPERS_IN.sub("", title)
    page.front_venue = _journal_of_note(root) or (venue_named(place) if is_clearly_venue(place) else None)
    behind_subject = title.partition(" ")[2] if CJK.search(title) else ""  # `機械学習 今月読んだ論文`
    page.front_status = stated_status(page, title) or stated_status(page, behind_subject)


def _read_head_of_page(page: NoteDocument) -> EntryBlock | None:
    """Read the fields of a page of a site that stand above its text without a frame, as Pelican has them."""
    fields: dict[str, list[str]] = {}
    while field := KEY.fullmatch(page.text(len(fields))):
        key = field["key"].casefold()
        if key in fields:  # lines of another kind, such as many titles with a colon
            return None
        fields[key] = [field["value"] or ""]
    if not fields.keys() & {"slug", "category"} or page.text(len(fields)) or names_paper(fields):
        return None
    return skip_lines(page, 0, len(fields), FRONT_MATTER)


def _journal_of_note(root: YamlItem) -> VenueName | None:
    """Return the journal or conference whose papers the note lists. Other venues are places of meetings."""
    details = build_details(root.fields)
    return VenueName(details.venue, details.year) if VENUE_LIKE.fullmatch(details.venue) else None


def _heading_below(page: NoteDocument, end: int) -> tuple[int, str] | None:
    for index in range(end + 1, end + _LOOKED_AHEAD):
        if page.text(index):
            head = strong(page, index)
            return (index + head.count - 1, name_of(head.text)) if head else None
    return None


def _is_same_title(left: str, right: str) -> bool:
    left, right = squeeze_name(left), squeeze_name(right)
    return bool(left) and (left in right or right in left)


def read_item(page: NoteDocument, item: YamlItem, topics: tuple[str, ...]) -> Iterator[ParsedEntry]:
    """Read a mapping and those in its lists. A session names the topic of its papers."""
    _merge_children(item)
    _drop_prefix(item)
    _name_by_topic(item)
    title = title_of(item.fields) or next(iter(item.fields.get("name", ())), "")
    name = topic_of(next(iter(item.fields.get("topic", ())), "") or title)
    inner_topics = (*topics, name) if name else topics
    inner = [entry for child in item.children for entry in read_item(page, child, inner_topics)]
    inner += _listed_works(page, item, inner_topics)
    if entry := _item_entry(page, item, title, topics, has_entries=bool(inner)):
        yield entry
    yield from inner


def _name_by_topic(item: YamlItem) -> None:
    """Make the topic of a session the title of its paper, where it is one and nothing else names that."""
    topic = next(iter(item.fields.get("topic", ())), "")
    has_paper = any(find_links(value) for value in item.fields.get("paper", ()))
    is_named = title_of(item.fields) or "name" in item.fields
    if has_paper and not is_named and (names_a_paper(topic) or ": " in topic):
        item.fields["title"], item.is_session = item.fields.pop("topic"), True


def _drop_prefix(item: YamlItem) -> None:
    """Name the fields of `paper-title: …`, `paper-author: …`, `paper-published: SIGCOMM` as others do."""
    if "paper title" not in item.fields:
        return
    item.fields = {name.removeprefix("paper "): values for name, values in item.fields.items()}
    if "year" in item.fields and "published" in item.fields:  # it says where
        item.fields["venue"] = item.fields.pop("published")


def _merge_children(item: YamlItem) -> None:
    """Add the names of people and the addresses in lists without titles to the fields of the mapping."""
    works: list[YamlItem] = []
    for child in item.children:
        if child.name in _PEOPLE:
            item.fields.setdefault(child.name, []).extend(_person(child))
        elif title_of(child.fields) or child.children:
            works.append(child)
        else:
            addresses = [value for values in child.fields.values() for value in values if "://" in value]
            is_paper = any(calls_it_a_paper(name) for name in child.fields.get("name", ()))
            item.fields.setdefault("paper" if is_paper else "links", []).extend(addresses)
    item.children = works


def _person(item: YamlItem) -> list[str]:
    fields = {name: values[0] for name, values in item.fields.items() if values}
    name = fields.get("name", "") or " ".join(filter(None, (fields.get("given", ""), fields.get("family", ""))))
    return [name] if name else []


def _item_entry(
    page: NoteDocument, item: YamlItem, title: str, topics: tuple[str, ...], *, has_entries: bool
) -> ParsedEntry | None:
    """Return the entry of a mapping that names a work, unless it is a session with works of its own.

    The date of a session says when a paper was presented, not when it was published.
    """
    is_listed = item.parent is not None and item.parent.indent < 0 and not item.name  # in a file that is a list
    is_published = is_listed and not item.is_session and not _PRESENTED.intersection(item.fields)
    details = build_details(
        {name: values for name, values in item.fields.items() if name != "date" or is_published or _is_year(values)}
    )
    is_paper = any(link.paper_kind == "paper" for link in details.links)
    is_work = bool(
        is_paper
        or details.authors
        or details.venue
        or _LISTS_OF_WORKS.fullmatch(item.name)
        or (is_listed and details.links)
    )
    has_page_of_site = not is_listed and "url" in item.fields and not any(map(is_own, details.links))
    if not title or (has_entries and not is_paper) or has_page_of_site or not (is_work or names_a_paper(title)):
        return None
    session_fields = _PRESENTERS if details.published else ("date", *_PRESENTERS)
    details.text += [value for name in session_fields for value in _session_values(item, name)]
    numbers = page.numbers(item.first, item.last + 1)
    entry = entry_of(title, [], details, ItemContext(*numbers, (*page.outline.topics, *topics)))
    return entry if entry.identifiers or is_work else replace(entry, kind="lead", paper_kind="", reason=UNLINKED)


def _is_year(values: Sequence[str]) -> bool:
    return all(YEAR.fullmatch(value) for value in values)


def _session_values(item: YamlItem, name: str) -> list[str]:
    """Return a field of the mapping or of the session around, without years, which are those of publication."""
    values = item.fields.get(name, [])
    if name == "date" and _is_year(values):
        values = []
    return values or (_session_values(item.parent, name) if item.parent and item.parent.parent else [])


def _listed_works(page: NoteDocument, item: YamlItem, topics: tuple[str, ...]) -> list[ParsedEntry]:
    """Return the entries of texts in a list of works, such as `readings: ["[Title](address)", …]`."""
    entries: list[ParsedEntry] = []
    for index, (name, text) in item.listed.items():
        if _LISTS_OF_WORKS.fullmatch(name) and (find_links(text) or names_a_paper(text)):
            number = page.lines[index].number
            context = ItemContext(number, number, (*page.outline.topics, *topics))
            entries += read_piece(text, context, in_list=True, among_papers=True)[:1]
    return entries


SHAPE = Shape("front", 4, read)
