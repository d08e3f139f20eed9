"""Lines that are only an address, and the venue of the work on the line right below one: `ICLR 2016`."""

import re

from readtrack.ingest.parser.document import NoteDocument, once_per_note
from readtrack.ingest.parser.headings.lines_below import BULLET, MAX_VENUE_CHARS, VENUE_WORDS, match_dated_venue
from readtrack.ingest.parser.items.find_links import is_bare
from readtrack.ingest.parser.vocabulary.venues import Venue, take_tag

_ENDS_IN_YEAR = re.compile(r"\d\d\W?$")
_DATED_NAME = re.compile(r"(?P<name>[A-Z][^\d:?!。]{3,80}?),?\s[(]?(?P<year>(?:19|20)\d\d)[)]?")
_MIN_TITLE_WORDS = 3


def venue_below_address(page: NoteDocument, index: int) -> Venue | None:
    """Return the venue on a line right below an address: `ICLR 2016`.

    A long name is one if most lines below addresses are.
    """
    text = page.text(index)
    if not is_address_line(page, index - 1) or _is_next_title(text):
        return None
    match = _DATED_NAME.fullmatch(text)
    if (tag := _known_venue(text)) or not match:
        return tag
    is_last = not page.text(index + 1) or is_address_line(page, index + 1)
    is_venue = is_last and _has_venues_below_addresses(page)
    return Venue("", match["name"], int(match["year"])) if is_venue else None


def _is_next_title(text: str) -> bool:
    """Return True for an item, or a title with its venue: `A Story of Caches, OSDI 2020`."""
    title, venue, _ = take_tag(text)
    is_title = bool(venue) and len(title.split()) >= _MIN_TITLE_WORDS and not VENUE_WORDS.search(title)
    return is_title or BULLET.match(text) is not None


def is_address_line(page: NoteDocument, index: int) -> bool:
    """Return True for a line that is an address and nothing else."""
    return "://" in page.text(index) and is_bare(page.text(index), page.links_at(index))


def _known_venue(text: str) -> Venue | None:
    return match_dated_venue(text) if len(text) <= MAX_VENUE_CHARS and _ENDS_IN_YEAR.search(text) else None


@once_per_note
def _has_venues_below_addresses(page: NoteDocument) -> bool:
    """Return True if most lines right below an address that end in a year are venues."""
    dated = [index for index, line in enumerate(page.lines) if _ENDS_IN_YEAR.search(line.text)]
    below = [page.text(index) for index in dated if is_address_line(page, index - 1)]
    return 2 * sum(_known_venue(text) is not None for text in below) > len(below)
