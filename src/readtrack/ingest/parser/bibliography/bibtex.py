"""BibTeX and BibLaTeX fields as a work."""

import re
from collections.abc import Mapping

from readtrack.ingest.parser.bibliography.bibtex_entries import RawEntry
from readtrack.ingest.parser.bibliography.dates import format_published
from readtrack.ingest.parser.bibliography.work import BibliographyWork
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.vocabulary.author_names import parse_bibtex_authors
from readtrack.metadata.parsing.latex import decode_latex

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
_ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?")
_ARXIV_SAID = re.compile(rf"(?:arxiv\s?[:：]?\s?|abs/)(?P<id>{_ARXIV.pattern})", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://|www\.", re.IGNORECASE)
_PREPRINT = re.compile(r"arxiv\b.{0,60}", re.IGNORECASE)
_TOPIC_PARTS = re.compile(r"\s*[,;]\s*|\s{2,}")
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
_LETTER = re.compile(r"[^\W\d_]{2}|[\u3040-\u9fff]")
_LONGEST_TOPIC = 60
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


def work_of(entry: RawEntry) -> BibliographyWork:
    fields = {name: value for name, value in entry.fields.items() if value.strip()}
    decoded = {name: decode_latex(value, lone_braces=False) for name, value in fields.items()}
    is_web = entry.type in _WEB and not _has_paper_traits(fields)
    return BibliographyWork(
        title=_title(decoded),
        item_text=ItemText(
            text=_join_texts(decoded.get("note", ""), decoded.get("annote", ""), decoded.get("annotation", "")),
            venue=_venue(decoded),
            authors=parse_bibtex_authors(
                decoded.get("author") or ("" if "booktitle" in fields else decoded.get("editor", ""))
            ),
            published=format_published(
                decoded.get("date", "") or decoded.get("year", ""), decoded.get("month", ""), decoded.get("day", "")
            ),
            abstract=decoded.get("abstract", ""),
            status=_status(decoded),
            rating=_rating(decoded),
        ),
        addresses=_addresses(fields),
        others=tuple(
            _decode_address(fields[name]) for name in ("note", "annote", "file", "pdf") if _is_web(fields.get(name, ""))
        ),
        topics=_topics(decoded),
        kind=_KINDS.get(entry.type, ""),
        on_the_web=is_web,
        error=entry.error,
        key=entry.key,
    )


def _title(decoded: Mapping[str, str]) -> str:
    title, subtitle = (decoded.get("title") or decoded.get("booktitle", "")).rstrip("."), decoded.get("subtitle", "")
    return f"{title}: {subtitle}" if title and subtitle else title


def _addresses(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the addresses of the work itself: eprint, DOI, arXiv ids in other fields, then URLs."""
    addresses: list[str] = []
    eprint = _decode_address(fields.get("eprint", ""))
    archive = (fields.get("archiveprefix") or fields.get("eprinttype") or "").strip("{} ").lower()
    if _ARXIV.fullmatch(eprint.removeprefix("arXiv:")) and archive in {"", "arxiv"}:
        addresses.append(f"arXiv:{eprint.removeprefix('arXiv:')}")
    elif _ADDRESS.match(eprint):
        addresses.append(eprint)
    if doi := _decode_address(fields.get("doi", "")):
        addresses.append(doi if _ADDRESS.match(doi) else "doi:" + doi.removeprefix("doi:").removeprefix("DOI:").strip())
    for name in (
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
    ):
        if name in fields and (arxiv := _ARXIV_SAID.search(fields[name])):
            addresses.append(f"arXiv:{arxiv['id']}")
        elif name in {"arxiv", "arxivid"} and name in fields and _ARXIV.fullmatch(fields[name].strip()):
            addresses.append(f"arXiv:{fields[name].strip()}")
    web_addresses = [
        _decode_address(fields[name])
        for name in ("url", "ee", "link", "howpublished", "biburl", "adsurl")
        if name in fields
    ]
    own_addresses = [text for text in web_addresses if _is_web(text) and not text.startswith(_NOT_THE_WORK)]
    return tuple(dict.fromkeys([*addresses, *own_addresses]))


_NOT_THE_WORK = ("https://dblp.org", "http://dblp.org", "https://dblp.uni-trier", "https://ui.adsabs", "http://adsabs")


def _decode_address(text: str) -> str:
    r"""An address or identifier: only escapes and \url{} go."""
    return " ".join(_ESCAPED.sub(r"\1", _URL_COMMAND.sub("", text)).translate(_BRACES).split())


def _is_web(text: str) -> bool:
    return _ADDRESS.search(text) is not None


def _has_paper_traits(fields: Mapping[str, str]) -> bool:
    return bool(fields.keys() & {"journal", "journaltitle", "booktitle", "eprint", "doi", "school", "pages", "volume"})


def _venue(decoded: Mapping[str, str]) -> str:
    venue = next((decoded[name] for name in _VENUES if decoded.get(name) and not _is_web(decoded[name])), "")
    return "arXiv" if _PREPRINT.fullmatch(venue) else venue


def _topics(decoded: Mapping[str, str]) -> tuple[str, ...]:
    values = [decoded.get(name, "") for name in ("keywords", "keyword", "groups", "mendeley-tags")]
    names = [part.strip() for text in values for part in _TOPIC_PARTS.split(text)]
    return tuple(dict.fromkeys(name for name in names if _LETTER.search(name) and not _is_dull(name)))


def _is_dull(name: str) -> bool:
    """Return True for keywords that programs add, and for sentences."""
    return len(name) > _LONGEST_TOPIC or name.casefold() in _DULL or _MARKED.fullmatch(name) is not None


def _status(decoded: Mapping[str, str]) -> str | None:
    status = decoded.get("readstatus") or decoded.get("status") or ""
    words = [status, *_TOPIC_PARTS.split(decoded.get("keywords", ""))]
    return next((_STATUSES[word] for word in map(str.casefold, words) if word in _STATUSES), None)


def _rating(decoded: Mapping[str, str]) -> str:
    stars = _RANKS.search(decoded.get("ranking", "") or decoded.get("keywords", ""))
    return "⭐" * int(stars["stars"]) if stars else decoded.get("rating", "")


def _join_texts(*texts: str) -> str:
    return " · ".join(text for text in texts if text)
