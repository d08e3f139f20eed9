"""The work that the fields of a BibTeX or BibLaTeX entry describe."""

import re
from collections.abc import Mapping

from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.parser.bibliography.bibtex_entries import RawEntry
from readtrack.ingest.parser.bibliography.bibtex_names import parse_bibtex_names
from readtrack.ingest.parser.bibliography.publication_types import parse_publication_type
from readtrack.ingest.parser.bibliography.reading_marks import take_reading_marks
from readtrack.ingest.parser.bibliography.work import WEB_ADDRESS, BibliographyWork, format_published, to_doi_address
from readtrack.ingest.parser.items.build_entry import ItemText, join_texts
from readtrack.ingest.parser.vocabulary.proceedings_addresses import venue_of_key
from readtrack.metadata.parsing.latex import decode_latex
from readtrack.workspace.export.formats import PROVIDER, split_paragraphs

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


def work_of(entry: RawEntry) -> BibliographyWork:
    fields = {name: value for name, value in entry.fields.items() if value.strip()}
    decoded = {name: _decode_text(value) for name, value in fields.items()}
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
            abstract="\n\n".join(map(_decode_text, split_paragraphs(fields.get("abstract", "")))),
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


def _decode_text(text: str) -> str:
    return decode_latex(text, lone_braces=False)


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
    addresses = [_eprint_address(fields), to_doi_address(_decode_address(fields.get("doi", "")))]
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
    if WEB_ADDRESS.match(eprint):
        return eprint
    return _ARCHIVES[archive] + eprint if eprint and archive in _ARCHIVES else ""


def _decode_address(text: str) -> str:
    r"""Return an address or identifier without braces, escapes and commands such as `\url{…}`."""
    return " ".join(_ESCAPED.sub(r"\1", _URL_COMMAND.sub("", text)).translate(_BRACES).split())


def _with_scheme(address: str) -> str:
    return f"https://{address}" if _HOST_AND_PATH.fullmatch(address) else address


def _unreadable_addresses(fields: Mapping[str, str]) -> list[str]:
    """Return addresses that are no web addresses, such as ftp://: they are kept as text."""
    addresses = (_decode_address(fields.get(name, "")) for name in _ADDRESS_FIELDS)
    return [address for address in addresses if address and not _is_web(_with_scheme(address))]


def _is_web(text: str) -> bool:
    return WEB_ADDRESS.search(text) is not None


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
