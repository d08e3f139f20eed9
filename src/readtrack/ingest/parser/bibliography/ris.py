"""RIS and EndNote records as works."""

import re

from readtrack.ingest.parser.bibliography.dates import format_published
from readtrack.ingest.parser.bibliography.tagged_records import TaggedRecord
from readtrack.ingest.parser.bibliography.work import BibliographyWork
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.vocabulary.author_names import clean_names, to_given_first

_WEB = frozenset({"ELEC", "WEB", "BLOG", "ICOMM", "GEN", "VIDEO", "SLIDE", "COMP", "ADVS", "MPCT", "SOUND", "MULTI"})
_KINDS = {"COMP": "code", "VIDEO": "video", "SLIDE": "slides", "ADVS": "video", "MPCT": "video"}
_ENDNOTE_WEB = frozenset({"web page", "blog", "electronic source", "computer program", "online multimedia", "generic"})
_ENDNOTE_KINDS = {"computer program": "code", "online multimedia": "video"}
OURS = "readtrack"  # its exports have one keyword per line, which may contain commas
_ADDRESS = re.compile(r"(?:https?://|www\.)", re.IGNORECASE)
_ARXIV = re.compile(r"arxiv\s?[:：]\s?\S{4,40}|abs/\d{4}\.\d{4,5}", re.IGNORECASE)
_TITLES = ("TI", "T1", "CT", "BT", "ST")
_VENUES = ("JO", "JF", "T2", "JA", "J2", "J1", "BT", "PB")
_DATES = ("DA", "PY", "Y1", "Y2")
_UNCLOSED = "The record has no ER line at its end; please look whether all of it belongs together."


def work_of_ris(record: TaggedRecord) -> BibliographyWork:
    kind, title = record.first("TY").upper(), record.first(*_TITLES)
    venue = next((name for name in record.every(*_VENUES) if name != title), "")
    return BibliographyWork(
        title=title,
        item_text=ItemText(
            text=" · ".join(record.every("N1", "RN")),
            venue=venue,
            authors=clean_names(to_given_first(name) for name in record.every("AU", "A1")),
            published=_parse_published(record),
            abstract=record.first("AB", "N2"),
        ),
        addresses=_addresses(
            record.every("DO"), record.every("UR", "M3", "L2", "LK"), record.every("JO", "JF", "T2", "AN", "C7", "VL")
        ),
        others=tuple(value for value in record.every("L1", "L4") if _ADDRESS.search(value)),
        topics=tuple(record.every("KW")) if record.first("DP") == OURS else _topics(record.every("KW")),
        kind=_KINDS.get(kind, ""),
        on_the_web=kind in _WEB,
        error="" if record.closed else _UNCLOSED,
        key=record.first("ID"),
    )


def work_of_endnote(record: TaggedRecord) -> BibliographyWork:
    kind = record.first("0").casefold()
    venue = record.first("J", "B", "S", "I")
    return BibliographyWork(
        title=record.first("T"),
        item_text=ItemText(
            text=" · ".join(record.every("Z", "O")),
            venue=venue,
            authors=clean_names(to_given_first(name) for name in record.every("A")),
            published=format_published(record.first("8")) or format_published(record.first("D")),
            abstract=record.first("X"),
        ),
        addresses=_addresses(record.every("R"), record.every("U"), record.every("J", "V", "M")),
        others=tuple(value for value in record.every(">") if _ADDRESS.search(value)),
        topics=_topics(record.every("K")),
        kind=_ENDNOTE_KINDS.get(kind, ""),
        on_the_web=kind in _ENDNOTE_WEB,
        key=record.first("F"),
    )


def _parse_published(record: TaggedRecord) -> str:
    """Return the most precise date of the record.

    Dates may have gaps, as in 2023/05/16/ or 2023///May.
    """
    dates = [_date(value) for value in record.every(*_DATES[:3])]
    return max(dates, key=len, default="") or _date(record.first("Y2"))


def _date(value: str) -> str:
    parts = [part.strip() for part in value.split("/")]
    year, month, day, *_ = [*parts, "", "", ""]
    if len(parts) > 1 and len(year) == 4:
        return format_published(year, month, day)
    return format_published(value)


def _addresses(dois: list[str], urls: list[str], other_values: list[str]) -> tuple[str, ...]:
    doi_addresses = [value if _ADDRESS.match(value) else f"doi:{value.removeprefix('doi:').strip()}" for value in dois]
    arxiv = [match[0].replace("abs/", "arXiv:") for value in other_values if (match := _ARXIV.search(value))]
    return tuple(dict.fromkeys([*doi_addresses, *arxiv, *(value for value in urls if _ADDRESS.search(value))]))


def _topics(values: list[str]) -> tuple[str, ...]:
    names = [part.strip() for value in values for part in re.split(r"(?<!\s)\s*(?:[;,]\s+|;\s*)", value)]
    return tuple(dict.fromkeys(name for name in names if 1 < len(name) <= 60))
