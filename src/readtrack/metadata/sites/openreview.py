"""OpenReview submissions: forum, PDF and attachments share an ID."""

import re
from dataclasses import replace

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing import venues
from readtrack.metadata.parsing.html_head import PageHead
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Metadata, Source, WebLink

_HOSTS = ("openreview.net",)
_HASH = re.compile(r"[0-9a-f]{40}")
_FILE = re.compile(r"/pdf/([0-9a-f]{40})\.pdf")
_CONFERENCE = re.compile(
    r"(?:the )?([a-z-]+|\d+(?:st|nd|rd|th)) (?:annual |international )*conference on (learning representations|"
    r"neural information processing systems|machine learning|language modeling|robot learning)\b.*"
)
_FIRST = {  # First year of each conference, extrapolated as if it had been held every year.
    "learning representations": 2013,
    "neural information processing systems": 1987,
    "machine learning": 1984,
    "language modeling": 2024,
    "robot learning": 2017,
}
_ONES = "first second third fourth fifth sixth seventh eighth ninth".split()  # noqa: SIM905 - a list of words
_ORDINALS = [
    *_ONES, "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth",
    *(name for tens in ("twent", "thirt", "fort") for name in (f"{tens}ieth", *(f"{tens}y-{one}" for one in _ONES))),
]  # fmt: skip
_PAGES = ("/forum", "/pdf", "/attachment", "/references/pdf", "/revisions", "/notes/edits/attachment")


def recognize(text: str) -> str | None:
    parts = split_url(text)
    if parts is None or not parts.is_under(*_HOSTS):
        return None
    if file := _FILE.fullmatch(parts.path):
        return file[1]
    if parts.path not in _PAGES:
        return None
    key = parts.query.get("id", "").strip()
    return key if re.fullmatch(r"[\w-]{6,64}", key, re.ASCII) else None


def url(key: str) -> str:
    """Return the URL of a key. A key of 40 hex digits is a file, otherwise a forum."""
    return f"https://openreview.net/pdf/{key}.pdf" if _HASH.fullmatch(key) else f"https://openreview.net/forum?id={key}"


def _links(key: str) -> tuple[WebLink, ...]:
    if _HASH.fullmatch(key):
        return (WebLink(url(key), "pdf"),)
    return (WebLink(url(key), "landing"), WebLink(f"https://openreview.net/pdf?id={key}", "pdf"))


def _correct_metadata(record: Metadata) -> Metadata:
    """Correct stage, venue and year.

    Dates on these pages are of the submission, a year or more before the conference.
    """
    head = PageHead.from_raw(record.raw)
    conference, journal = head.first("citation_conference_title"), head.first("citation_journal_title")
    if not (conference or journal) or conference.lower().startswith("submitted to") or not record.authors:
        return replace(record, stage="preprint", venue="")
    if journal:
        return replace(record, stage="published")
    year = _year(conference)
    return replace(record, stage="published", venue=venues.short_venue(conference, year), year=year, published_on=None)


def _year(conference: str) -> int | None:
    """Return the year from a conference name.

    Examples: "ICLR 2024 Workshop", "The Twelfth International Conference on …".
    """
    match = re.search(r"\b(?:19|20)\d\d\b", conference)
    if match:
        return int(match[0])
    conference_match = _CONFERENCE.fullmatch(conference.lower())
    if not conference_match:
        return None
    digits = re.match(r"\d{1,3}", conference_match[1])
    number = (
        int(digits[0])
        if digits
        else _ORDINALS.index(conference_match[1]) + 1
        if conference_match[1] in _ORDINALS
        else 0
    )
    return _FIRST[conference_match[2]] + number - 1 if number else None


SOURCE = Source(
    name="openreview",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"OpenReview {key}",
    links=_links,
    examples={
        "https://openreview.net/forum?id=HqfLHoX8bR": "HqfLHoX8bR",
        "https://openreview.net/pdf?id=Ls_NTjgWXZV": "Ls_NTjgWXZV",
        "https://openreview.net/attachment?id=9Vrb9D0WI4&name=supplementary_material": "9Vrb9D0WI4",
        "http://www.openreview.net/forum?id=HqfLHoX8bR&noteId=abcdefgh": "HqfLHoX8bR",
        "https://openreview.net/pdf/0123456789abcdef0123456789abcdef01234567.pdf": (
            "0123456789abcdef0123456789abcdef01234567"
        ),
        "https://openreview.net/profile?id=~Some_One1": None,
        "https://openreview.net/group?id=ICLR.cc/2024/Conference": None,
        "https://openreview.net/forum": None,
    },
)

# Its API requires a login more often than its pages do.
SERVICE = page_service(
    SOURCE,
    label="OpenReview",
    stage="page",
    order=40,
    requires_tags=True,
    opens=lambda key: not _HASH.fullmatch(key),
    correct=_correct_metadata,
)
