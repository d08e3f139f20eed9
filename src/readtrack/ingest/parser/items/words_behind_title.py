"""Words behind a title: authors, venue, date, status, and what else is said."""

import re
from dataclasses import replace
from functools import lru_cache

from readtrack.infra.text.titles.dates import iso_date, iso_day
from readtrack.infra.text.titles.marks import rating_of, status_of
from readtrack.infra.text.titles.vocabulary import LETTER_OR_DIGIT, ORGANISATIONS, VENUES
from readtrack.ingest.parser.citations.venue import PUBLISHERS, begins_with_volume, find_venue, says_more
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.items.citing_labels import read_tag
from readtrack.ingest.parser.vocabulary.author_names import (
    CitationParts,
    is_name,
    names_in,
    part_rest,
    surnames_in,
)
from readtrack.ingest.parser.vocabulary.journals import is_journal_name
from readtrack.ingest.parser.vocabulary.title_affixes import TitleHead, take_head
from readtrack.ingest.parser.vocabulary.venues import take_count, take_tag

JOINTS = " \t-–—:：|｜,，;；/·•>[(（【<&+"
CLOSERS = " ])）】>"
BY = re.compile(r"^\W{0,4}(?:by|By|作者[:：]?|著者[:：]?|[Aa]uthors?\s?[:：])\s+")
_PUBLISHED_IN = re.compile(
    r"[\s.,;]{0,3}(?:In:?\s(?=[A-Z0-9])|Proc(?:\.|eedings)\s|Advances in\s|(?:Journal|Communications) of\s|"
    r"(?:IEEE|ACM)\sTrans)"
)
VENUE_ALONE = re.compile(rf"(?:(?:in|at|@)\s)?(?P<venue>(?:(?:USENIX|ACM|IEEE)\s)?(?:{VENUES}))", re.IGNORECASE)
_YEAR_FIRST = re.compile(  # `2019, Google`, `2019 Google`
    r"\W{0,3}(?P<year>(?:19|20)\d\d)(?:[)\]]\s|[)\]]?\s?[-–—,.:|]\s|\W{0,3}$|"
    r"\s(?=(?P<who>[^\W\d][^\s（(]{1,19})\s?(?:[（(][^()（）]{1,20}[)）]?)?$))"
)
_INSTITUTE = re.compile("(?:大学|研究所|研究院|公司|株式会社)$|^(?:腾讯|阿里|百度|华为|字节|美团|京东|微软|谷歌)")
_YEAR_AND_VENUE_LAST = re.compile(r"[(\[（【](?:19|20)\d\d[^()\[\]（）【】\d]{2,40}[)\]）】]\W{0,3}$")
_DATED_STATUS = re.compile(
    r"(?P<word>[A-Za-z][A-Za-z -]{2,12}?)(?:\son)?[\s:]{1,2}(?P<day>(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2})"
)
YEAR_ALONE = re.compile(r"\W{0,3}(?P<year>(?:19|20)\d\d)\W{0,3}")
# *Proceedings of the IEEE* (1998), (Neural Computation, 1997), eLife, 2024
_JOURNAL_AND_YEAR = re.compile(
    r"(?:[*_](?P<italic>[A-Z][^*_\d]{2,100})[*_],?\s?[(\[]?|\((?P<round>[A-Z][^()\d,]{2,60}\s[^()\d,]{2,60}),\s|"
    r"(?P<plain>(?!Proc)[A-Za-z][\w&-]{2,30}(?:\s[\w&-]{1,30}){0,5}),\s(?P<month>[A-Z][a-z]{2,8}\.?\s)?|"
    r"(?P<capitals>[A-Z][\w&’'-]{1,30}(?:\s(?:[A-Z][\w&’'-]{1,30}|of|the|and|in|on|&)){0,6})\s?\()"
    r"(?P<year>(?:19|20)\d\d)[)\]]?"
)
_REMARK_LAST = re.compile(
    r"(?P<where>[^\n]{0,120}?\(?(?:19|20)\d\d\)?)\.?\s\((?P<words>[^\s()]+\s[^\s()]+\s[^\s()][^\n]*)\)\.?"
)
_PERIODICAL = re.compile(
    r"(?!PDF|HTML|URL|DOI)[A-Z]{3,8}|(?:[A-Z][\w&’'-]*\s)+(?:Magazine|Review|Reviews|Quarterly|Times|Post|Blog|News)"
)
FEW_LETTERS = 60
SPACE_AND_MARKS = re.compile(r"^[\s\W_]*$")
_MAX_SAID = 3000
_MAX_CHARS = 300


def remark(*parts: str) -> str:
    """Join the remaining words without separators left over from removed parts."""
    words = (_trim_brackets(part) for part in parts)
    return " ".join(part for part in words if not SPACE_AND_MARKS.match(part))


def _trim_brackets(text: str) -> str:
    """Strip separators and unbalanced brackets."""
    trimmed = text.strip(JOINTS + CLOSERS)
    for opener, closer in ("[]", "()", "【】", "「」"):
        if trimmed.count(closer) > trimmed.count(opener) and f"{opener}{trimmed}" in text:
            return f"{opener}{trimmed}"
    return f"{trimmed})" if trimmed.count("(") == trimmed.count(")") + 1 and f"{trimmed})" in text else trimmed


def surnames_after_by(text: str) -> tuple[str, ...]:
    """Return the names of `by Gelman` and `by Gelman and Hill (2007)` behind a linked title."""
    by = BY.match(text)
    words = text[by.end() :].partition("(")[0].strip(" .,") if by else ""
    return surnames_in(words) if words and len(words) <= FEW_LETTERS else ()


def with_cited_venue(item_text: ItemText, remainder: str) -> ItemText:
    """Add the venue and year that a reference has behind its title."""
    venue, year = find_venue(remainder)
    if item_text.venue or not venue:
        return replace(item_text, year=item_text.year or year)
    text = item_text.text if says_more(item_text.text, venue, year) else ""
    return replace(item_text, venue=venue, year=item_text.year or year, text=text)


def read_rest(phrase: str) -> ItemText:
    """Extract authors, venue, date and remark from the words after a title."""
    return _read_few_words(phrase) if len(phrase) <= FEW_LETTERS else _read_words(phrase)


@lru_cache(maxsize=512)
def _read_few_words(phrase: str) -> ItemText:
    return _read_words(phrase)


def _read_words(phrase: str) -> ItemText:
    if plain := _status_or_date(phrase):
        return plain
    match = _YEAR_FIRST.match(phrase)
    if match and (not match["who"] or match["who"].casefold() in ORGANISATIONS or _INSTITUTE.search(match["who"])):
        return replace(read_rest(phrase[match.end() :]), published=match["year"])
    if published := _venue_and_year(phrase) or _year_and_remark(phrase) or read_tag(phrase):
        return published
    trimmed = _trim_brackets(phrase[:_MAX_SAID])
    if SPACE_AND_MARKS.match(trimmed):
        return ItemText()
    head = take_head(trimmed if trimmed.count("(") >= trimmed.count(")") else f"({trimmed}")
    parts = part_rest(BY.sub("", head.title)) if LETTER_OR_DIGIT.search(head.title) else CitationParts("")
    tail = take_head(parts.remainder) if parts.authors and parts.remainder else TitleHead(parts.remainder)
    head_text, tail_text = to_item_text(head), to_item_text(tail)
    text = remark(head_text.text, tail.title, tail_text.text, phrase[_MAX_SAID:])
    names = parts.authors or head.authors or surnames_after_by(head.title)
    text = "" if names and not parts.authors and remark(BY.sub("", text)) == " ".join(names) else text
    result = replace(merge_texts(head_text, tail_text), authors=names, text=text)
    if result.venue.casefold() in PUBLISHERS:  # `, in: ASIA CCS '22, ACM, 2022`
        venue, year = find_venue(phrase)
        text = result.text if says_more(result.text, venue, year) else ""
        result = replace(result, venue=venue or result.venue, year=year or result.year, text=text)
    return result if result.venue else _with_plain_venue(result, phrase)


def _status_or_date(phrase: str) -> ItemText | None:
    """Read words that are only a status or a date, as in `[Title](address) 2024.3`."""
    if status := _stated_status(phrase):
        return ItemText(status=status)
    if rating := rating_of(phrase):
        return ItemText(rating=rating)
    if dated := _DATED_STATUS.fullmatch(phrase.strip(JOINTS + CLOSERS)):
        return read_on_day(status_of(dated["word"]), iso_day(dated["day"]))
    date = iso_date(phrase.strip(JOINTS + CLOSERS))
    return ItemText(published=date) if date else None


def read_on_day(status: str | None, day: str) -> ItemText | None:
    """Return the status with its day, which is kept for what was read."""
    return ItemText(status=status, read_on=day if status == "read" else "") if status and day else None


def _venue_and_year(phrase: str) -> ItemText | None:
    """Read a venue with its year: `ICML 2019 (5)`, `(SIGMOD) (2018)`, `[4D Radar] [2022 AAAI]`, `eLife, 2024`."""
    if begins_with_volume(phrase):
        venue, published = find_venue(phrase)
        return ItemText(venue=venue, year=published)
    _, count = take_count(phrase)
    if count or ") (" in phrase:
        tag = take_tag(phrase.strip(" ,;|-–—"))
        year = YEAR_ALONE.fullmatch(tag.remainder)
        if tag.venue and (year or not LETTER_OR_DIGIT.search(tag.remainder)):
            return ItemText(text=count, venue=tag.venue, year=tag.year or (int(year["year"]) if year else None))
    if _YEAR_AND_VENUE_LAST.search(phrase, max(len(phrase) - FEW_LETTERS, 0)):
        tag = take_tag(phrase.strip())
        if tag.venue and tag.year:
            return merge_texts(read_rest(tag.remainder), ItemText(venue=tag.venue, year=tag.year))
    return _journal_and_year(phrase) if len(phrase) <= _MAX_CHARS else None


def _journal_and_year(phrase: str) -> ItemText | None:
    """Read a journal with its year. What could be a person or a remark must be known or stand behind a comma."""
    match = _JOURNAL_AND_YEAR.fullmatch(phrase.strip(" .,;"))
    if match is None:
        return None
    name = match["italic"] or match["round"] or match["plain"] or match["capitals"]
    is_apart = bool(match["italic"]) and phrase.lstrip().startswith(",") and not names_in(name)
    may_be_remark = bool(match["capitals"] or match["month"])
    is_journal = is_apart or (_is_journal(name) and (not may_be_remark or _is_sure_journal(name)))
    return ItemText(venue=name, year=int(match["year"])) if is_journal else None


def read_place_and_year(phrase: str) -> ItemText | None:
    """Read the year of an article, and where it appeared, if the words are only that, or that and a remark."""
    words = phrase.strip(" ,.;")
    if year := YEAR_ALONE.fullmatch(words):
        return ItemText(published=year["year"])
    return _venue_and_year(phrase) or _year_and_remark(phrase)


def _year_and_remark(phrase: str) -> ItemText | None:
    """Read the venue and year before a remark in brackets: `*Curating Menus* (2016). (discussion about …)`."""
    said = _REMARK_LAST.fullmatch(phrase.strip(" ,;"))
    if said is None:
        return None
    year = YEAR_ALONE.fullmatch(said["where"])
    where = f", {said['where']}" if phrase.lstrip().startswith(",") else said["where"]
    published = ItemText(published=year["year"]) if year else _venue_and_year(where)
    return replace(published, text=remark(said["words"])) if published and not published.text else None


def _is_journal(name: str) -> bool:
    """Return False for names of people, which may have the form of a journal's."""
    return not names_in(name) and (not is_name(name) or bool(find_venue(name)[0]))


def _is_sure_journal(name: str) -> bool:
    """Return True for a known journal, an acronym and one of a magazine or the like: `LARB`, `NYTimes Magazine`."""
    return is_journal_name(name) or bool(find_venue(name)[0]) or _PERIODICAL.fullmatch(name) is not None


def _stated_status(phrase: str) -> str | None:
    """Return the status of words that say nothing else: `読了`, `を読んだ。`, `在读`."""
    words = phrase.strip(JOINTS + CLOSERS + "。．").removeprefix("を").strip()
    if words.startswith("#"):  # a tag
        return status_of(words[1:])
    return status_of(words) if len(words) > 1 and not words.isascii() and LETTER_OR_DIGIT.search(words) else None


def _with_plain_venue(item_text: ItemText, phrase: str) -> ItemText:
    """Find the venue in words without a tag: only `NSDI`, `In CVPR, pages 770-778, 2016`, or the same after authors."""
    if alone := VENUE_ALONE.fullmatch(item_text.text.strip(" .")):
        return replace(item_text, venue=alone["venue"], text="")
    behind_authors = part_rest(phrase.strip(JOINTS)).remainder if item_text.authors else ""
    venue, year = find_venue(behind_authors) if behind_authors else ("", None)
    if venue and (year or item_text.published):
        return with_cited_venue(item_text, behind_authors)
    venue, year = find_venue(phrase) if _PUBLISHED_IN.match(phrase) else ("", None)
    return replace(item_text, venue=venue, year=item_text.year or year) if year else item_text


def to_item_text(head: TitleHead) -> ItemText:
    """Return what the head of a title says beside the title. Numbers and the authors are no remark."""
    authors = head.authors or next((names for tag in head.tags if (names := names_in(tag))), ())
    return ItemText(
        text=" · ".join(tag for tag in head.tags if not tag.isdigit() and not (authors and names_in(tag) == authors)),
        authors=authors,
        venue=head.venue,
        year=head.year,
        status=head.status,
        published=head.published,
        rating=head.rating,
    )


def merge_texts(first: ItemText, *others: ItemText) -> ItemText:
    """Merge texts: the first value of each field, and all remarks."""
    merged = first
    for item_text in others:
        venue, year = (merged.venue, merged.year) if merged.venue else (item_text.venue, item_text.year or merged.year)
        merged = ItemText(
            title=merged.title or item_text.title,
            text=remark(merged.text, item_text.text)
            if merged.text and item_text.text
            else merged.text or item_text.text,
            topic=merged.topic or item_text.topic,
            venue=venue,
            year=year,
            status=merged.status or item_text.status,
            authors=merged.authors or item_text.authors,
            published=merged.published or item_text.published,
            read_on=merged.read_on or item_text.read_on,
            rating=merged.rating or item_text.rating,
        )
    return merged
