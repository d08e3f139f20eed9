"""References whose parts are told apart by sentences, commas, dashes, colons or italics."""

import re

from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.citations.cited_names import dated_names, organization, surnames_cited
from readtrack.ingest.parser.citations.framed_titles import cite_by_quotes
from readtrack.ingest.parser.citations.patterns import (
    AND,
    BEHIND_YEAR,
    COMMA,
    ENDS_NAMES,
    INITIAL,
    ITALIC,
    MAX_PHRASE_CHARS,
    MIN_TITLE_WORDS,
    SURNAME,
    VOLUME,
    WITH_INITIALS,
    WORD,
    YEAR,
    YEAR_FIRST,
    YEAR_IN_BRACKETS,
    YEAR_LAST,
    count_words,
)
from readtrack.ingest.parser.vocabulary.author_names import (
    BEHIND_ONE_NAME,
    DASH,
    EDGES,
    NO_STOP,
    STOP,
    VENUE_LIKE,
    CitationParts,
    is_name,
    is_venue_like,
    iter_parts,
    likely_names,
    names_in,
    parse_inverted_names,
    part_rest,
    single_name,
    surname_first,
    surnames_in,
)
from readtrack.ingest.parser.vocabulary.journals import named_journal

_VENUE_AND_YEAR = re.compile(r",\s(?:[^,]{2,80},?\s)?\(?(?:19|20)\d\d\)?\.?\s*")
_BY = re.compile(r"[\s,，.]\s?(?:by|By|作者[:：]?|著者[:：]?|[Aa]uthors?\s?[:：])\s(?=\S)")
_KIND_LAST = re.compile(r"\s\((?:e-?book|book|paper|article|(?:PhD )?thesis|report|textbook)\)$", re.IGNORECASE)
_COLON = re.compile(r"[:：]\s?(?=\S)")
_SEPARATORS_OF_FIELDS = tuple(map(re.compile, (r"[;；]\s", r"\s[/／]\s?|／", "，", "、")))
_INITIAL_BEHIND_NAME = re.compile(rf"{SURNAME}\s[A-Z]{{1,3}}(?=,\s)|,\s{SURNAME}\s[A-Z]$")  # `Silva A, Ken Abe, Ito J`
_INITIAL_INSIDE = re.compile(rf"{SURNAME}(?:\s[A-Z]\.){{1,2}}\s{SURNAME}")
_UNTIL_VOLUME = re.compile(r"[,.;(*]|\s\d")
_SENTENCE_OF_WORDS = re.compile(r"[^\s.]+(?:\s[^\s.]+){2,15}(?<=[a-z]{3})\.(?=\s[A-Z])")
_SIGNED = re.compile(r"\s?[-–—]{1,2}\s(?P<names>[^:：]{2,80})(?:[:：](?P<rest>.*))?$", re.DOTALL)
_FEW = 2
_LONGEST_CJK_NAME = 4  # letters
_MIN_CJK_LETTERS = 6
_PUBLISHED_THERE = re.compile(r",\s(?:Zenodo|figshare|SSRN|OSF|HAL|PsyArXiv|bioRxiv|medRxiv)\s\((?:19|20)\d\d\)")
_EDITION = re.compile(
    r",\s(?=(?:\d{1,2}(?:st|nd|rd|th)?|[Ff]irst|[Ss]econd|[Tt]hird|[Rr]ev\.?)\s[Ee]dn?\.?|第\s?\d{1,2}\s?版)"
)
_OTHER_FORM = re.compile(  # quotes, sentences, initials
    r"[\"“”「」『』《》：*_\[\]/;()]|(?<![A-Z])\.\s|[\u3040-\u9fff]:\s|,\s(?:[A-Z]\.[\s-]?){1,3}(?:,|$)"
)
_BETWEEN_NAMES = re.compile(r",\s|，|、|\sand\s")
_MAX_TITLE_PARTS = 3  # Looms, Cards and Engines


def cite_by_italics(text: str) -> CitationParts | None:
    """Split `A. Author. *The Title*. Venue`, `*The Title*, A. Author` or `Title. *Journal*, 2020`."""
    match = ITALIC.search(text[:1500]) if "*" in text or "_" in text else None
    if not match:
        return None
    before, italics, rest = text[: match.start()], match["title"], text[match.end() :]
    if YEAR_LAST.search(italics) and (inner := cite_by_sentences(italics)) and not inner.authors:
        italics, rest = inner.title, f"{inner.remainder} {rest}"  # *Title. Publisher, 2013*
    if not before.strip(EDGES + '[](){}<>（）【】"“'):
        return _cite_title_in_italics(italics, rest)
    authors = _authors_before_italics(before, italics, rest)
    if authors and not is_venue_like(italics):
        return CitationParts(italics, authors, rest)
    return _cite_before_italics(before, italics, rest, text[match.start() :])


def _cite_title_in_italics(italics: str, rest: str) -> CitationParts | None:
    """Split `*The Title* - Author: remark` or `*The Title*, Venue 2020`."""
    if len(WORD.findall(italics)) < 2 or names_in(italics) or "et al" in italics:
        return None
    signed = _SIGNED.match(rest)
    names = (
        (names_in(signed["names"]) or single_name(signed["names"]) or surnames_in(signed["names"])) if signed else ()
    )
    return CitationParts(italics, names, signed["rest"] or "") if signed and names else CitationParts(italics, (), rest)


def _authors_before_italics(before: str, italics: str, rest: str) -> tuple[str, ...]:
    """Return the authors before a title in italics, () if the italics need not be a title."""
    authors = names_in(before) or dated_names(before) or parse_inverted_names(before)
    is_dated = YEAR.search(rest) is not None or not rest.strip(EDGES)
    is_published = _VENUE_AND_YEAR.fullmatch(rest) is not None  # A. Author, *Name*, ICML, 2020
    mark = before.rstrip()[-1:]
    is_book = is_dated and (mark in ":：" or (mark == "." and parse_inverted_names(before)))
    is_long = len(WORD.findall(italics)) >= MIN_TITLE_WORDS
    is_title = is_published or is_book or is_long or BEHIND_YEAR.search(before)
    if not authors and is_title and (mark in ",." or INITIAL.match(before)):
        authors = single_name(before.strip(EDGES)) or likely_names(before)
    return (authors or organization(before, italics, rest)) if is_title else ()


def _cite_before_italics(before: str, italics: str, rest: str, italics_and_rest: str) -> CitationParts | None:
    """Split the words before a journal in italics."""
    is_dated = YEAR.search(rest) is not None
    citation = (
        (_cite_before_journal(before) if is_dated and _is_journal(italics, rest) else None)
        or cite_names_before_colon(before)
        or cite_by_sentences(before)
        or cite_by_keyword(before)
        or cite_by_commas(before)
    )
    if citation:
        citation = (_cite_behind_name(citation) if is_dated else None) or citation
        return citation._replace(remainder=f"{citation.remainder} {italics_and_rest}")
    is_certain = (
        names_in(italics)
        or VENUE_LIKE.match(italics)
        or "et al" in italics
        or before.rstrip().endswith((".", ",", "?"))
    )
    return CitationParts(before, (), italics_and_rest) if is_certain else None


def _is_journal(name: str, rest: str) -> bool:
    """Return True for a known journal, and for what a volume follows: `*Annalen der Physik* 17, 891 (1905)`."""
    return VOLUME.match(rest) is not None or named_journal(name) is not None


def _cite_before_journal(before: str) -> CitationParts | None:
    """Split `A. Einstein, On the electrodynamics of moving bodies` before a dated journal in italics."""
    return None if ENDS_NAMES.search(before) else cite_names_first(before.strip(EDGES), may_be_alone=True)


def _cite_behind_name(citation: CitationParts) -> CitationParts | None:
    """Return the parts of `Ada Lovelace. Title of Some Words` before a journal, split as if the name were the title."""
    rest = citation.remainder.strip(EDGES)
    if citation.authors or not single_name(citation.title) or len(WORD.findall(rest)) < MIN_TITLE_WORDS:
        return None
    inner = cite_by_sentences(rest) or CitationParts(rest)
    return inner._replace(authors=single_name(citation.title)) if not inner.authors else None


def cite_by_sentences(text: str) -> CitationParts | None:
    """Split at the first sentence, which is the title unless it is a list of names."""
    for match in STOP.finditer(text, 4, 1500):
        mark, head, tail = match["mark"], text[: match.start()], text[match.end() :].lstrip()
        is_inside = head.count("(") > head.count(")") and ")" in tail[:MAX_PHRASE_CHARS]
        if is_inside or _is_no_stop(match[0], head):
            continue
        if mark[0] in "?？!！":
            if not _ends_title(mark, tail):
                continue
            head += mark[0]
        authors = _authors_of_sentence(head, tail)
        if authors and tail.strip() and not _are_words(head, tail):
            return _cite_behind_authors(authors, head, tail)
        if count_words(head) >= 2:
            return (cite_by_keyword(text) if _BY.search(head) else None) or CitationParts(head, (), tail)
    return None


def _ends_title(mark: str, tail: str) -> bool:
    """Return True for a question or exclamation mark before authors, a venue or italics; else the title goes on."""
    sentence = _SENTENCE_OF_WORDS.match(tail)
    return bool(
        mark.endswith(".")
        or tail[:1] in {"*", "_"}
        or names_in(tail)
        or VENUE_LIKE.match(sentence[0] if sentence else tail)
        or named_journal(_UNTIL_VOLUME.split(tail, maxsplit=1)[0])
        or len(part_rest(tail).authors) > 1
    )


def _authors_of_sentence(head: str, tail: str) -> tuple[str, ...]:
    """Return the authors that the first sentence of a reference consists of, () if it is the title."""
    return (
        names_in(head)
        or dated_names(head)
        or (single_name(head) if _ends_a_name(head, tail) or _is_signed_title(head, tail) else ())
        or (parse_inverted_names(head) if "," in head and (STOP.search(tail) or YEAR.search(tail)) else ())
    )


def _cite_behind_authors(authors: tuple[str, ...], head: str, tail: str) -> CitationParts:
    """Split `2020. Title. Venue` behind the sentence of the authors, in which the year may be, too."""
    year = YEAR_FIRST.match(tail) or YEAR_IN_BRACKETS.search(head) or YEAR_IN_BRACKETS.match(tail)
    tail = tail[year.end() :] if year and year.string is tail else tail
    citation = cite_by_sentences(tail) or cite_by_italics(tail) or cite_by_commas(tail) or CitationParts(tail)
    return citation.with_names_and_year(authors, year["year"] if year else None)


def _ends_a_name(head: str, tail: str) -> bool:
    """Return True before a year, and after a name with initials, which no title has."""
    return tail[:4].isdigit() or WITH_INITIALS.fullmatch(head) is not None


def _is_signed_title(head: str, tail: str) -> bool:
    """Return True for `David G. Lowe. Distinctive Image Features`: a name with an initial inside, and a title."""
    return (
        _INITIAL_INSIDE.fullmatch(head) is not None and len(WORD.findall(tail)) > MIN_TITLE_WORDS and tail[:1].isupper()
    )


def _are_words(head: str, tail: str) -> bool:
    """Return True for `Abusing Privileged and Unprivileged Containers. NCC Group`: a title, and who published it."""
    is_short = len(WORD.findall(tail)) < MIN_TITLE_WORDS and not CJK.search(tail)
    first, _, second = head.partition(" and ")
    is_long = sum(word[:1].isupper() for word in second.split()) > 2 and "," not in first
    return is_short and is_long and not INITIAL.search(head)


def _is_no_stop(mark: str, head: str) -> bool:
    """Return True for the point of an abbreviation or initial. "et al.", "Jr." or `Abe K.` may end a list of names."""
    if mark[0] not in ".。" or not NO_STOP.search(head, max(0, len(head) - 12)):
        return False
    may_end_names = "et al" in head[-6:] or head.endswith("Jr")
    may_end_names = may_end_names or (mark[1:].isspace() and len(_INITIAL_BEHIND_NAME.findall(head)) >= _FEW)
    return not (may_end_names and names_in(head))


def cite_by_keyword(text: str) -> CitationParts | None:
    """Split `Title by A. Author`, `Title, Authors: A. Author`, `題名 著者：山田太郎`."""
    text = _KIND_LAST.sub("", text)
    for match in _BY.finditer(text, 0, 600):
        parts = part_rest(text[match.end() :])
        if match[0][0] in ",，" and not parts.authors:  # `Title, by Ada Lovelace`
            parts = parts._replace(authors=single_name(text[match.end() :]))
        if (parts.authors or "uthor" in match[0] or "者" in match[0]) and len(WORD.findall(text[: match.start()])) >= 2:
            return CitationParts(text[: match.start()], parts.authors, parts.remainder)
    return None


def cite_names_before_colon(text: str) -> CitationParts | None:
    """Split `A. Author, B. Writer: Title. Venue (2020)`."""
    match = _COLON.search(text, 4, MAX_PHRASE_CHARS)
    before = text[: match.start()] if match and not ENDS_NAMES.search(text, 0, match.start()) else ""
    names = names_in(before) or surname_first(before)
    are_sure = INITIAL.search(before) or len(names) > 2 or (len(names) == 2 and ", " in before) or "et al" in before
    if not match or not names or not are_sure:
        return None
    rest = text[match.end() :]
    citation = (
        cite_by_quotes(rest)
        or _cite_cjk_title(rest)
        or cite_by_sentences(rest)
        or cite_by_commas(rest)
        or CitationParts(rest)
    )
    if count_words(citation.title) < 2:
        return None
    return CitationParts(citation.title, names, citation.remainder)


def _cite_cjk_title(text: str) -> CitationParts | None:
    """Split `題名, 雑誌, Vol. 65 (2024)`: within a Japanese or Chinese title, commas have another form."""
    title, comma, rest = text.partition(",")
    return CitationParts(title, (), rest) if comma and len(CJK.findall(title)) >= _MIN_CJK_LETTERS else None


def cite_names_first(text: str, *, may_be_alone: bool = False) -> CitationParts | None:
    """Split `A. Author, B. Writer, Title of Their Paper, Venue 2020`.

    `may_be_alone`: where a journal follows, a single author with initials is enough.
    """
    names: list[str] = []
    for start, end in iter_parts(text[:1500], COMMA):
        is_title = len(WORD.findall(text[start:end])) >= MIN_TITLE_WORDS
        if is_name(name := text[start:end].removeprefix("and ")):
            names.append(name.strip(EDGES))
        elif AND.search(name) and (pair := names_in(name)):  # A. Author and B. Writer, Title
            names += pair
        elif is_title and (len(names) > 1 or (names and may_be_alone and WITH_INITIALS.fullmatch(names[0]))):
            citation = cite_by_commas(text[start:]) or _cite_by_last_comma(text[start:])
            return CitationParts(citation.title, tuple(names), citation.remainder)
        else:
            return None
    return None


def _cite_by_last_comma(text: str) -> CitationParts:
    """Split `Title of a Dataset, Zenodo (2025)` behind its authors; without such an end all is the title."""
    end = _PUBLISHED_THERE.search(text)
    return CitationParts(text[: end.start()], (), text[end.start() + 2 :]) if end else CitationParts(text)


def cite_initialled(text: str) -> CitationParts | None:
    """Split `D. Knuth, The Art of Computer Programming. Addison-Wesley, 1968`."""
    name, comma, rest = text.partition(", ")
    if not comma or not WITH_INITIALS.fullmatch(name) or names_in(rest) or is_name(rest.partition(",")[0]):
        return None
    citation = cite_by_sentences(rest) or cite_by_commas(rest)
    if citation is None or citation.authors or len(WORD.findall(citation.title)) < MIN_TITLE_WORDS:
        return None
    return citation._replace(authors=(name,))


def cite_by_commas(text: str) -> CitationParts | None:
    """Split `Title, A. Author, B. Writer, Venue 2020` where the names or the venue begin."""
    for match in COMMA.finditer(text, 8, 600):
        head, tail = text[: match.start()], text[match.end() :].lstrip()
        if len(WORD.findall(head)) < MIN_TITLE_WORDS or head.count("(") != head.count(")"):
            continue
        if "et al" in head[-8:] and (authors := names_in(head)):
            return CitationParts(tail, authors)
        if is_venue_like(tail[:200]):
            return CitationParts(head, (), tail)
        parts = part_rest(tail)
        if is_name(tail) and len(tail.split()) <= 3 and not CJK.search(tail):
            return CitationParts(head, (tail.strip(EDGES),), "")
        is_one = parts.authors and (
            VENUE_LIKE.match(parts.remainder) or "et al" in tail or BEHIND_ONE_NAME.match(parts.remainder)
        )
        if len(parts.authors) > 1 or is_one:
            return CitationParts(head, parts.authors, parts.remainder)
    return None


def cite_book_between_commas(text: str) -> CitationParts | None:
    """Split names and title before the edition of a book."""
    end = _EDITION.search(text)
    if end is None or _OTHER_FORM.search(text, 0, end.start()):
        return None
    parts = text[: end.start()].split(", ")
    for count in range(1, min(_MAX_TITLE_PARTS, len(parts) - 1) + 1):
        authors = _split_full_names(", ".join(parts[:-count]))
        if authors:
            return CitationParts(", ".join(parts[-count:]), authors, text[end.end() :])
    return None


def _split_full_names(text: str) -> tuple[str, ...]:
    names = tuple(name for name in _BETWEEN_NAMES.split(text) if name)
    return names_in(text) or (names if all(map(is_name, names)) else ())


def cite_by_fields(text: str) -> CitationParts | None:
    """Split `Title; A. Author, B. Writer; Venue 2020`, also at slashes and CJK commas: all parts but one are known."""
    for separator in _SEPARATORS_OF_FIELDS:
        parts = [part for part in separator.split(text) if part.strip(EDGES)]
        if len(parts) < 2:
            continue
        names: list[str] = []
        rest: list[str] = []
        titles: list[str] = []
        for part in parts:
            found = names_in(part) or single_name(part)
            if found and not any(len(CJK.findall(name)) > _LONGEST_CJK_NAME for name in found):
                names += found
            elif is_venue_like(part):
                rest.append(part)
            else:
                titles.append(part)
        words = len(WORD.findall(titles[0])) + len(CJK.findall(titles[0])) // 2 if len(titles) == 1 else 0
        if words >= MIN_TITLE_WORDS and (names or len(rest) == len(parts) - 1):
            return CitationParts(titles[0], tuple(names), ", ".join(rest))
    return None


def cite_by_dashes(text: str) -> CitationParts | None:
    """Split `Title - Authors` or `Title — Venue 2023`. Other dashes are part of the title."""
    for match in DASH.finditer(text, 2, 600):
        head, tail = text[: match.start()], text[match.end() :].lstrip()
        if is_venue_like(tail[:200]) or part_rest(tail).authors:
            return CitationParts(head, (), tail)
        if (authors := names_in(head)) and len(WORD.findall(tail)) >= MIN_TITLE_WORDS:
            return CitationParts(tail, authors, "")
        year = YEAR_LAST.search(tail)  # Title - Smith & Jones 2019
        names = surnames_cited(tail[: year.start()]) if year else ()
        if year and names and count_words(head) >= MIN_TITLE_WORDS:
            return CitationParts(head, names, year["year"])
    return None


def cite_long_text(text: str) -> CitationParts | None:
    """Split a very long text after its first phrase."""
    if len(text) <= MAX_PHRASE_CHARS:
        return None
    match = re.search(r"[。；;\n]|\.\s|\s[-–—]\s|[:：]\s", text[20 : 2 * MAX_PHRASE_CHARS])
    end = match.start() + 20 if match else text.rfind(" ", 0, MAX_PHRASE_CHARS)
    return CitationParts(text[:end], (), text[end:]) if end > 0 else None
