"""Link texts that cite and name no title: `[Howard et al.](address)`, `[Slingo 1990 (Nature 343)](address)`."""

import re
from collections.abc import Sequence

from readtrack.ingest.parser.citations.cited_names import split_dated_names
from readtrack.ingest.parser.citations.patterns import AND
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.vocabulary.author_names import is_venue_like, names_in, surnames_in
from readtrack.ingest.parser.vocabulary.author_tags import read_author_tag
from readtrack.ingest.parser.vocabulary.journals import is_journal_name
from readtrack.ingest.parser.vocabulary.venues import full_year, tag_in

_AROUND_TAG = " \t-–—:：|｜,，;；/·•>[(（【<&+])）】"
_CITED = re.compile(r"(?P<who>[^\d\[\](){}]{2,160}?)(?:[,\s]{0,2}[(（]?(?P<year>(?:19|20)\d\d)[a-z]?[)）]?)?[.,:]?")
_KEY = re.compile(r"(?P<name>[A-Z][a-z]{1,20})(?P<year>(?:19|20)\d\d|\d\d)[a-z]?")
_PLAIN_SURNAME = re.compile(r"(?:[a-z]{2,3}\s)?[^\W\d_a-z][^\W\d_A-Z]{2,20}(?:-[^\W\d_a-z][^\W\d_A-Z]{2,20})?")
_WITH_PLACE = re.compile(  # `Slingo 1990 (Nature 343)`, `Liu & Daum (2002), Nature`
    r"(?P<who>[^\d\[\](){}\u3040-\u9fff]{2,100}?)[,\s]{1,2}[(（]?(?P<year>(?:1[89]|20)\d\d)[a-z]?[)）]?"
    r"(?:,?\s)(?P<bracket>[(（\[])?(?P<place>[A-Z][^()（）\[\]\d]{1,60}?)(?P<volume>\s\d{1,4})?(?(bracket)[)）\]])"
)
_VOLUME_LAST = re.compile(r"\s\d{1,4}[)\]]$")
_SURE = re.compile(r"\bet\.?\sal|\b[A-Z]\.|[\s(（](?:1[5-9]|20)\d\d")


def cites_surely(label: str) -> bool:
    """Return True for a label with a year apart, initials or "et al.", False for `Windows95` and `War and Peace`."""
    return _SURE.search(label) is not None


def cites_people(label: str, authors: Sequence[str]) -> bool:
    """Return True for several authors, "et al." or a volume; `Dropout 2014 (Science)` may be a method."""
    return len(authors) > 1 or "et al" in label or _VOLUME_LAST.search(label) is not None


def read_citing_label(label: str) -> ItemText:
    """Return authors, year and venue if a link text only cites: `[Howard & Parr, 2016](address)`.

    So does a key, such as `Howard16`.
    """
    if key := _KEY.fullmatch(label.strip("[] ")):
        return ItemText(authors=(key["name"],), published=str(full_year(key["year"])))
    if placed := _read_with_place(label.strip()):
        return placed
    if tagged := read_tag(label):
        return tagged
    names, names_year = split_dated_names(label)
    if names:  # [Author, A. B., & Writer, C. (2007).](address) Title
        return ItemText(authors=names, published=str(names_year))
    cited = _CITED.fullmatch(label.strip())
    if cited is None:
        return ItemText()
    who, year = cited["who"].strip(" .,"), cited["year"] or ""
    several = surnames_in(who) if year or AND.search(who) else ()
    return ItemText(authors=names_in(who) or several, published=year)


def read_tag(words: str) -> ItemText | None:
    """Read words that only cite, with their venue: `(Vaswani+, NeurIPS 2017)`."""
    tag = read_author_tag(words.strip(_AROUND_TAG))
    return ItemText(text=tag.more, authors=tag.authors, venue=tag.venue, year=tag.year) if tag else None


def _read_with_place(label: str) -> ItemText | None:
    match = _WITH_PLACE.fullmatch(label)
    if match is None:
        return None
    place, who = match["place"].strip(), match["who"].strip(" .,")
    is_journal = bool(match["volume"]) or is_journal_name(place)
    if not (is_journal or tag_in(place) or is_venue_like(place)):
        return None
    names = names_in(who) or surnames_in(who)
    is_lone = len(names) == 1 and "et al" not in who  # `ResNet 2016 (CVPR)` is no person
    if not names or (is_lone and not (is_journal and _PLAIN_SURNAME.fullmatch(who))):
        return None
    return ItemText(authors=names, venue=place, year=int(match["year"]))
