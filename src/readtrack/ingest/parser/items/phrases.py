"""Entries of one piece of a note (a bullet, a line of prose, a cell), from its grouped links."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace

from readtrack.infra.text import urls
from readtrack.infra.text.titles.clean import clean_title, could_be_title, is_foreign, names_a_paper
from readtrack.infra.text.titles.dates import YEAR
from readtrack.infra.text.titles.marks import status_of
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.citations.cited_names import dated_names, only_cites
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import topics_of
from readtrack.ingest.parser.items.build_entry import (
    ItemContext,
    ItemText,
    build_entry,
    build_unlinked_entry,
    join_texts,
    link_to,
)
from readtrack.ingest.parser.items.diary import may_state_status, take_reading
from readtrack.ingest.parser.items.extract_text import extract_text
from readtrack.ingest.parser.items.find_links import TextLink, find_links, split_around_links
from readtrack.ingest.parser.items.link_groups import LinkGroup, group_links, has_words, is_extra
from readtrack.ingest.parser.items.link_roles import STRONG, calls_it_a_paper, has_name, is_own, role_from_label
from readtrack.ingest.parser.items.sentence_titles import FoundTitle, find_tag_in, find_titles, is_lead_in
from readtrack.ingest.parser.items.signed_titles import SignedTitle
from readtrack.ingest.parser.items.subjects import is_question
from readtrack.ingest.parser.items.title_runs import is_scholarly
from readtrack.ingest.parser.items.unlinked import begins_with_authors, read_wordless
from readtrack.ingest.parser.items.words_before_title import topic_before
from readtrack.ingest.parser.items.words_behind_title import remark
from readtrack.ingest.parser.reasons import UNLINKED
from readtrack.ingest.parser.vocabulary.author_names import is_name
from readtrack.ingest.parser.vocabulary.title_affixes import take_hashtags, take_head
from readtrack.ingest.parser.vocabulary.venues import match_venue

_NOTES_ON_IT = re.compile(
    r"(?:(?:reading|paper|my) )?notes?|paper (?:summary|review)|(?:阅读|论文)?笔记|论文解读|メモ", re.IGNORECASE
)
_ARTIFACT = re.compile(
    r"(?:the )?(?:artifacts?|appendi(?:x|ces)|errata|supp(?:l(?:ement(?:ary|al)?)?)?(?: materials?)?|bib(?:tex)?)",
    re.IGNORECASE,
)
_LOCAL = re.compile(
    r"(?<!!)\[(?:\[(?P<inner>[^\[\]]{0,300})\]|(?P<label>[^\[\]]{0,300}))\]\(\s?(?P<where>(?![a-z]{2,10}:|www\.)[^()\s]{0,500})\s?\)",
    re.IGNORECASE,
)
_EMPTIED = re.compile(r"\s?\[\s{0,2}\](?!\()")
_BREAK = re.compile(r"\s?<br\s?/?>\s?", re.IGNORECASE)
_BADGE = re.compile(r"(?<!\[)!\[[^\[\]]{0,200}\]\([^()\s]{0,1000}\)")
_FIRST_SHORTCODES = {":ok:": "✔", ":ballot_box_with_check:": "☑", ":construction:": "🚧"}  # as the first
_IN_BRACKETS = re.compile(r"\[([^\[\]]{1,40})\]")
_BRACKETED_TAGS = re.compile(r"\s[-–—|]\s(?P<tags>\[[^\W\d][\w /&-]{0,30}\](?:,?\s?\[[^\W\d][\w /&-]{0,30}\]){0,6})$")
_LINKED_NOTE = re.compile(r"(?<!!)\[\[(?:[^\[\]|\n]{1,300}\|)?(?P<shown>[^\[\]|\n]{1,300})\]\](?!\()")
_LINKED_PERSON = re.compile(
    r"(?P<joint>[(（](?:joint(?:ly)? )?with |,\s|\sand )"
    r"[*_/]{0,2}\[(?P<name>[^\[\]]{4,40})\]\([^()\s]{1,500}\)[*_/]{0,2}"
)
_BESIDE = re.compile(r"(?:[^\w.。]|_){0,12}(?:(?:at|in|via|from|see|is|は|が|も)\W{0,3})?")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")
_MAY_FRAME, _COLON = re.compile("[\"'*_]"), re.compile(":")
_MAX_SHARED_CHARS = 1000
_SEPARATORS = ("，", "、", "。", "；", "（")
_LONG_LABEL = 2  # words
_CLAUSE_ENDS = ("，", "、", "。", "：")
_SEVERAL = 2
_NEAR_CHARS = 200


def read_piece(
    text: str,
    context: ItemContext,
    *,
    in_list: bool,
    references: bool = False,
    among_papers: bool = False,
    is_title: bool = False,
) -> list[ParsedEntry]:
    """Read a piece of a note into entries.

    `in_list`: a list item, where the words before an address are more often its title than in prose. `among_papers`:
    most items around are papers, so words without an address are a title. `is_title`: the items around are titles too.
    """
    text, tags = _take_tags(text)
    if tags:
        context = replace(context, topics=tuple(dict.fromkeys([*context.topics, *topics_of(tags)])))
    among_papers = among_papers or _is_noted(text)
    text = _BREAK.sub(" | ", text) if "<br" in text else text
    text = _LINKED_PERSON.sub(_name_of_person, text) if "with " in text else text
    full_text = text
    text = _without_local_links(_with_sign_first(_BADGE.sub("", text) if "![" in text else text))
    links = _without_badges(find_links(text))
    if not links:
        content = full_text if "]()" in full_text else text
        entry = read_wordless(
            content,
            context,
            references=references,
            among_papers=among_papers,
            in_list=in_list,
            is_title=is_title,
        )
        if references or only_cites(content):
            return [entry]
        is_item = in_list or among_papers or is_title
        return _read_titles_inside(content, entry, context, is_item=is_item) or [entry]
    words, status = take_reading(text)
    words = _LINKED_NOTE.sub(r"\g<shown>", words) if "]]" in words else words
    if words != text:
        text, links = words, _without_badges(find_links(words))
        context = replace(context, status=context.status or status)
    groups = group_links(text, links, in_list=in_list)
    in_list = in_list or (len(groups) == 1 and _is_reference(groups[0]))
    if not in_list:
        return _read_sentence(text, links, groups, context)
    if len(groups) == 1:
        return _numbered(_read_item(text, groups[0], context))
    shared_text = _shared_sentence(text, links)
    if topic := topic_before(groups[0]):
        context = replace(context, topics=tuple(dict.fromkeys([*context.topics, topic])))
    return _numbered([_read_one_of_many(group, shared_text, context, in_list=True) for group in groups])


def _take_tags(text: str) -> tuple[str, tuple[str, ...]]:
    text, tags = take_hashtags(text)
    if bracketed := _match_bracketed_tags(text):
        return text[: bracketed.start()], (*tags, *_IN_BRACKETS.findall(bracketed["tags"]))
    return text, tags


def _match_bracketed_tags(text: str) -> re.Match[str] | None:
    """Match the tags behind a dash at the end of an item: `[Title](address) - ICML 2016 - [RL] [Games]`."""
    match = _BRACKETED_TAGS.search(text, max(len(text) - _NEAR_CHARS, 0)) if text.endswith("]") else None
    if match is None or "](" not in text[: match.start()]:
        return None
    names = _IN_BRACKETS.findall(match["tags"])
    return None if any(role_from_label(name) or status_of(name) or match_venue(name) for name in names) else match


def read_signed(signed: SignedTitle, address: str, context: ItemContext) -> ParsedEntry:
    """Read an item whose list tells its title and authors. `address`: its text from an address of the work on."""
    groups = group_links(address, _without_badges(find_links(address)), in_list=True)
    head = take_head(signed.title)
    rest = [remark(group.after) for group in groups]
    item_text = ItemText(
        head.title,
        join_texts(*head.tags, signed.remark, *rest),
        venue=head.venue,
        year=signed.year or head.year,
        status=head.status,
        authors=signed.authors,
        rating=head.rating,
    )
    if not groups:
        return build_unlinked_entry(item_text, context)
    return build_entry(groups[0].main_link, item_text, context, groups[0].extras)


def _read_titles_inside(text: str, entry: ParsedEntry, context: ItemContext, *, is_item: bool) -> list[ParsedEntry]:
    """Read the titles that a sentence names, unless it was read as the only one of them.

    `is_item`: an item of a list, which is more often a remark with a quotation, or a title with one in it.
    """
    if entry.kind == "paper" and begins_with_authors(text, parse_citation(text)):
        return []  # a reference
    titles = find_titles(text)
    if entry.kind == "paper":
        if len(titles) == 1 and clean_title(titles[0].title) == entry.title:
            return [_with_found(entry, titles[0])]
        is_inside = len(titles) == 1 and _is_led_to(titles[0], entry.title)
        is_elsewhere = not is_item and not any(
            title.title in entry.title or entry.title in title.title for title in titles
        )
        is_several = sum(title.is_framed for title in titles) >= _SEVERAL
        titles = titles if is_inside or is_elsewhere or is_several else ()
    elif len(titles) == 1 and not titles[0].is_framed and clean_title(text) == clean_title(titles[0].title):
        titles = ()  # only words, which may be a heading
    elif is_item and entry.kind != "lead":
        titles = tuple(title for title in titles if title.is_framed or title.year or title.status)
    return _numbered([_build_found(title, text, entry.status, context) for title in titles])


def _with_found(entry: ParsedEntry, found: FoundTitle) -> ParsedEntry:
    known = entry.venue, entry.year, entry.status
    venue, year, status = entry.venue or found.venue, entry.year or found.year, entry.status or found.status
    return entry if (venue, year, status) == known else replace(entry, venue=venue, year=year, status=status)


def _is_led_to(found: FoundTitle, title: str) -> bool:
    """Return True if a title is only a part of the words read as one: `Next: Title`, `Ada presented “Title”`."""
    before, name, after = title.partition(found.title)
    before = before.strip()
    is_clause = not after and before.endswith(_CLAUSE_ENDS)  # `分散学習の基本、The Title`
    if not name or not (before or after):
        return False
    if not is_clause and CJK.search(before + after) and is_scholarly(before + after):
        return False
    is_labeled = before.endswith((":", "：")) and is_lead_in(before) and not _begins_title(before, found.title)
    is_before = not before or found.is_framed or is_labeled or is_foreign(before[-4:])
    is_after = not after or found.is_framed or after.startswith(_SEPARATORS) or is_foreign(after.strip()[:2])
    return bool(is_before and is_after)


def _begins_title(before: str, subtitle: str) -> bool:
    """Return True for `The trouble with looms: an analysis`, a whole title with the capitals of a sentence."""
    return before[:1].isupper() and len(before.split()) > _LONG_LABEL and not names_a_paper(subtitle)


def _build_found(found: FoundTitle, text: str, status: str | None, context: ItemContext) -> ParsedEntry:
    words = text if len(text) <= _MAX_SHARED_CHARS else ""
    item_text = _text_of(found, words)
    return build_unlinked_entry(replace(item_text, status=item_text.status or status), context)


def _text_of(found: FoundTitle, words: str) -> ItemText:
    return ItemText(found.title, words, venue=found.venue, year=found.year, status=found.status)


def _read_sentence(
    text: str, links: Sequence[TextLink], groups: Sequence[LinkGroup], context: ItemContext
) -> list[ParsedEntry]:
    """Read the addresses in running text with the titles beside them, and the titles without an address."""
    titles = find_titles(text, tuple((link.start, link.end) for link in links))
    if (start := _remark_start(text, groups)) is not None:
        titles = tuple(title for title in titles if title.start < start or title.is_framed)
    words = _shared_sentence(text, links)
    owners = _match_titles(text, titles, groups)
    owned = {id(title) for title in owners.values()}
    entries: list[tuple[int, ParsedEntry]] = []
    for index, group in enumerate(groups):
        entry_or_entries = _read_group(group, owners.get(index), words, context, is_only=len(groups) == 1)
        entries += [(group.links[0].start, entry) for entry in entry_or_entries]
    linked_titles = [entry.title for _, entry in entries]
    for title in titles:
        if id(title) not in owned and not any(title.title in linked_title for linked_title in linked_titles):
            entries.append((title.start, _build_found(title, words, None, context)))
    return _numbered([entry for _, entry in sorted(entries, key=lambda pair: pair[0])])


def _remark_start(text: str, groups: Sequence[LinkGroup]) -> int | None:
    """Return where the words about the only linked title begin: `[The Title](address): what it is, Venue, 2020`."""
    link = groups[0].title_link if len(groups) == 1 else None
    return (
        link.end
        if link and text[link.end :].lstrip(" )").startswith((":", "：", ", ", "- ", "– ", "— ", "by "))
        else None
    )


def _read_group(
    group: LinkGroup, title: FoundTitle | None, words: str, context: ItemContext, *, is_only: bool
) -> list[ParsedEntry]:
    if is_only:
        entries = _read_group_alone(group, context, in_list=False)
    else:
        entries = [_with_tag(_read_one_of_many(group, words, context, in_list=False), group.after)]
    if title is None or group.title_link is not None:
        return entries
    if clean_title(title.title) == entries[0].title:
        return [_with_found(entries[0], title), *entries[1:]]
    return [build_entry(group.main_link, _text_of(title, words), context, group.extras)]


def _with_tag(entry: ParsedEntry, after: str) -> ParsedEntry:
    """Return a paper with the venue behind it, up to the end of the sentence."""
    tag = find_tag_in(_SENTENCE_END.split(after, maxsplit=1)[0]) if entry.kind == "paper" and not entry.venue else None
    return replace(entry, venue=tag.venue, year=tag.year) if tag else entry


def _match_titles(text: str, titles: Sequence[FoundTitle], groups: Sequence[LinkGroup]) -> dict[int, FoundTitle]:
    """Return the title of each group of addresses by its index: the one beside it, or the only one of the text."""
    owners: dict[int, FoundTitle] = {}
    starts = [group.links[0].start for group in groups]
    are_titles_first = bool(titles) and titles[0].start < starts[0]
    for title in titles:
        below = bisect_left(starts, title.end)  # the first group after the title
        for index in (below, below - 1) if are_titles_first else (below - 1, below):
            if (
                0 <= index < len(groups)
                and index not in owners
                and not groups[index].title_link
                and _is_beside_title(text, title, groups[index])
            ):
                owners[index] = title
                break
    if not owners and len(titles) == len(groups) == 1 and groups[0].main_link.ref.scheme in STRONG:
        return {0: titles[0]}
    return owners


def _is_beside_title(text: str, title: FoundTitle, group: LinkGroup) -> bool:
    start, end = group.links[0].start, group.links[-1].end
    between = text[title.end : start] if title.end <= start else text[end : title.start]
    return (title.end <= start or end <= title.start) and _BESIDE.fullmatch(between) is not None


def merge_links(entry: ParsedEntry, added_links: Sequence[TextLink]) -> ParsedEntry:
    """Add links to a paper: other identifiers of the same work, its code, slides and the like."""
    names = dict.fromkeys(entry.identifiers)
    kind = entry.paper_kind
    schemes = {name.partition(":")[0] for name in names}
    for link in sorted(added_links, key=lambda one: one.ref.scheme not in STRONG):
        if is_own(link) and (link.ref.scheme not in schemes or link.ref.scheme not in STRONG):
            names[str(link.ref)] = None
            schemes.add(link.ref.scheme)
            kind = "paper"
    links = dict.fromkeys([*entry.links, *(link_to(link) for link in added_links if link.address)])
    reason = "" if names and entry.reason == UNLINKED else entry.reason
    return replace(entry, identifiers=tuple(names), links=tuple(links), paper_kind=kind, reason=reason)


def _is_reference(group: LinkGroup) -> bool:
    """Return True if the words before a link are those of a reference: the title, or authors and a year.

    Examples, anywhere in a text: `Title. Authors. [[pdf]](address)`, `Author, A. (2018). [Title](address). Journal.`,
    `Author, Ann & Writer, Ben. (2018). Title. Journal. 10.1000/x`
    """
    first = group.links[0]
    if first is group.title_link and dated_names(group.before):
        return True
    citation = parse_citation(group.before)
    if len(citation.authors) > 1 and begins_with_authors(group.before, citation) and YEAR.search(group.before):
        return True
    has_generic_link = any(calls_it_a_paper(link.text) for link in group.links if link.ref == first.ref)
    return has_generic_link and has_words(group.before)


def _read_item(text: str, group: LinkGroup, context: ItemContext) -> list[ParsedEntry]:
    """Read an item of a list with one address. Words around its title may say when and how it was read."""
    entries = _read_group_alone(group, context, in_list=True)
    if entries[0].kind != "paper" or group.title_link is not None or not _may_tell_more(text, entries[0]):
        return entries
    titles = find_titles(text, tuple((link.start, link.end) for link in group.links))
    if len(titles) != 1:
        return entries
    found = titles[0]
    if clean_title(found.title) == entries[0].title:
        return [_with_found(entries[0], found), *entries[1:]]
    if entries[0].title and not _is_led_to(found, entries[0].title):
        return entries
    return [build_entry(group.main_link, _text_of(found, entries[0].text), context, group.extras)]


def _may_tell_more(text: str, entry: ParsedEntry) -> bool:
    """Return False if the titles in a text can neither complete an entry nor be only a part of its title.

    The search would take a quarter of the time of a line with title, authors, venue and address.
    """
    title = entry.title
    is_complete = title in text and entry.venue and entry.year
    if not title or not is_complete or not title.isascii() or _MAY_FRAME.search(title):
        return True
    if any(is_lead_in(title[: colon.end()]) for colon in _COLON.finditer(title)):
        return True
    before, _, after = text.partition(title)
    return entry.status is None and may_state_status(before, after)


def _read_group_alone(group: LinkGroup, context: ItemContext, *, in_list: bool) -> list[ParsedEntry]:
    item_text = extract_text(group, in_list=in_list)
    if in_list and item_text.title and not has_name(group.main_link) and _is_beside(group.links, item_text):
        return [build_unlinked_entry(item_text, context, group.links)]
    entry = build_entry(group.main_link, item_text, context, group.extras)
    is_nameless = entry.kind == "lead" or (entry.kind == "paper" and not entry.title)
    if is_nameless and is_question(item_text.text):
        return [entry, read_wordless(item_text.text, replace(context, parent_text=""))]
    return [entry]


def _is_beside(links: Sequence[TextLink], item_text: ItemText) -> bool:
    """Return True if no link is the paper itself: own notes on it, an artifact, or anything else next to a venue."""
    if item_text.venue:
        return is_extra(links)
    labels = [link.text for link in links]
    return could_be_title(item_text.title) and all(
        _NOTES_ON_IT.fullmatch(label) or _ARTIFACT.fullmatch(label) for label in labels
    )


def _read_one_of_many(group: LinkGroup, sentence: str, context: ItemContext, *, in_list: bool) -> ParsedEntry:
    item_text = extract_text(group, in_list=False)
    text = sentence or remark(group.before[-_NEAR_CHARS:], group.after[:_NEAR_CHARS])
    if not in_list or not item_text.title:
        item_text = ItemText(item_text.title if group.title_link or in_list else "", text)
    return build_entry(group.main_link, item_text, context, group.extras)


def _without_badges(links: list[TextLink]) -> list[TextLink]:
    """Return the links without badge images, unless there are no others."""
    if len(links) == 1:
        return links
    useful = [link for link in links if not _is_picture(link)]
    return useful or links


def _is_picture(link: TextLink) -> bool:
    return link.paper_kind == "page" and urls.junk_reason(link.address) == urls.PICTURE


def _with_sign_first(text: str) -> str:
    """Replace a shortcode before a title, such as :ok:, by its emoji."""
    for code, sign in _FIRST_SHORTCODES.items() if text.startswith(":") else ():
        text = sign + text.removeprefix(code) if text.startswith(code) else text
    return text


def _without_local_links(text: str) -> str:
    """Replace links to anchors and local files by their words, without generic words."""
    if "](" not in text:
        return text
    return _EMPTIED.sub("", _LOCAL.sub(_local_words, text) if _may_link_locally(text) else text)


def _may_link_locally(text: str) -> bool:
    links = text.count("](")
    return links > 0 and links > text.count("](https://") + text.count("](http://")


def _name_of_person(link: re.Match[str]) -> str:
    """Replace the link to a person's page by the name, as in `(with [Ada Lovelace](address))`."""
    return f"{link['joint']}{link['name']}" if is_name(link["name"]) else link[0]


def _is_noted(text: str) -> bool:
    """Return True for `Title [[note]](a.md)`: own notes on the paper exist in another file."""
    links = _LOCAL.finditer(text) if _may_link_locally(text) else ()
    return any(_NOTES_ON_IT.fullmatch((link["label"] or link["inner"] or "").strip()) for link in links)


def _local_words(link: re.Match[str]) -> str:
    where, label = link["where"], link["label"] or link["inner"] or ""
    if where.startswith("#") or where.casefold().partition("#")[0].endswith(".pdf"):
        return link[0]
    if not role_from_label(label):
        return label
    return "" if where else link[0]  # `[pdf]()` tells that the address is missing


def _shared_sentence(text: str, links: Sequence[TextLink]) -> str:
    """Return the sentence shared by several links, "" if there is none or it is too long."""
    texts = split_around_links(text, links)
    if len(text) > _MAX_SHARED_CHARS or not remark(*texts):
        return ""
    labels = [link.label or (text[link.start : link.end] if not link.address else "…") for link in links]
    return "".join(part + name for part, name in zip(texts, [*labels, ""], strict=True)).strip()


def _numbered(entries: Iterable[ParsedEntry]) -> list[ParsedEntry]:
    return [entry if part == 1 else replace(entry, part=part) for part, entry in enumerate(entries, 1)]
