"""Text around the links of one paper, split into title, authors, venue, date, label and remark."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import (
    clean_title,
    could_be_title,
    is_broken_off,
    is_foreign,
    is_generic,
    looks_like_title,
)
from readtrack.infra.text.titles.dates import YEAR
from readtrack.infra.text.titles.marks import rating_of, take_marks
from readtrack.infra.text.titles.vocabulary import CJK, LETTER_OR_DIGIT
from readtrack.ingest.parser.citations.cited_names import names_before_title, split_dated_names
from readtrack.ingest.parser.citations.parse_citation import parse_citation, parse_cited_title
from readtrack.ingest.parser.citations.venue import find_venue, has_small_word
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.items.citing_labels import cites_people, cites_surely, read_citing_label, read_tag
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_groups import LinkGroup, names_a_form
from readtrack.ingest.parser.items.link_roles import STRONG, has_name, is_own
from readtrack.ingest.parser.items.subjects import is_task
from readtrack.ingest.parser.items.unlinked import begins_with_authors
from readtrack.ingest.parser.items.words_before_title import (
    KINDS_WITH_VENUE,
    find_label,
    names_work,
    read_before_link,
    read_names_and_venue,
    take_head_of,
    topic_of_label,
    without_day_of_note,
    words_before,
    year_of_arxiv_number,
)
from readtrack.ingest.parser.items.words_behind_title import (
    BY,
    CLOSERS,
    FEW_LETTERS,
    JOINTS,
    SPACE_AND_MARKS,
    YEAR_ALONE,
    merge_texts,
    read_place_and_year,
    read_rest,
    remark,
    surnames_after_by,
    to_item_text,
    with_cited_venue,
)
from readtrack.ingest.parser.vocabulary.author_names import (
    VENUE_LIKE,
    CitationParts,
    is_name,
    names_in,
    part_rest,
)
from readtrack.ingest.parser.vocabulary.bylines import split_byline
from readtrack.ingest.parser.vocabulary.journals import is_journal_name, named_journal, take_journal
from readtrack.ingest.parser.vocabulary.title_affixes import TitleHead, take_head
from readtrack.ingest.parser.vocabulary.venues import take_tag

_INITIALLED_FIRST = re.compile(
    r"(?:[A-Z][^\W\d_]{2,20}\s)?(?:[A-Z]\.[\s-]?){1,3}[A-Z][\w'’-]+(?:,|\sand|\.)\s"
)  # `G. Graefe. `
_BOLD_AFTER = re.compile(r"[\s:：|–—-]{0,4}\*\*(?P<title>[^*]{4,300})\*\*(?P<rest>(?![^\W_]).*)", re.DOTALL)
_TAB_TITLE = re.compile(r"^\s*(?:[|｜]|[-–—]{1,3}\s)\s*(?P<title>\S.*)$")
_GOES_ON = re.compile(r"^\s*[:：]\s*(?P<rest>[^|｜]{3,400})(?:[|｜](?P<more>.*))?$", re.DOTALL)
_FLOWS_ON = re.compile(r"^\s+(?P<rest>[a-zA-Z0-9(][^|｜]{3,300})(?:[|｜](?P<more>.*))?$", re.DOTALL)
_TALK = re.compile(
    r"(?:see|cf|also|we|i|it|this|that|here|there|and|or|but|with|for|more|check|read|via|source|used|uses|"
    r"(?:a |the )?paper|blog|link)\b",
    re.IGNORECASE,
)
# `this one looks good: Title`
_ANNOUNCED = re.compile(
    r"^(?:(?:this|that|these|here|new|another|nice|cool|great|good|interesting|relevant|related|just|also|check|found|"
    r"see|fyi|btw|look|worth)\b[^:：A-Z]{0,40}|"
    r"(?:Interesting|Related|Relevant|FYI|New paper|This (?:one|paper)|Check (?:this|out))\b[^:：A-Z]{0,40})"
    r"[:：]\s(?=[A-Z\"“「《])"
)
_CITED_LAST = re.compile(r"\s?[(\[（](?P<inner>[^()\[\]（）]{4,100}?)[,，;:]?\s*$")
_SOURCE = re.compile(r"[A-Z][\w'’-]{2,30}(?:\s(?:of|in|the|and|&|for|[A-Z][\w'’-]{1,30})){1,8}")
_KEY_BEFORE_TITLE = re.compile(
    r"(?P<key>[A-Z][A-Za-z-]{2,40}(?P<year>(?:19|20)\d\d)[A-Z]{1,6})\s?[-–—:]\s(?P<title>\S.{8,400})"
)
_COINED_NAME = re.compile(
    r"[A-Za-z][\w+.-]*(?:[a-z][A-Z]|[A-Z]{2}|[A-Za-z]-?\d)[\w+.-]*"
)  # FlashAttention, BERT, GPT-3
_QUOTED = re.compile(r"[“\"«「『《][^“”\"«»「」『』《》]{8,400}[”\"»」』》]")
_QUOTED_FIRST = re.compile(
    r"[\s:：|–—,.-]{0,4}[“\"«「『《][*_]{0,3}(?P<title>[^“”\"«»「」『』《》]{8,400}?)[*_]{0,3}[”\"»」』》](?P<rest>.*)",
    re.DOTALL,
)
_QUOTED_BEHIND_YEAR = re.compile(r"[,.]\s?[“\"](?:(?![.?!]\s)[^“”\"])+[”\"]")
_OF_SEVERAL = re.compile(r",|\s&\s|\bet\.?\sal|\b[A-Z]\.")  # people, not `War and Peace`
_TAG_FIRST = re.compile(r"\s*(?:\([^()]{1,60}\)|\[[^\[\]]{1,60}\])\s{1,3}(?=\S)")
_VOLUME_LAST = re.compile(r"\s\d[\d:;,()\s–-]*$")
_NUMBER = re.compile(r"[(\[（【#]?\d{1,3}(?:\.\d{1,3}){0,5}[)\]）】.:、]?")  # 7, [12], 1.4.2.
_CLAUSES = re.compile("[，、。]")
_GOES_ON_IN_KANA = re.compile("[\u3041-\u3096、，。]")
_MAX_CHARS = 300
_YEAR_IN_BRACKETS_LAST = re.compile(r"[(（](?:19|20)\d\d[)）]$")
_PAGES_LAST = re.compile(r"\.\s\d{1,5}\s?[-–:]\s?\d{1,5}\.?$")  # `A. Author, B. Writer: Title. 69-91`
_QUOTED_LAST = re.compile(r"[A-Z][^\"“”]{3,80}[.,]\s[\"“][^\"“”]{8,300}[\"”]$")  # `Author, Ann. “Title”`
_NO_VENUES = frozenset({"pdf", "paper", "link", "html", "code"})  # `[PDF 2017]`
_FEW, _SHORT_NAME, _LONG_NAME = 2, 4, 14


def extract_text(group: LinkGroup, *, in_list: bool) -> ItemText:
    """Extract the text of a group of links.

    `in_list`: a list item, where words before a link are usually its title.
    """
    before = words_before(group)
    before = "" if _NUMBER.fullmatch(before) else before
    if cited := _title_behind_linked_year(group, before):
        return cited
    if group.title_link is not None:
        return _title_from_link(group, group.title_link, before)
    heading = find_label(before)
    if heading and group.links[0].label is None:
        item_text = ItemText(heading) if names_work(heading, group) else ItemText(topic=topic_of_label(heading))
        return _add_trailing_text(item_text, group, group.texts_after)
    if titled := _title_from_words(group, before, in_list=in_list):
        return _add_trailing_text(titled, group, group.texts_after)
    item_text = _title_after_link(group, before) or ItemText(text=remark(before, group.after))
    form = group.main_link.label if group.main_link.paper_kind != "paper" and has_name(group.main_link) else ""
    item_text = replace(item_text, title=item_text.title or form or "")
    return _with_facts_of_labels(item_text, group) if group.main_link.ref.scheme in STRONG else item_text


def _title_behind_linked_year(group: LinkGroup, before: str) -> ItemText | None:
    """Read `Hegre & Sambanis ([2006](address)), "The Title"`, where the year is the link.

    A single name may be that of a work, `Dune ([1965](address)): "A quotation"`, and so may words joined by "and".
    """
    label = group.links[0].text
    if not (before and YEAR_ALONE.fullmatch(label)):
        return None
    behind = next((text.lstrip(CLOSERS) for text in group.texts_after if LETTER_OR_DIGIT.search(text)), "")
    is_quoted = _QUOTED_BEHIND_YEAR.match(behind) is not None
    if not is_quoted and (not _OF_SEVERAL.search(before) or behind.startswith((":", "-", "–", "—"))):
        return None
    texts = [text.lstrip(CLOSERS + ".,:") for text in group.texts_after]
    return _title_beside_citing_label(replace(group, before="", texts_after=texts), f"{before} ({label})", "")


def _title_from_link(group: LinkGroup, link: TextLink, before: str) -> ItemText:
    label, index = link.text, group.links.index(link)
    if cited := _title_beside_citing_label(group, label, before):
        return cited
    opened = _CITED_LAST.search(before)  # `A Title (Vaswani et al. 2017, [Journal](address))`
    if opened and (citing := read_tag(opened["inner"])):
        item_text = _title_from_words(group, before[: opened.start()], in_list=True)
        if item_text and not item_text.authors:
            item_text = _with_source(merge_texts(item_text, citing), label)
            return _add_trailing_text(item_text, group, group.texts_after)
    heading = find_label(before)
    is_short = len(label.split()) <= _FEW or _find_reference(before) is not None
    is_short = is_short and not names_before_title(before.rstrip(" .,:-–—"))
    if not heading and is_short and (item_text := _title_from_words(group, before, in_list=False)):
        return _add_trailing_text(_with_source(item_text, label), group, group.texts_after)
    label, after = _join_label(label, group.texts_after[index].lstrip(CLOSERS).strip(), group)
    item_text = _extract_label(group, label)
    after_link = [*group.texts_after[:index], after, *group.texts_after[index + 1 :]]
    authors, year = split_dated_names(before)
    if authors:  # Author, A. (2018). [Title](address). Journal, 71(2), 617-638.
        item_text = merge_texts(item_text, ItemText(authors=authors, published=str(year)))
    elif before:
        is_topic = heading and read_names_and_venue(before) is None
        around = ItemText(topic=topic_of_label(heading)) if is_topic else read_before_link(group, before)
        item_text = merge_texts(item_text, without_day_of_note(around, [*after_link, year_of_arxiv_number(link)]))
    item_text = _add_trailing_text(item_text, group, after_link)
    return with_cited_venue(item_text, f"{after} {year}") if authors else item_text


def _title_beside_citing_label(group: LinkGroup, label: str, before: str) -> ItemText | None:
    """Return what a link that only cites says, with the title behind it. A venue shows that it is no title itself."""
    cited = read_citing_label(label)
    if not cited.authors:
        return None
    behind = next((text for text in group.texts_after if LETTER_OR_DIGIT.search(text)), "")
    is_cited = group.main_link.ref.scheme in STRONG or cites_surely(label)
    if (quoted := _QUOTED_FIRST.match(behind)) and is_cited and not quoted["title"][0].islower():
        item_text = merge_texts(replace(cited, title=clean_title(quoted["title"])), read_before_link(group, before))
        others = [text for text in group.texts_after if text is not behind]
        return _add_trailing_text(item_text, group, [quoted["rest"], *others])
    begins_title = _begins_with_capital if cited.published or cited.venue else _begins_like_title
    titled = _title_after_link(group, before, is_title=begins_title)
    if titled and cited.venue:
        return merge_texts(cited, titled)
    if titled:
        titled = with_cited_venue(titled, titled.text)
        return merge_texts(replace(titled, year=None) if cited.published else titled, cited)
    is_sure = bool(cited.venue and cited.year) and cites_people(label, cited.authors)
    if is_sure and group.main_link.ref.scheme in STRONG:
        return _add_trailing_text(merge_texts(cited, read_before_link(group, before)), group, group.texts_after)
    return None


def _with_source(item_text: ItemText, label: str) -> ItemText:
    """Add the text of the link behind a reference: its journal, `[Global Change Biology](address)`, or a remark."""
    journal = named_journal(label)
    name, year = journal or (label.strip(" .*_"), None)
    is_source = is_journal_name(name) or ((journal or _SOURCE.fullmatch(name)) and not is_generic(name))
    if item_text.venue or not (item_text.authors and is_source):
        return replace(item_text, text=remark(item_text.text, label))
    return replace(item_text, venue=name, year=item_text.year or year)


def _begins_like_title(text: str) -> bool:
    """Return True for words that may be a title where one is expected: no lower case at the start."""
    is_sentence = text[:1].isupper() and len(text.split()) > _FEW
    return looks_like_title(text) or (is_sentence and not _TALK.match(text) and could_be_title(text))


def _begins_with_capital(text: str) -> bool:
    """Return True for what stands behind authors and a year, unless it is a remark."""
    return text[:1].isupper() and not _TALK.match(text) and not is_generic(text)


def _find_reference(text: str, *, in_link: bool = False) -> CitationParts | None:
    """Return the parts of a whole reference: `A. Author (2018). Title. Venue.`, before `[here]` or in the link."""
    is_initialled = in_link and _INITIALLED_FIRST.match(text) is not None
    has_details = is_initialled or YEAR.search(text) or _PAGES_LAST.search(text) or _QUOTED_LAST.search(text)
    citation = parse_citation(text) if has_details else None
    is_reference = citation and (
        begins_with_authors(text, citation)
        or (is_initialled and citation.authors)
        or (citation.authors and text.startswith(citation.authors[0].split()[-1]) and _QUOTED_LAST.search(text))
        or (citation.authors and all(find_venue(citation.remainder)))
        or (citation.authors and CJK.search(citation.title) and find_venue(citation.remainder)[1])
    )
    return citation if is_reference else None


def _join_label(label: str, after: str, group: LinkGroup) -> tuple[str, str]:
    """Join a title split between a link and the text after it.

    Examples: `[Short](url): rest of the title | venue`, `[Short:](url) rest`, `[Ring Attention](url) with
    Transformers`.
    """
    words = label.rstrip(":： ").split()
    open_end = label.rstrip().endswith((":", "："))
    rest = _GOES_ON.match(after if not open_end else f": {after}")
    if (
        not rest
        and is_own(group.main_link)
        and len(words) <= _SHORT_NAME
        and not VENUE_LIKE.match(after)
        and re.match(r"\s*(?:with|for|in|of|as|via|by|to)\s", after)
        and not (len(words) > _FEW and surnames_after_by(after))
    ):
        match = _FLOWS_ON.match(" " + after) if not part_rest(BY.sub("", after)).authors else None
        return (f"{label} {match['rest'].strip()}", match["more"] or "") if match else (label, after)
    if not rest or (":" in label.rstrip(": ") and not open_end) or len(words) > _LONG_NAME:
        return label, after
    if not CJK.search(label) and CJK.search(rest["rest"]) and (len(words) > _FEW or _CLAUSES.search(rest["rest"])):
        return label, after  # a remark in another language
    citation = parse_citation(rest["rest"])
    is_whole = _QUOTED.fullmatch(label) is not None and not looks_like_title(citation.title)
    if is_whole or not _continues(citation.title, len(words), group):
        return label, after
    remainder = ", ".join(part for part in (*citation.authors, citation.remainder, rest["more"] or "") if part)
    return f"{' '.join(words)}: {citation.title}", remainder


def _continues(text: str, word_count: int, group: LinkGroup) -> bool:
    title = text.strip(" .")
    if looks_like_title(title) and word_count <= _LONG_NAME:
        return True
    paper = group.main_link.paper_kind == "paper" or (
        group.main_link.paper_kind == "page" and bool(take_tag(group.after).venue)
    )
    return (
        paper
        and word_count <= _SHORT_NAME
        and _FEW <= len(title.split()) <= 2 * _LONG_NAME
        and not CJK.search(title)
        and not _TALK.match(title)
        and ". " not in title
    )


def _title_from_words(group: LinkGroup, before: str, *, in_list: bool) -> ItemText | None:
    """Extract the title from the words before a link: `Title. Authors [pdf](address)`, `Title (OSDI'22): address`."""
    if not LETTER_OR_DIGIT.search(before):
        return None
    announced = _ANNOUNCED.match(before)
    head = take_head_of(before[announced.end() if announced else 0 :].rstrip(JOINTS), group)
    citation = parse_cited_title(head.title) if head.venue else parse_citation(head.title)
    is_cited = len(citation.authors) >= _FEW and len(citation.title.split()) >= _SHORT_NAME
    if not (
        announced
        or is_cited
        or _is_tagged(head, citation.title, in_list=in_list)
        or _is_title_before(group, citation.title, in_list=in_list)
        or ("et al" not in citation.title and _find_reference(before))
    ):
        return None
    item_text, title = to_item_text(head), citation.title
    if citation.authors and not head.venue:  # `A. Author et al, SoCC'16, Title`
        inner_head = take_head(title)
        item_text, title = merge_texts(item_text, to_item_text(inner_head)), inner_head.title
    item_text.title, item_text.authors = title, citation.authors or item_text.authors
    return _with_remainder(item_text, before, head.title, citation) if citation.remainder else item_text


def _is_tagged(head: TitleHead, title: str, *, in_list: bool) -> bool:
    """Return True for words with a rating or status, and for an item with a venue or authors in brackets."""
    is_marked = bool(head.rating or head.status) and not _TALK.match(title) and not is_generic(title)
    has_facts = in_list and bool(head.venue or head.authors)
    return (is_marked or has_facts) and LETTER_OR_DIGIT.search(title) is not None


def _is_title_before(group: LinkGroup, title: str, *, in_list: bool) -> bool:
    """Return True for words that are a title by their form, or a coined name: `FlashAttention: address`."""
    is_coined = in_list and group.main_link.paper_kind == "paper" and _COINED_NAME.fullmatch(title) is not None
    labelled = group.links[0].label is not None or group.before.rstrip().endswith(("(", "（"))
    return is_coined or _is_title(title, in_list=in_list, labelled=labelled)


def _with_remainder(item_text: ItemText, before: str, words: str, citation: CitationParts) -> ItemText:
    """Add what stands behind the title: a journal before its year, or authors, a venue and a remark."""
    journal = _journal_before_year(before, words, citation) if item_text.published and not item_text.venue else ""
    if journal:
        return replace(item_text, venue=journal)
    item_text = merge_texts(item_text, read_rest(citation.remainder))
    return with_cited_venue(item_text, citation.remainder) if citation.authors else item_text


def _journal_before_year(before: str, words: str, citation: CitationParts) -> str:
    """Return the journal of `Title. *Journal* (2013)`, `Title. Journal(2013)`, `"Title" Behavioral Ecology (2017)`."""
    name, words = citation.remainder.strip(" .,;"), words.rstrip(" .,;")
    if words.endswith((f"*{name}*", f"_{name}_")) and not names_in(name):
        return name
    is_quoted = bool(citation.authors) and words.endswith((f'" {name}', f"” {name}"))
    is_journal = not (names_in(name) or has_small_word(name)) if is_quoted else _is_followed_by_year(before, name)
    return _VOLUME_LAST.sub("", name) if is_journal else ""


def _is_followed_by_year(text: str, name: str) -> bool:
    """Return True for a name at the end, with a year in brackets right behind it: `计算机工程与应用(2014)`."""
    year = _YEAR_IN_BRACKETS_LAST.search(text)
    is_short = len(name.split()) <= _SHORT_NAME and len(name) <= FEW_LETTERS
    if year is None or not is_short or not text[: year.start()].endswith(name):
        return False
    if CJK.search(name):  # no name of a person, and no phrase
        return len(name) > _SHORT_NAME and "的" not in name and not names_in(name)
    return not is_name(name) and not names_in(name)


def _title_after_link(
    group: LinkGroup, before: str, *, is_title: Callable[[str], bool] = looks_like_title
) -> ItemText | None:
    """Extract a title after the link.

    Examples: `[pdf](url) Title`, `url | tab title`, `[Venue'22](url) Title. Authors.`
    """
    position = next((index for index, part in enumerate(group.texts_after) if LETTER_OR_DIGIT.search(part)), None)
    if (
        position is None
        or LETTER_OR_DIGIT.search(take_head_of(before, group).title)
        or (group.links[0].label is None and position)
    ):
        return None
    after = group.texts_after[position].lstrip(CLOSERS).strip()
    item_text = _after_link(group, after, is_title)
    rest = [*group.texts_after[:position], *group.texts_after[position + 1 :]]
    return (
        _add_trailing_text(merge_texts(item_text, read_before_link(group, before)), group, rest) if item_text else None
    )


def _after_link(group: LinkGroup, after: str, is_title: Callable[[str], bool]) -> ItemText | None:
    tag = _TAG_FIRST.match(after)  # `address (Physics) The Title`
    if tag and (item_text := _title_first(group, after[tag.end() :], is_title)):
        return merge_texts(item_text, read_rest(tag[0].strip()))
    return _title_first(group, after, is_title)


def _title_first(group: LinkGroup, after: str, is_title: Callable[[str], bool]) -> ItemText | None:
    if _GOES_ON_IN_KANA.match(after):
        return None
    bold = _BOLD_AFTER.fullmatch(after) if group.links[0].label is None else None
    if bold and is_title(bold["title"]):
        return merge_texts(ItemText(clean_title(bold["title"])), read_rest(bold["rest"].lstrip(JOINTS)))
    tab = _TAB_TITLE.match(after)
    is_tab = tab is not None and (group.links[0].label is None or is_title(tab["title"]))
    if tab and is_tab and not SPACE_AND_MARKS.match(tab["title"]):
        return _extract_label(group, tab["title"])
    head = take_head_of(after.lstrip(JOINTS + CLOSERS), group)
    if group.links[0].label is None and group.main_link.paper_kind != "paper" and not (head.venue and head.year):
        return None
    citation = parse_citation(head.title)
    is_coined = group.links[0].label is None and not group.before and _COINED_NAME.fullmatch(after.strip())
    if not is_title(citation.title.strip(" .")) and not is_coined:
        return None
    title = citation.title.rstrip(")）") if citation.title.count("(") < citation.title.count(")") else citation.title
    return merge_texts(
        replace(to_item_text(head), title=title, authors=citation.authors or head.authors),
        read_rest(citation.remainder),
    )


def _extract_label(group: LinkGroup, label: str) -> ItemText:
    """Extract the title from a link text, without the tags around it."""
    reference = _find_reference(label, in_link=True) if group.main_link.paper_kind in {"paper", "page"} else None
    if reference and len(reference.title.split()) + len(CJK.findall(reference.title)) // 3 > _FEW:
        return with_cited_venue(ItemText(reference.title, authors=reference.authors), reference.remainder)
    keyed = _KEY_BEFORE_TITLE.fullmatch(label)
    if keyed and keyed["key"] in group.main_link.address:  # [Foote1987JASA - The Title](notes/Foote1987JASA.md)
        return ItemText(keyed["title"], year=int(keyed["year"]))
    if group.main_link.paper_kind not in KINDS_WITH_VENUE:
        marks = take_marks(label)
        return ItemText(marks.remainder, status=marks.status, rating=marks.rating)
    head = take_head(label)
    if not LETTER_OR_DIGIT.search(head.title):
        return ItemText(label)
    item_text = to_item_text(head)
    words, journal, year = take_journal(head.title) if _may_name_journal(group, head) else (head.title, "", None)
    if journal:
        item_text.venue, item_text.year = journal, item_text.year or year
    item_text.title, names = split_byline(words, has_date=bool(head.published or head.year))
    return replace(item_text, authors=names) if names else item_text


def _may_name_journal(group: LinkGroup, head: TitleHead) -> bool:
    """Return True for the title of a page of a paper; those on arXiv name none."""
    return not head.venue and group.main_link.paper_kind == "paper" and group.main_link.ref.scheme != "arxiv"


def _add_trailing_text(item_text: ItemText, group: LinkGroup, parts: Sequence[str]) -> ItemText:
    """Add the words after the links, each part on its own. A venue in a link text is used last."""
    texts = [part for part in parts if LETTER_OR_DIGIT.search(part) or YEAR_ALONE.fullmatch(part) or rating_of(part)]
    if group.main_link.paper_kind not in KINDS_WITH_VENUE:
        return merge_texts(item_text, *(read_place_and_year(text) or ItemText(text=text) for text in texts))
    return _with_facts_of_labels(merge_texts(item_text, *(read_rest(part) for part in texts)), group)


def _with_facts_of_labels(item_text: ItemText, group: LinkGroup) -> ItemText:
    """Return the text with what the first label that names no work states: `NeurIPS 2017`, `Vaswani et al., 2017`."""
    if item_text.venue:
        return item_text
    form = next((link.label for link in group.links if link.label and names_a_form(link.label)), "")
    facts = read_tag(form) or to_item_text(take_head(f"[{form}]")) if form else ItemText()
    return merge_texts(item_text, replace(facts, venue="") if facts.venue.casefold() in _NO_VENUES else facts)


def _is_title(text: str, *, in_list: bool, labelled: bool) -> bool:
    stripped = text.strip(JOINTS + ".")
    if looks_like_title(stripped) and (in_list or labelled or not is_foreign(stripped)):
        return True
    if not in_list or not 2 <= len(stripped) <= _MAX_CHARS or is_task(stripped) or is_broken_off(stripped):
        return False
    if labelled:
        return not _TALK.match(stripped) and (not CJK.search(stripped) or len(stripped) <= _MAX_CHARS // 4)
    return len(stripped) > _SHORT_NAME and " " in stripped and not CJK.search(stripped) and not stripped[0].islower()
