"""Books between commas, with their edition: `David C. Lay and Judi J. McDonald, Linear Algebra, 6 ed., Pearson`."""

import re

from readtrack.ingest.parser.vocabulary.author_names import CitationParts, is_name, names_in

_EDITION = re.compile(
    r",\s(?=(?:\d{1,2}(?:st|nd|rd|th)?|[Ff]irst|[Ss]econd|[Tt]hird|[Rr]ev\.?)\s[Ee]dn?\.?|第\s?\d{1,2}\s?版)"
)
_OTHER_FORM = re.compile(  # quotes, sentences, initials
    r"[\"“”「」『』《》：*_\[\]/;()]|(?<![A-Z])\.\s|[\u3040-\u9fff]:\s|,\s(?:[A-Z]\.[\s-]?){1,3}(?:,|$)"
)
_BETWEEN_NAMES = re.compile(r",\s|，|、|\sand\s")
_MAX_TITLE_PARTS = 3  # Looms, Cards and Engines


def cite_book_between_commas(text: str) -> CitationParts | None:
    """Split names and title before the edition of a book."""
    end = _EDITION.search(text)
    if end is None or _OTHER_FORM.search(text, 0, end.start()):
        return None
    parts = text[: end.start()].split(", ")
    for count in range(1, min(_MAX_TITLE_PARTS, len(parts) - 1) + 1):
        authors = _split_authors(", ".join(parts[:-count]))
        if authors:
            return CitationParts(", ".join(parts[-count:]), authors, text[end.end() :])
    return None


def _split_authors(text: str) -> tuple[str, ...]:
    names = tuple(name for name in _BETWEEN_NAMES.split(text) if name)
    return names_in(text) or (names if all(map(is_name, names)) else ())
