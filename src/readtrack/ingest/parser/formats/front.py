"""YAML front matter of a vault's note: the fields between `---` lines at its start, parsed leniently.

If it names a paper, the whole note is about that paper.
"""

import re
from collections.abc import Mapping, Sequence

from readtrack.infra.text.titles.dates import iso_date, iso_day
from readtrack.infra.text.titles.marks import status_of
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.heading_papers import entry_of
from readtrack.ingest.parser.headings.headlines import name_of, strong
from readtrack.ingest.parser.headings.lines_below import PaperDetails, key_of
from readtrack.ingest.parser.headings.outline import OutlineHeading, squeeze_name
from readtrack.ingest.parser.items.build_entry import ItemContext
from readtrack.ingest.parser.items.find_links import TextLink, find_links
from readtrack.ingest.parser.items.link_roles import STRONG

_KEY = re.compile(r"(?P<key>[^\s:#\-][^:]{0,60}?)\s?:(?:\s+(?P<value>.*)|$)")
_ITEM = re.compile(r"-\s+(?P<value>.*)")
_WIKI = re.compile(r"\[\[([^\[\]|]{1,300})(?:\|([^\[\]]{0,300}))?\]\]")
_BLOCK_MARKS = frozenset({">", "|", ">-", "|-", ">+", "|+"})
_MAX_FRONT_MATTER_LINES = 120
_NAMES_OF_A_PAPER = frozenset({"doi", "arxiv", "arxiv id", "arxivid", "eprint", "citekey", "citation key", "zotero"})
_NO_TOPIC = frozenset(
    """
    paper papers literature literaturenote note notes reading read toread unread zotero reference references inbox todo
    done article 论文 論文
    """.split()  # noqa: SIM905 - a list of words reads better than a list of quotes
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_NAMES = re.compile(r"(?<!\s)(?:\s*[;；]\s*|\s+and\s+|\s*[,，、]\s*(?=[^\s,]+\s))")
_LOOKED_AHEAD = 12


def find_front_matter_end(texts: Sequence[str]) -> int:
    """Return the index of the closing line, or -1 if the note has no front matter."""
    if not texts or texts[0] not in {"---", "+++"}:
        return -1
    end_marks = {"---": {"---", "..."}, "+++": {"+++"}}[texts[0]]
    for index, text in enumerate(texts[1:_MAX_FRONT_MATTER_LINES], 1):
        if text in end_marks:
            return index if _looks_like_fields(texts[1:index]) else -1
    return -1


def parse_front_matter(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the values by lower-case name. A list has several values; nested names are skipped."""
    result: dict[str, list[str]] = {}
    key, block = "", False
    for text in texts:
        item = _ITEM.match(text)
        pair = None if item or (block and not _KEY.match(text)) else _KEY.match(text.replace(" = ", ": ", 1))
        if pair:
            key = " ".join(pair["key"].strip("\"'").casefold().replace("_", " ").replace("-", " ").split())
            value = (pair["value"] or "").strip()
            block = value in _BLOCK_MARKS
            result[key] = [] if block else _values(value)
        elif item and key:
            result[key] += _values(item["value"])
        elif text and key:
            result[key] = [" ".join([*result[key], text])] if len(result[key]) < 2 else result[key]
    return result


def _looks_like_fields(texts: Sequence[str]) -> bool:
    keys = sum(_KEY.match(text.replace(" = ", ": ", 1)) is not None for text in texts)
    other_lines = sum(bool(text) and not text.startswith(("-", "#")) for text in texts) - keys
    return keys > 0 and other_lines <= keys * 2


def _values(value: str) -> list[str]:
    value = _WIKI.sub(lambda link: link[2] or link[1], value)
    if value.startswith("[") and value.endswith("]"):
        return [item for part in value[1:-1].split(",") if (item := _strip_quotes(part))]
    return [text] if (text := _strip_quotes(value)) else []


def _strip_quotes(value: str) -> str:
    text = value.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text.strip()


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    if start or page.text(start) not in {"---", "+++"}:
        return None
    texts = [line.text for line in page.lines[:200]]
    end = find_front_matter_end(texts)
    if end < 0:
        return None
    field_values = parse_front_matter(texts[1:end])
    heading = _heading_below(page, end)
    title = _title(field_values, heading[1] if heading else "")
    if not title or not _names_a_paper(field_values):
        reason = "Front matter without a paper."
        return EntryBlock(end + 1, [ParsedEntry(1, end + 1, 1, "junk", decision="skip", reason=reason)])
    last = heading[0] if heading and _is_same_title(heading[1], title) else end
    entry = entry_of(title, [], _build_details(field_values), ItemContext(1, last + 1, page.outline.topics))
    page.outline.enter(OutlineHeading(1, title, paper=entry.title or title))
    return EntryBlock(last + 1, [entry])


def _heading_below(page: NoteDocument, end: int) -> tuple[int, str] | None:
    for index in range(end + 1, end + _LOOKED_AHEAD):
        if page.text(index):
            head = strong(page, index)
            return (index + head.count - 1, name_of(head.text)) if head else None
    return None


def _is_same_title(left: str, right: str) -> bool:
    left, right = squeeze_name(left), squeeze_name(right)
    return bool(left) and (left in right or right in left)


def _title(field_values: Mapping[str, Sequence[str]], heading: str) -> str:
    title = next((values[0] for name, values in field_values.items() if key_of(name) == "title" and values), "")
    return title or heading or next(iter(field_values.get("aliases", ())), "")


def _names_a_paper(field_values: Mapping[str, Sequence[str]]) -> bool:
    """Return True if the fields have an identifier, a paper's address, or authors with a venue or year."""
    if any(values for name, values in field_values.items() if name in _NAMES_OF_A_PAPER):
        return True
    if any(link.paper_kind == "paper" for link in _links(field_values)):
        return True
    keys = {key_of(name) for name, values in field_values.items() if values}
    return "authors" in keys and ("venue" in keys or "year" in field_values)


def _links(field_values: Mapping[str, Sequence[str]]) -> list[TextLink]:
    links: dict[str, TextLink] = {}
    for name, values in field_values.items():
        if key_of(name) not in {"link", "extra", "paper"} and name not in _NAMES_OF_A_PAPER:
            continue
        for value in values:
            for link in find_links(f"doi:{value}" if name == "doi" and value.startswith("10.") else value):
                links.setdefault(str(link.ref), link)
    return sorted(links.values(), key=lambda link: link.ref.scheme not in STRONG)


def _build_details(field_values: Mapping[str, Sequence[str]]) -> PaperDetails:
    by_key = {key: values for name, values in field_values.items() if (key := key_of(name)) and values}
    first = {key: values[0] for key, values in by_key.items()}
    # Then "date" is the date of the note.
    has_note_date = len([name for name in field_values if key_of(name) == "date"]) > 1
    dates = [
        value
        for name, values in field_values.items()
        if key_of(name) == "date" and not (has_note_date and name == "date")
        for value in values
    ]
    year = next((_YEAR.search(value) for value in dates if _YEAR.search(value)), None)
    return PaperDetails(
        end=0,
        links=_links(field_values),
        authors=tuple(name for value in by_key.get("authors", ()) for name in _NAMES.split(value) if name),
        venue=first.get("venue", ""),
        year=int(year[0]) if year else None,
        published=max((iso_date(value) for value in dates), key=len, default="")
        if "year" in field_values or len(dates) == 1
        else "",
        read_on=iso_day(first.get("read_on", "")),
        status=status_of(first.get("status", "")),
        rating=first.get("rating", ""),
        topics=tuple(_topics(by_key.get("topics", ()))),
        abstract=first.get("abstract", ""),
    )


def _topics(tags: Sequence[str]) -> list[str]:
    names = [part.strip(" #\"'") for tag in tags for part in re.split(r"[,，]|(?<!\s)\s+#", tag)]
    return [name.rpartition("/")[2] for name in names if name and name.casefold() not in _NO_TOPIC]


SHAPE = Shape("front", 4, read)
