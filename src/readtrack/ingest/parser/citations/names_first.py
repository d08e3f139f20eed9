"""References that begin with their authors: `Silver D, Huang A. Title.`, `Silva (1970) Title`."""

import re

from readtrack.infra.text.person_names import NameParts
from readtrack.infra.text.titles.dates import MONTH_NAME
from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS
from readtrack.ingest.parser.citations.cited_names import surnames_cited
from readtrack.ingest.parser.citations.framed_titles import cite_by_quotes
from readtrack.ingest.parser.citations.patterns import (
    AND,
    COMMA,
    ITALIC,
    LISTED,
    MAX_PHRASE_CHARS,
    MIN_TITLE_WORDS,
    PARTICLE,
    SURNAME,
    WORD,
    YEAR,
    YEAR_FIRST,
    YEAR_IN_BRACKETS,
    count_words,
)
from readtrack.ingest.parser.citations.separators import cite_by_commas, cite_by_italics, cite_by_sentences
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.vocabulary.author_names import (
    VENUE_LIKE,
    CitationParts,
    initialled_first,
    is_name,
    join_parts,
    names_in,
    single_name,
    surnames_in,
    to_given_first,
    turned_names,
)
from readtrack.ingest.parser.vocabulary.venues import known_tag_in

_INITIAL_FIRST = re.compile(r"[A-Z]\.")
_SURNAME_AND_INITIALS = rf"(?:{PARTICLE}\s){{0,2}}{SURNAME}(?: {SURNAME})?\s[A-ZÀ-ÖØ-Þ]{{1,3}}"
_SURNAMES_FIRST = re.compile(  # `Silver D, Huang A, et al. Title. Journal. 2016;529`
    rf"(?P<names>{_SURNAME_AND_INITIALS}(?:,\s(?:,\s)?{_SURNAME_AND_INITIALS}){{1,60}}(?:,?\s[*_]?et al)?|"
    rf"{_SURNAME_AND_INITIALS}(?=\..{{8,400}}(?:(?:19|20)\d\d;|;\s(?:19|20)\d\d)|\s\((?:19|20)\d\d))"
    r"(?:\.[*_]?\s+|\s(?=\((?:19|20)\d\d[a-z]?\)))(?P<rest>\S.*)",
    re.DOTALL,
)
_DATED_LIST = re.compile(r"(?P<names>[^():]{5,1500}?),?\s(?P<rest>\((?:19|20)\d\d[a-z]?\)[.:,]\s.*)", re.DOTALL)
_INITIALS = re.compile(r"[A-Z]\.(?:[\s-]?[A-Za-z]\.){0,4}")
_ONE_INVERTED = re.compile(  # `Lovelace, A., C. Babbage and L. Menabrea, Title`
    rf"(?P<first>{SURNAME}, (?:[A-Z]\. ?){{1,3}})(?P<others>(?:, (?:[A-Z]\. ?){{1,3}}{SURNAME}){{0,30}},? (?:and|&) "
    rf"(?:[A-Z]\. ?){{1,3}}{SURNAME})(?:[,.:] |(?= \())(?P<rest>.*)",
    re.DOTALL,
)
_NO_NAMES = frozenset({"…", "...", "&", "", "et al."})
_CAPITALIZED = re.compile(r"[^\W\d_a-z]\S*(?:\s[^\W\d_a-z]\S*){0,3}")
_ET_AL_LAST = re.compile(r"\s?[*_]?et al$")
_FOREIGN_NAMES = re.compile(
    rf"(?P<title>.*[{CJK_LETTERS}？?])\s?(?P<names>[A-Z][^{CJK_LETTERS}]+(?:[,，、][^,，、]+)+)"
)
_PUBLISHED_LAST = re.compile(r"(?<=\w)[*_]?\s\((?P<what>[A-Z][^()]{3,80},\s(?:19|20)\d\d)\)\.?$")
_YEAR_AND_TITLE = (  # a quotation mark that is not closed may stand before the title
    r"\s[(\[](?P<year>(?:19|20)\d\d)[a-z]?[)\]][.,:]?\s+"
    r"(?:[\"“](?=[^\"“”]*$))?(?P<title>[^\W\d_a-z].*|[*_]\w.*)"
)
_NAMES_AND_YEAR = re.compile(rf"(?P<names>[^()\[\]\d:]{{8,300}}?){_YEAR_AND_TITLE}", re.DOTALL)  # full names
_SURNAMES_AND_YEAR = re.compile(  # a surname alone, or several: the words of a title are not joined like these
    rf"(?P<names>{SURNAME}(?:(?:,\s|,?\s(?:and|&)\s){SURNAME}){{0,5}}(?:,?\set al\.?)?){_YEAR_AND_TITLE}", re.DOTALL
)
_GIVEN_NAME = r"[^\W\d_a-z][\w'’.-]{0,30}"
_TURNED_NAME = rf"{SURNAME}(?:\s{SURNAME}){{0,2}}, {_GIVEN_NAME}(?:\s{_GIVEN_NAME}){{0,2}}"
_TURNED_NAMES_AND_YEAR = re.compile(
    rf"(?P<names>{_TURNED_NAME}(?:\s&\s{_TURNED_NAME}){{1,60}})\s\((?P<year>(?:19|20)\d\d)\)\.\s(?P<rest>\S.*)",
    re.DOTALL,
)
_POINT_BEHIND_WORD = re.compile(r"(?<=\w\w)\.$")
_NAMES_AND_BARE_YEAR = re.compile(
    r"(?P<names>[^\W\d_a-z](?:(?!\s[-–—]\s)[^\d:()\[\]]){3,100}?),?\s(?<![-–—]\s)(?P<year>(?:19|20)\d\d)[a-z]?"
    r"(?:\s?[:：]|\s[-–—])\s(?P<title>\S.*)",
    re.DOTALL,
)
_JOINED_SURNAMES = re.compile(  # as no title begins: two joined by a word, or three between commas
    rf"(?P<names>{SURNAME}(?:,\s{SURNAME}){{0,4}},?\s(?:and|&)\s{SURNAME}|{SURNAME}(?:,\s{SURNAME}){{2,5}}|"
    rf"{SURNAME}(?:,?\set al\.?))"
    r"(?:,?\s[(\[]?(?P<year>(?:19|20)\d\d)[)\]]?)?(?:[.,]\s|\s[-–—]\s)(?P<title>[^\W_a-z].*)",
    re.DOTALL,
)
_CJK_NAMES_AND_YEAR = re.compile(  # `山田太郎, 鈴木花子 (2015)．題名．雑誌`
    rf"(?P<names>[{CJK_LETTERS}々]{{2,16}}(?:[,，、]\s?[{CJK_LETTERS}々]{{2,16}}){{0,30}})[.．,，]?"
    r"\s?[(（](?P<year>(?:19|20)\d\d)[a-z]?[)）][.．。,，:：]?\s?(?P<title>[^.．。]{4,200})[.．。](?P<rest>.*)",
    re.DOTALL,
)
_EDITED_BY = r"\s\((?:Hgg?|Hrsg|Bearb|Red|[Ee]ds?)\.?\)"
_PLACE = r"[A-ZÄÖÜ][^\W\d]{2,30}(?:[ /-]{1,2}[^\W\d]{2,30}){0,3}(?::\s[^:,]{2,60},)?"
_PLACED = re.compile(
    rf"(?P<names>[^:]{{3,200}}?)(?P<editors>{_EDITED_BY})?:\s(?P<title>[^:]{{3,300}}?)"
    r"(?:,\s\d{1,2}\.?\s?(?:Bde?|Aufl)\.?)?,\s"
    # `Köln 2011`, `Köln: Verlag, 2011`, `Köln 2011 (= Reihe 3)`
    rf"(?:{_PLACE}\s?\d{{0,2}}(?<!\d{{3}})(?P<year>(?:1[5-9]|20)\d\d)(?:[–-]\d{{2,4}})?(?:\s\(=[^()]{{2,80}}\))?\.?|"
    # `in: Zeitschrift 12 (1990)`, `in: Abe, Ken (Hg.): Sammelband`
    rf"in:\s(?:[^:]{{3,100}}{_EDITED_BY}:\s)?(?P<book>.{{3,300}}))"
)
_UNTIL_YEAR = re.compile(
    r"(?P<names>[^():]{10,800}?)\s\(?(?P<year>(?:19|20)\d\d)[a-z]?\)?[.,:]\s(?P<rest>\S.*)", re.DOTALL
)
_JOINT_LAST = re.compile(r"[,\s]*(?:&|\band)?\s*$")
_ONE_OF_LIST = re.compile(
    rf"(?:{PARTICLE}\s){{0,2}}[A-Z][\w'’-]{{1,30}}(?:\s[A-Z][\w'’-]{{1,30}})?"
    r"(?:,?\s?(?:[A-Z]\.[\s-]?|[A-Z](?=[,.\s]|$)){1,4})?\.?(?:,|\s(?=&|and\s)|$)(?:\s?(?:&|and)\s)?"
)
_INITIALS_LAST = re.compile(r"[A-Z]\.?$")
_FEW = 2
_DATED = re.compile(  # `Monday, Ken: Looms, NeurIPS 2019`, `Boston, MA: NeurIPS workshop, December 2019`
    rf"^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|,\s(?:{MONTH_NAME}|spring|summer|fall|autumn|winter)\s(?:19|20)\d\d|^[^:]*\d",
    re.IGNORECASE,
)
_OTHERS_IN_GERMAN = re.compile(r",?\s(?:u\.\s?a\.|et al\.)$")
_FAMILY_FIRST = re.compile(r"[^\W\d_a-zäöü][\w'’-]{1,30},\s[^\W\d_a-zäöü][\w'’.-]{1,30}(?:\s[\w'’.-]{1,30}){0,2}")


def cite_surnames_first(text: str) -> CitationParts | None:
    """Split `He K, Zhang X. Title. Journal` and `LeCun, Y., Bengio, Y. & Hinton, G. Title. Journal`."""
    authors, rest = _split_names_with_initials(text)
    if not authors:
        return None
    published = _PUBLISHED_LAST.search(rest)  # `Title (Publisher, 2002)`
    rest = f"{rest[: published.start()]}. {published['what']}" if published else rest
    year = YEAR_IN_BRACKETS.match(rest) or YEAR_FIRST.match(rest)
    rest = rest[year.end() :] if year else rest
    in_italics = _cite_first_italics(rest)
    citation = (
        in_italics or cite_by_quotes(rest) or cite_by_sentences(rest) or cite_by_commas(rest) or CitationParts(rest)
    )
    if citation.authors or (len(WORD.findall(citation.title)) < 2 and not in_italics):
        return None
    return citation.with_names_and_year(authors, year["year"] if year else None)


def _split_names_with_initials(text: str) -> tuple[tuple[str, ...], str]:
    """Split the names from the rest: `He K, Zhang X.`, `LeCun, Y., Bengio, Y. & Hinton, G.`; () for a doubtful one."""
    if match := _SURNAMES_FIRST.match(text):
        names = (_ET_AL_LAST.sub("", part) for part in COMMA.split(match["names"]))
        return tuple(filter(None, names)), match["rest"]
    authors, rest = initialled_first(text)
    if authors and not YEAR_IN_BRACKETS.match(rest):
        authors, rest = _first_inverted(text) or _mostly_initialled(text) or (authors, rest)
    are_sure = len(authors) > 1 or YEAR.search(rest) is not None
    return (authors, rest) if are_sure and not _INITIAL_FIRST.match(text) else ((), text)


def _cite_first_italics(rest: str) -> CitationParts | None:
    """Split `*Revolutions*. Chicago`: behind authors, also a single word in italics is a title."""
    italics = ITALIC.match(rest) if rest.startswith(("*", "_")) else None
    if italics is None:
        return None
    return cite_by_italics(rest) or CitationParts(italics["title"], (), rest[italics.end() :])


def _first_inverted(text: str) -> tuple[tuple[str, ...], str] | None:
    """Split `Lovelace, A. and C. Babbage, The Title`, where only the first name is inverted."""
    match = _ONE_INVERTED.match(text)
    if match is None:
        return None
    others = names_in(match["others"].strip(", ")) or single_name(match["others"].strip(", &").removeprefix("and "))
    return ((match["first"].strip(), *others), match["rest"]) if others else None


def _mostly_initialled(text: str) -> tuple[tuple[str, ...], str] | None:
    """Split `Author, A., Fred Writer, Third, T. v., … (2020): The Title`, where a few names have another form."""
    match = _DATED_LIST.match(text)
    if match is None:
        return None
    names: list[str] = []
    for part in map(str.strip, COMMA.split(match["names"])):
        if names and _INITIALS.fullmatch(part):
            names[-1] += f", {part}"
        elif part not in _NO_NAMES:
            names.append(part.removeprefix("& ").removeprefix("and "))
    inverted = [", " in name for name in names]
    are_names = all(", " in name or _CAPITALIZED.fullmatch(name) for name in names)
    return (tuple(names), match["rest"]) if are_names and 2 * sum(inverted) >= len(names) > 1 else None


def cite_surnames_and_year(text: str) -> CitationParts | None:
    """Split `Silva (1970) The Title` and `Silva and Abe (1970) The Title, Venue`."""
    match = _SURNAMES_AND_YEAR.match(text) or _NAMES_AND_YEAR.match(text)
    names = _full_names_or_surnames(match["names"]) if match else ()
    if not match or not names or VENUE_LIKE.match(match["title"]) or names_in(match["title"]):
        return None
    rest = match["title"]
    in_italics = cite_by_italics(rest) if rest[0] in "*_" else None
    citation = in_italics or cite_by_sentences(rest) or cite_by_commas(rest) or CitationParts(rest)
    words = len(WORD.findall(citation.title))
    if citation.authors or words < 2 or (words == 2 and single_name(citation.title)):
        return None
    return citation.with_names_and_year(names, match["year"])


def _full_names_or_surnames(text: str) -> tuple[str, ...]:
    """Return names given first: of `Silva, Ana & Abe, Ken` as of `Silva & Abe`, but two of `Silva, Abe`."""
    inverted = turned_names(text) if AND.search(text) else ()
    return inverted or surnames_in(text) or names_in(text) or single_name(text)


def cite_turned_names_and_year(text: str) -> CitationParts | None:
    """Split `Hu, Sixing & Lee, Gim. (2019). The Title. Journal. 39. 1-15.`, as ResearchGate writes it."""
    match = _TURNED_NAMES_AND_YEAR.fullmatch(text) if " & " in text else None
    if match is None or match["rest"].startswith(("*", "_")):
        return None
    turned = (_POINT_BEHIND_WORD.sub("", name).partition(", ") for name in match["names"].split(" & "))
    names = tuple(join_parts(NameParts(family, given)) for family, _, given in turned)
    citation = cite_by_sentences(match["rest"]) or CitationParts(match["rest"])
    return citation.with_names_and_year(names, match["year"])


def cite_names_and_bare_year(text: str) -> CitationParts | None:
    """Split `Smith & Jones 2019: The Title`, but not `Brexit and Trump 2016: What Happened`."""
    match = _NAMES_AND_BARE_YEAR.match(text)
    names = surnames_cited(match["names"]) if match else ()
    if not match or not names or count_words(match["title"]) < MIN_TITLE_WORDS:
        return None
    citation = cite_by_sentences(match["title"]) or CitationParts(match["title"])
    return citation.with_names_and_year(names, match["year"])


def cite_joined_surnames(text: str, *, has_venue: bool = False) -> CitationParts | None:
    """Split `Castro & Liskov 1999, The Title` and `Howard, Malkhi, Spiegelman. The Title. OPODIS 2016`.

    `has_venue`: a venue stands beside the text. Without a venue or year, a title may begin with such words.
    """
    match = _JOINED_SURNAMES.fullmatch(text)
    names = surnames_in(match["names"]) if match else ()
    if not match or not names or names_in(match["title"]):
        return None
    if len(names) == 2 and "&" not in match["names"] and "et al" not in match["names"]:
        return None  # `Divide and Conquer. Sorting on Many Cores`
    rest = match["title"]
    citation = cite_by_sentences(rest) or cite_by_commas(rest) or CitationParts(rest.rstrip("."))
    if citation.authors or count_words(citation.title) < MIN_TITLE_WORDS:
        return None
    if not (has_venue or match["year"] or all(find_venue(citation.remainder))):
        return None
    return citation.with_names_and_year(names, match["year"])


def cite_cjk_names_and_year(text: str) -> CitationParts | None:
    """Split `山田太郎, 鈴木花子 (2015)．題名．雑誌名`."""
    match = _CJK_NAMES_AND_YEAR.fullmatch(text) if not text.isascii() else None
    if not match or len(CJK.findall(match["title"])) < MIN_TITLE_WORDS:
        return None
    names = names_in(match["names"]) or tuple(LISTED.split(match["names"]))
    return CitationParts(match["title"], (), match["rest"]).with_names_and_year(names, match["year"])


def cite_foreign_names(text: str) -> CitationParts | None:
    """Split `題名 Ada Lovelace、Charles Babbage`: names of another script need no separator before them."""
    match = _FOREIGN_NAMES.fullmatch(text[:MAX_PHRASE_CHARS]) if CJK.search(text) else None
    names = LISTED.split(match["names"]) if match else []
    are_names = len(names) >= 2 and all(map(is_name, names[1:]))  # the first may be run together: “AdaLovelace”
    return CitationParts(match["title"], tuple(names), "") if match and are_names else None


def cite_before_place_and_year(text: str) -> CitationParts | None:
    """Split `Silva, Ana/ Abe, Ken (Hgg.): Titel, 2 Bde., Köln 2011`, `Silva, Ana: Titel, in: Zeitschrift 12 (1990)`."""
    match = _PLACED.fullmatch(text[:MAX_PHRASE_CHARS]) if ": " in text else None
    if match is None:
        return None
    names = [name.strip() for name in _OTHERS_IN_GERMAN.sub("", match["names"]).split("/")]
    are_people = all(map(_FAMILY_FIRST.fullmatch, names))
    is_title = known_tag_in(match["title"].rpartition(", ")[2]) is None and match["title"][0].isupper()
    if not (are_people or match["editors"]) or not is_title or _DATED.search(text):
        return None
    authors = tuple(to_given_first(name) if are_people else name for name in names)
    return CitationParts(match["title"], authors, match["year"] or f"In {match['book']}")


def cite_mostly_inverted(text: str) -> CitationParts | None:
    """Split `Silva, A.B, Abe K.L., Costa, & Lee, C. 2019. Title`: most names are inverted, some lack a mark."""
    match = _UNTIL_YEAR.match(text)
    names = [_JOINT_LAST.sub("", name) for name in _ONE_OF_LIST.findall(match["names"])] if match else []
    inverted = sum(_INITIALS_LAST.search(name) is not None for name in names)
    rest = _ONE_OF_LIST.sub("", match["names"]).strip(" ,;&") if match else ""
    if match is None or rest not in {"", "and"} or inverted < _FEW or 2 * inverted < len(names):
        return None
    citation = cite_by_sentences(match["rest"]) or cite_by_italics(match["rest"]) or CitationParts(match["rest"])
    return citation.with_names_and_year(tuple(names), match["year"])
