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
    said = {name: value for name, value in entry.fields.items() if value.strip()}
    plain = {name: decode_latex(value, lone_braces=False) for name, value in said.items()}
    web = entry.type in _WEB and not _has_paper_traits(said)
    return BibliographyWork(
        title=_title(plain),
        told=ItemText(
            text=_join_texts(plain.get("note", ""), plain.get("annote", ""), plain.get("annotation", "")),
            venue=_venue(plain),
            authors=parse_bibtex_authors(
                plain.get("author") or ("" if "booktitle" in said else plain.get("editor", ""))
            ),
            published=format_published(
                plain.get("date", "") or plain.get("year", ""), plain.get("month", ""), plain.get("day", "")
            ),
            abstract=plain.get("abstract", ""),
            status=_status(plain),
            rating=_rating(plain),
        ),
        addresses=_addresses(said),
        others=tuple(
            _decode_address(said[name]) for name in ("note", "annote", "file", "pdf") if _is_web(said.get(name, ""))
        ),
        topics=_topics(plain),
        kind=_KINDS.get(entry.type, ""),
        on_the_web=web,
        fault=entry.fault,
        key=entry.key,
    )


def _title(plain: Mapping[str, str]) -> str:
    title, more = (plain.get("title") or plain.get("booktitle", "")).rstrip("."), plain.get("subtitle", "")
    return f"{title}: {more}" if title and more else title


def _addresses(said: Mapping[str, str]) -> tuple[str, ...]:
    """Return the addresses of the work itself: eprint, DOI, arXiv ids in other fields, then URLs."""
    found: list[str] = []
    eprint = _decode_address(said.get("eprint", ""))
    archive = (said.get("archiveprefix") or said.get("eprinttype") or "").strip("{} ").lower()
    if _ARXIV.fullmatch(eprint.removeprefix("arXiv:")) and archive in {"", "arxiv"}:
        found.append(f"arXiv:{eprint.removeprefix('arXiv:')}")
    elif _ADDRESS.match(eprint):
        found.append(eprint)
    if doi := _decode_address(said.get("doi", "")):
        found.append(doi if _ADDRESS.match(doi) else "doi:" + doi.removeprefix("doi:").removeprefix("DOI:").strip())
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
        if name in said and (arxiv := _ARXIV_SAID.search(said[name])):
            found.append(f"arXiv:{arxiv['id']}")
        elif name in {"arxiv", "arxivid"} and name in said and _ARXIV.fullmatch(said[name].strip()):
            found.append(f"arXiv:{said[name].strip()}")
    web = [
        _decode_address(said[name])
        for name in ("url", "ee", "link", "howpublished", "biburl", "adsurl")
        if name in said
    ]
    own = [text for text in web if _is_web(text) and not text.startswith(_NOT_THE_WORK)]
    return tuple(dict.fromkeys([*found, *own]))


_NOT_THE_WORK = ("https://dblp.org", "http://dblp.org", "https://dblp.uni-trier", "https://ui.adsabs", "http://adsabs")


def _decode_address(text: str) -> str:
    r"""An address or identifier: only escapes and \url{} go."""
    return " ".join(_ESCAPED.sub(r"\1", _URL_COMMAND.sub("", text)).translate(_BRACES).split())


def _is_web(text: str) -> bool:
    return _ADDRESS.search(text) is not None


def _has_paper_traits(said: Mapping[str, str]) -> bool:
    return bool(said.keys() & {"journal", "journaltitle", "booktitle", "eprint", "doi", "school", "pages", "volume"})


def _venue(plain: Mapping[str, str]) -> str:
    venue = next((plain[name] for name in _VENUES if plain.get(name) and not _is_web(plain[name])), "")
    return "arXiv" if _PREPRINT.fullmatch(venue) else venue


def _topics(plain: Mapping[str, str]) -> tuple[str, ...]:
    said = [plain.get(name, "") for name in ("keywords", "keyword", "groups", "mendeley-tags")]
    names = [part.strip() for text in said for part in _TOPIC_PARTS.split(text)]
    return tuple(dict.fromkeys(name for name in names if _LETTER.search(name) and not _is_dull(name)))


def _is_dull(name: str) -> bool:
    """Return True for keywords that programs add, and for sentences."""
    return len(name) > _LONGEST_TOPIC or name.casefold() in _DULL or _MARKED.fullmatch(name) is not None


def _status(plain: Mapping[str, str]) -> str | None:
    said = plain.get("readstatus") or plain.get("status") or ""
    words = [said, *_TOPIC_PARTS.split(plain.get("keywords", ""))]
    return next((_STATUSES[word] for word in map(str.casefold, words) if word in _STATUSES), None)


def _rating(plain: Mapping[str, str]) -> str:
    stars = _RANKS.search(plain.get("ranking", "") or plain.get("keywords", ""))
    return "⭐" * int(stars["stars"]) if stars else plain.get("rating", "")


def _join_texts(*texts: str) -> str:
    return " · ".join(text for text in texts if text)
