"""BibTeX and BibLaTeX entries in .bib files or within notes, also in fenced code, and their fields as a work.

The citation of a reading list itself is junk.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.parser.bibliography.bibtex_entries import RawEntry, begins, read_entry, read_head
from readtrack.ingest.parser.bibliography.bibtex_names import parse_bibtex_names
from readtrack.ingest.parser.bibliography.bibtex_parents import ParentEntries, may_be_parent, names_parent
from readtrack.ingest.parser.bibliography.publication_types import parse_publication_type
from readtrack.ingest.parser.bibliography.reading_marks import take_reading_marks
from readtrack.ingest.parser.bibliography.work import BibliographyWork, entry_of, format_published
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import BARE, Outline, OutlineHeading, topic_of
from readtrack.ingest.parser.items.build_entry import ItemText, join_texts
from readtrack.ingest.parser.lines import TextLine, split
from readtrack.ingest.parser.markup import tile_entries
from readtrack.ingest.parser.reasons import (
    BIBTEX_ABBREVIATION,
    BIBTEX_COMMENT,
    BIBTEX_PARENT,
    BIBTEX_PREAMBLE,
    HOW_TO_CITE,
    KEY_USED_BEFORE,
)
from readtrack.ingest.parser.vocabulary.proceedings_addresses import venue_of_key
from readtrack.metadata.parsing.latex import decode_latex
from readtrack.workspace.export.formats import PROVIDER

_KINDS = {"software": "code", "softwareversion": "code", "video": "video", "movie": "video", "presentation": "slides"}
_WEB = frozenset(
    {"misc", "online", "electronic", "www", "webpage", "software", "softwareversion", "video", "presentation"}
)
_VENUES = (
    "journal",
    "journaltitle",
    "booktitle",
    "eventtitle",
    "series",
    "school",
    "institution",
    "publisher",
    "organization",
)
_OWN_VENUES = {  # of works in no other publication, which may be in a series
    "book": ("publisher",),
    "thesis": ("school", "institution"),
    "masters_thesis": ("school", "institution"),
    "report": ("institution",),
}
_ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?")
_MAY_SAY_ARXIV = (
    "journal",
    "journaltitle",
    "volume",
    "note",
    "howpublished",
    "number",
    "pages",
    "arxiv",
    "arxivid",
    "publisher",
)
_ARXIV_SAID = re.compile(rf"(?:arxiv\s?[:：]?\s?|abs/)(?P<id>{_ARXIV.pattern})", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://|www\.", re.IGNORECASE)
_ADDRESS_FIELDS = ("url", "ee", "link")
_HOST_AND_PATH = re.compile(r"[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}/\S{1,2000}")
_ARCHIVES = {
    "hdl": "https://hdl.handle.net/",
    "jstor": "https://www.jstor.org/stable/",
    "pubmed": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
}
_PREPRINT = re.compile(r"arxiv\b.{0,60}", re.IGNORECASE)
_WIDE_SPACE = re.compile(r"\s{2,}")  # between keywords, as some libraries write them
_STATUSES = {
    "read": "read",
    "skimmed": "read",
    "unread": "to_read",
    "toread": "to_read",
    "to read": "to_read",
    "reading": "reading",
}
_RANKS = re.compile(r"rank\s?(?P<stars>[1-5])")
_URL_COMMAND = re.compile(r"\\(?:url|path|nolinkurl|href|texttt)\b\s?")
_ESCAPED = re.compile(r"\\([&%_#${}~^\\ ,;:!/-])")
_BRACES = str.maketrans("{}", "  ")
_MARKED = re.compile(r"(?:rank|prio)\s?\d")
_CODE = re.compile(r"[\W\d_]*|\d\d[A-Z-]\d\d|\d\d\.\d\d\.\S\S")  # of MSC and PACS, or without a letter
_REMARK = re.compile(r"note|annote|annotation|comment(?:-.{1,60})?")  # JabRef has a comment of each person
_GROUP = re.compile(r"(?P<depth>\d{1,2})\s(?:Static|Explicit)Group:(?P<name>[^\\;]{1,100})\\*;")
_GROUPS = re.compile(r"\s{0,20}@comment\s?\{\s?jabref-meta:\s?group(?:ing|stree):", re.IGNORECASE)
# A comment that heads the entries below: `% NUCLEAR PHYSICS`, `% --- 3. Attention ---`, `% Attention` between rules.
_SECTION = re.compile(
    r"(?P<left>%[%=*#~+\s-]*)(?:\d{1,2}[.)]\s)?(?P<name>[^\W\d_][^%@{}\\=]{1,58}?)(?P<right>[\s%=*#~+-]*)"
)
_RULE = re.compile(r"%[%=*#~+\s-]{4,}")
_NOT_A_SECTION = re.compile(
    r"\b(?:todo|fixme|check\w*|read|unread|old|new|end|important|unused|duplicates?|bibtex|not|this|done|missing|here|created|"
    r"compiled|saved|encoding|updated?|file|version|added|copyright|generated|exported|bibliography|overview|favou?rites?|"
    r"my|must|see|also|great|nice|good|key|needs?|style|papers?|articles?|references?|chapter|do)\b",
    re.IGNORECASE,
)
_MAX_COMMENT_CHARS = 160
_MIN_MARKS = 4  # of a rule, with the one that begins a comment
_MAX_SECTION_WORDS = 6
_MAX_TOPIC_CHARS = 60
_DULL = frozenset(
    {
        "paper",
        "papers",
        "unread",
        "read",
        "toread",
        "to-read",
        "todo",
        "imported",
        "printed",
        "important",
        "relevant",
        "quality assured",
    }
)
_NOT_THE_WORK = ("https://dblp.org", "http://dblp.org", "https://dblp.uni-trier", "https://ui.adsabs", "http://adsabs")
_FENCE = re.compile(r"(?P<marks>`{3,20}|~{3,20})\s?[\w-]{0,20}")
_CITING = re.compile(r"\b(?:cite|citing|citation|citations|acknowledg\w{0,10})\b|引用", re.IGNORECASE)
_BY_INSPIRE = re.compile(
    r"%\s?(?:\\cite\{[^{}]{1,200}\}|[\d,.]{1,9} citations? counted in INSPIRE.{0,60})"
)  # around entries
_MAX_FENCED_LINES = 5000
_SETTINGS = {
    "comment": BIBTEX_COMMENT,
    "preamble": BIBTEX_PREAMBLE,
    "string": BIBTEX_ABBREVIATION,
}
_TYPES = frozenset(
    [
        "article", "book", "booklet", "conference", "inbook", "incollection", "inproceedings", "manual",
        "mastersthesis", "misc", "online", "phdthesis", "proceedings", "report", "software", "techreport",
        "thesis", "unpublished",
    ]
)  # fmt: skip
_ENTRY_KINDS = frozenset({"paper", "mention", "lead"})  # what an entry that is not a setting becomes
NAME, _SECTION_LEVEL = "bibtex", BARE - 1  # below the headings of a note


def work_of(entry: RawEntry) -> BibliographyWork:
    fields = {name: value for name, value in entry.fields.items() if value.strip()}
    decoded = {name: decode_latex(value, lone_braces=False) for name, value in fields.items()}
    is_web = entry.type in _WEB and not _has_paper_traits(fields)
    own_keywords = decoded.pop("keywords", "") if decoded.get("bibsource") == PROVIDER else ""
    marks = take_reading_marks(_keywords(decoded))
    publication_type = _publication_type(entry.type, decoded)
    volume, volume_year = venue_of_key(decoded.get("crossref", ""))
    return BibliographyWork(
        title=_title(decoded),
        item_text=ItemText(
            text=join_texts(
                *(decoded[name] for name in decoded if _REMARK.fullmatch(name)), *_unreadable_addresses(fields)
            ),
            venue=_venue(decoded, publication_type) or volume,
            authors=parse_bibtex_names(
                fields.get("author") or ("" if "booktitle" in fields else fields.get("editor", ""))
            ),
            published=format_published(
                decoded.get("date") or decoded.get("year") or str(volume_year or ""),
                decoded.get("month", ""),
                decoded.get("day", ""),
            ),
            abstract=decoded.get("abstract", ""),
            status=_status(decoded) or marks.status,
            rating=_rating(decoded) or marks.rating,
        ),
        addresses=_addresses(fields),
        others=tuple(
            _decode_address(fields[name]) for name in ("note", "annote", "file", "pdf") if _is_web(fields.get(name, ""))
        ),
        topics=(*split_topic_names(own_keywords), *marks.topics),
        kind=_KINDS.get(entry.type, ""),
        publication_type=publication_type,
        language=decoded.get("language", ""),
        on_the_web=is_web,
        has_credits=entry.type == "misc" and bool(decoded.get("author") and (fields.keys() & {"year", "date"})),
        error=entry.error,
        key=entry.key,
    )


def _publication_type(entry_type: str, decoded: Mapping[str, str]) -> str:
    if entry_type == "article":
        return "journal_article"
    if entry_type == "inbook" and "booktitle" not in decoded:  # of BibTeX: some pages of the book that has this title
        return "book"
    return parse_publication_type(entry_type, decoded.get("type", ""))


def _title(decoded: Mapping[str, str]) -> str:
    title, subtitle = (decoded.get("title") or decoded.get("booktitle", "")).rstrip("."), decoded.get("subtitle", "")
    return f"{title}: {subtitle}" if title and subtitle else title


def _addresses(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the addresses of the work itself: eprint, DOI, arXiv ids in other fields, then URLs."""
    addresses = [_eprint_address(fields)]
    if doi := _decode_address(fields.get("doi", "")):
        addresses.append(doi if _ADDRESS.match(doi) else "doi:" + doi.removeprefix("doi:").removeprefix("DOI:").strip())
    for name in filter(fields.__contains__, _MAY_SAY_ARXIV):
        if arxiv := _ARXIV_SAID.search(fields[name]):
            addresses.append(f"arXiv:{arxiv['id']}")
        elif name in {"arxiv", "arxivid"} and _ARXIV.fullmatch(fields[name].strip()):
            addresses.append(f"arXiv:{fields[name].strip()}")
    web_addresses = [
        _with_scheme(_decode_address(fields[name])) if name in _ADDRESS_FIELDS else _decode_address(fields[name])
        for name in (*_ADDRESS_FIELDS, "howpublished", "biburl", "adsurl")
        if name in fields
    ]
    own_addresses = [text for text in web_addresses if _is_web(text) and not text.startswith(_NOT_THE_WORK)]
    return tuple(dict.fromkeys(filter(None, [*addresses, *own_addresses])))


def _eprint_address(fields: Mapping[str, str]) -> str:
    eprint = _decode_address(fields.get("eprint", ""))
    archive = (fields.get("archiveprefix") or fields.get("eprinttype") or "").strip("{} ").lower()
    arxiv_id = eprint.removeprefix("arXiv:")
    if _ARXIV.fullmatch(arxiv_id) and archive in {"", "arxiv"}:
        return f"arXiv:{arxiv_id}"
    if _ADDRESS.match(eprint):
        return eprint
    return _ARCHIVES[archive] + eprint if eprint and archive in _ARCHIVES else ""


def _decode_address(text: str) -> str:
    r"""An address or identifier: only escapes and \url{} go."""
    return " ".join(_ESCAPED.sub(r"\1", _URL_COMMAND.sub("", text)).translate(_BRACES).split())


def _with_scheme(address: str) -> str:
    return f"https://{address}" if _HOST_AND_PATH.fullmatch(address) else address


def _unreadable_addresses(fields: Mapping[str, str]) -> list[str]:
    """Return addresses that are no web addresses, such as ftp://: they are kept as text."""
    addresses = (_decode_address(fields.get(name, "")) for name in _ADDRESS_FIELDS)
    return [address for address in addresses if address and not _is_web(_with_scheme(address))]


def _is_web(text: str) -> bool:
    return _ADDRESS.search(text) is not None


def _has_paper_traits(fields: Mapping[str, str]) -> bool:
    return bool(fields.keys() & {"journal", "journaltitle", "booktitle", "eprint", "doi", "school", "pages", "volume"})


def _venue(decoded: Mapping[str, str], publication_type: str) -> str:
    names = (*_OWN_VENUES.get(publication_type, ()), *_VENUES)
    venue = next((decoded[name] for name in names if decoded.get(name) and not _is_web(decoded[name])), "")
    return "arXiv" if _PREPRINT.fullmatch(venue) else venue


def _keywords(decoded: Mapping[str, str]) -> list[str]:
    """Return the names of keywords, tags and groups. Mendeley writes a group with those that it is in."""
    values = [decoded.get(name, "") for name in ("keywords", "keyword", "groups", "mendeley-tags")]
    values += decoded.get("mendeley-groups", "").replace("/", ";").split(";")
    names = [name for text in values for name in _split_keywords(text)]
    return [name for name in names if not _is_dull(name)]


def _split_keywords(text: str) -> list[str]:
    return split_topic_names(_WIDE_SPACE.sub(", ", text))


def _is_dull(name: str) -> bool:
    """Return True for keywords that programs add, codes of subjects, and sentences."""
    is_mark = _MARKED.fullmatch(name) or _CODE.fullmatch(name)
    return len(name) > _MAX_TOPIC_CHARS or name.casefold() in _DULL or is_mark is not None


def _status(decoded: Mapping[str, str]) -> str | None:
    status = decoded.get("readstatus") or decoded.get("status") or ""
    words = [status, *_split_keywords(decoded.get("keywords", ""))]
    return next((_STATUSES[word] for word in map(str.casefold, words) if word in _STATUSES), None)


def _rating(decoded: Mapping[str, str]) -> str:
    stars = _RANKS.search(decoded.get("ranking", "") or decoded.get("keywords", ""))
    return "⭐" * int(stars["stars"]) if stars else decoded.get("rating", "")


@dataclass
class BibtexLibrary:
    """Definitions from the entries parsed so far."""

    strings: dict[str, str] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)  # line of the first entry with that key
    has_entries: bool = False
    parents: ParentEntries | None = None  # None until the text is searched for them


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if text.startswith("@"):
        return _read_entry_block(page, start) if begins(page.lines[start].raw) else _read_remark(page, start)
    if text.startswith(("```", "~~~")):
        return _read_fence(page, start)
    return _read_remark(page, start) if text.startswith("%") else None


def _read_entry_block(page: NoteDocument, index: int) -> EntryBlock | None:
    raw = read_entry(page.lines, index, _library(page.format_states).strings)
    if raw is None or not _is_plausible(raw):
        return None
    if _GROUPS.match(page.lines[index].raw):
        return EntryBlock(raw.count, _read_groups(page, index, raw.count))
    return EntryBlock(raw.count, [_build_entry(page, index, raw)])


def _read_groups(page: NoteDocument, start: int, count: int) -> list[ParsedEntry]:
    """Return JabRef's tree of groups as topics. Groups that search or collect by keyword are none."""
    lines = page.lines[start : start + count]
    entries: list[ParsedEntry] = []
    parents: dict[int, str] = {}
    for line in lines:
        if (group := _GROUP.match(line.raw)) and (name := topic_of(clean_line(group["name"]))):
            depth = int(group["depth"])
            parents = {level: parent for level, parent in parents.items() if level < depth}
            topics = tuple(dict.fromkeys([*page.outline.topics, *parents.values()]))
            entries.append(ParsedEntry(line.number, line.number, 1, "topic", title=name, topics=topics))
            parents[depth] = name
    return tile_entries(entries, lines[0].number, lines[-1].number, reason=BIBTEX_COMMENT)


def _is_plausible(raw: RawEntry) -> bool:
    """Return False for prose that begins with "@name("."""
    return raw.type in _SETTINGS or bool(raw.fields) or bool(raw.key and raw.type in _TYPES)


def _build_entry(page: NoteDocument, index: int, raw: RawEntry) -> ParsedEntry:
    first, last = page.numbers(index, index + raw.count)
    library = _library(page.format_states)
    library.has_entries = True
    if raw.type in _SETTINGS:
        return ParsedEntry(first, last, 1, "junk", decision="skip", reason=_SETTINGS[raw.type])
    if library.parents is None:
        names_any = any(names_parent(line.raw) for line in page.lines)
        library.parents = _find_parents([page.lines]) if names_any else ParentEntries()
    if library.parents.is_only_parent(raw):
        return ParsedEntry(first, last, 1, "junk", title=work_of(raw).title, decision="skip", reason=BIBTEX_PARENT)
    if _is_own_citation(page, index):
        return ParsedEntry(first, last, 1, "junk", title=work_of(raw).title, decision="skip", reason=HOW_TO_CITE)
    work = work_of(library.parents.complete(raw))
    first_use = library.keys.setdefault(raw.key, first) if raw.key else first
    if first_use != first and not work.error:
        work = replace(work, error=KEY_USED_BEFORE.format(key=raw.key[:100], line=first_use))
    return replace(entry_of(work, page.context(index, index + raw.count)), citation_key=raw.key)


def _find_parents(parts: Iterable[Sequence[TextLine]]) -> ParentEntries:
    """Return the entries from which others take fields. Parts of a text are read one by one and forgotten."""
    parents, strings = ParentEntries(), dict[str, str]()
    for lines in parts:
        for _index, raw in _iter_raw_entries(lines, strings):
            parents.note(raw)
    return parents


def remember_parents(format_states: dict[str, object], parts: Iterable[Sequence[TextLine]]) -> None:
    """Take note of the entries from which others take fields, before any is read."""
    _library(format_states).parents = _find_parents(parts)


def _is_own_citation(page: NoteDocument, start: int) -> bool:
    """Return True under a heading or a line that asks for citation."""
    heading = page.outline.open[-1].name if page.outline.open else ""
    lines = (page.text(index) for index in range(start - 1, max(start - 5, -1), -1))
    line_above = next(
        (text for text in lines if text and not (text.startswith(("```", "~~~")) or _BY_INSPIRE.fullmatch(text))), ""
    )
    return _CITING.search(heading[:100]) is not None or (not begins(line_above) and requests_citation(line_above))


def requests_citation(line: str) -> bool:
    is_about_entry = _BY_INSPIRE.fullmatch(line[:300]) is not None
    return not is_about_entry and not line.startswith(("*", "}", "@")) and _CITING.search(line[:300]) is not None


def _read_fence(page: NoteDocument, start: int) -> EntryBlock | None:
    """Parse fenced entries.

    The opening line belongs to the first entry, the closing line to the last.
    """
    fence = _FENCE.fullmatch(page.text(start))
    inner = start + 1
    while inner < len(page.lines) and not page.text(inner):
        inner += 1
    if not fence or inner >= len(page.lines) or not begins(page.lines[inner].raw):
        return None
    end = next(
        (
            index
            for index in range(inner, min(len(page.lines), start + _MAX_FENCED_LINES))
            if page.text(index) == fence["marks"]
        ),
        None,
    )
    return None if end is None else read_framed_entries(page, start, end)


def read_framed_entries(page: NoteDocument, start: int, end: int) -> EntryBlock | None:
    """Parse the entries between two framing lines. Return None if anything else comes first."""
    inner = next((index for index in range(start + 1, end) if page.text(index)), end)
    entries = _read_fence_entries(page, inner, end)
    if not entries:
        return None
    entries[0] = replace(entries[0], first=page.lines[start].number)
    entries[-1] = replace(entries[-1], last=page.lines[end].number)
    return EntryBlock(end - start + 1, entries)


def _read_fence_entries(page: NoteDocument, start: int, end: int) -> list[ParsedEntry]:
    """Parse the entries in a fence. Other lines between them belong to the entry above."""
    entries: list[ParsedEntry] = []
    while start < end:
        raw = (
            read_entry(page.lines[:end], start, _library(page.format_states).strings)
            if begins(page.lines[start].raw)
            else None
        )
        if raw is not None and _is_plausible(raw):
            entries.append(_build_entry(page, start, raw))
            start += raw.count
            continue
        if not entries:
            return []
        entries[-1] = replace(entries[-1], last=page.lines[start].number)
        start += 1
    return entries


def _read_remark(page: NoteDocument, start: int) -> EntryBlock | None:
    """Parse a comment (% or @comment) between entries or above the first."""
    if page.text(start).startswith("@") and not page.text(start).lower().startswith("@comment"):
        return None
    below = range(start + 1, min(start + 30, len(page.lines)))
    next_index = next((index for index in below if page.text(index) and not page.text(index).startswith("%")), None)
    is_near_entry = next_index is not None and begins(page.lines[next_index].raw)
    if not (is_near_entry or _library(page.format_states).has_entries):
        return None
    is_last = is_near_entry and not any(map(_has_words, map(page.text, range(start + 1, next_index or start))))
    return EntryBlock(1, [_read_comment(page, start, is_above_entry=is_last)])


def _read_comment(page: NoteDocument, index: int, *, is_above_entry: bool) -> ParsedEntry:
    """Read a comment, which may head the entries below. `is_above_entry`: no other words are between."""
    number, text = page.lines[index].number, page.text(index)
    is_ruled = all(map(_RULE.fullmatch, (page.text(index - 1), page.text(index + 1))))
    name = _parse_section(text, is_ruled=is_ruled)
    topic = topic_of(name) if name else ""
    if (topic and is_above_entry) or (name and not topic):
        page.outline.leave(_SECTION_LEVEL)
    if not topic or not is_above_entry:
        return ParsedEntry(number, number, 1, "junk", decision="skip", reason=BIBTEX_COMMENT)
    topics = page.outline.topics
    page.outline.enter(OutlineHeading(_SECTION_LEVEL, name, topic))
    return ParsedEntry(number, number, 1, "topic", title=topic, topics=topics)


def _has_words(comment: str) -> bool:
    return any(map(str.isalpha, comment)) and _BY_INSPIRE.fullmatch(comment[:300]) is None


def _parse_section(comment: str, *, is_ruled: bool = False) -> str:
    """Return the name that a comment in capitals or between rules consists of, or "". `is_ruled`: above and below."""
    section = _SECTION.fullmatch(comment) if len(comment) <= _MAX_COMMENT_CHARS and _has_words(comment) else None
    name = section["name"].strip(" ,.:;") if section else ""
    words = name.split()
    if section is None or not name or len(words) > _MAX_SECTION_WORDS or _NOT_A_SECTION.search(name):
        return ""
    left, right = ("".join(section[side].split()) for side in ("left", "right"))
    is_framed = is_ruled or len(left) >= _MIN_MARKS or bool(right)
    is_capital = name.isupper() and len(words) > 1
    return name if (is_framed and not name[0].islower()) or (is_capital and topic_of(name)) else ""


def heads_entries(comment: str) -> bool:
    """Return True for a comment that may name a section, or end one between rules."""
    return comment.startswith("%") and (_RULE.fullmatch(comment) is not None or bool(_parse_section(comment)))


def _library(format_states: dict[str, object]) -> BibtexLibrary:
    library = format_states.get(NAME)
    if not isinstance(library, BibtexLibrary):
        library = format_states[NAME] = BibtexLibrary()
    return library


def remember_entry(format_states: dict[str, object], kind: str, line: int, raw: str) -> None:
    """Take note of the abbreviations or the key of an entry that was read before."""
    library = _library(format_states)
    entry_type, key = read_head(raw)
    if entry_type == "string":
        read_entry(split(raw), 0, library.strings)
    elif entry_type not in _SETTINGS and (kind in _ENTRY_KINDS or may_be_parent(entry_type)):
        library.has_entries = True
        library.keys.setdefault(key, line)


def remember_section(outline: Outline, kind: str, comment: str) -> None:
    """Open or close the heading of a comment that was read before."""
    name = _parse_section(comment, is_ruled=kind == "topic")
    topic = topic_of(name) if name else ""
    if topic and kind == "topic":
        outline.enter(OutlineHeading(_SECTION_LEVEL, name, topic))
    elif name and not topic:  # `% --- Misc ---`
        outline.leave(_SECTION_LEVEL)


def works_by_line(page: NoteDocument) -> dict[int, BibliographyWork]:
    """Return every BibTeX work of the note by line index, for citations."""
    parents = _find_parents([page.lines])
    return {index: work_of(parents.complete(raw)) for index, raw in _iter_raw_entries(page.lines, {})}


def _iter_raw_entries(lines: Sequence[TextLine], strings: dict[str, str]) -> Iterator[tuple[int, RawEntry]]:
    index = 0
    while index < len(lines):
        raw = read_entry(lines, index, strings) if begins(lines[index].raw) else None
        if raw is not None and raw.type not in _SETTINGS and _is_plausible(raw):
            yield index, raw
        index += raw.count if raw is not None else 1


SHAPE = Shape(NAME, 8, read)
