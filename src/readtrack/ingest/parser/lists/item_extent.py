"""Where an item ends, and which items are nested below it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import is_broken_off
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.headings.headlines import weak
from readtrack.ingest.parser.headings.lines_below import find_labeled_address
from readtrack.ingest.parser.headings.properties import is_property
from readtrack.ingest.parser.headings.venues_below_addresses import venue_below_address
from readtrack.ingest.parser.items.find_links import TextLink, is_bare, split_around_links
from readtrack.ingest.parser.items.link_groups import has_words, is_extra
from readtrack.ingest.parser.items.link_roles import OWN, calls_it_a_paper, role_from_label
from readtrack.ingest.parser.items.subjects import is_question, is_task
from readtrack.ingest.parser.lists.list_contents import MIN_SIBLINGS, MIN_TITLE_SPACES
from readtrack.ingest.parser.lists.list_items import BULLET, is_bullet, text_of_item
from readtrack.ingest.parser.lists.nested_details import FIELD, read_place, says_where
from readtrack.ingest.parser.vocabulary.author_names import names_in, part_rest

_MIN_NUMBERED_WORDS, _MAX_WRAPPED = 2, 4
_TALK = re.compile(r"(?:we|i|you|it|they|this|that|these|those|here|there|let|my|our|please)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\d|[(（\[]\d")
_AUTHORS = re.compile(r"(?P<mark>[*_])(?P<names>[^*_]{5,600})(?P=mark)")
_QUOTATION = re.compile(r"[“\"][*_]{0,3}[^“”\"]{12,300}[”\"]\.?")  # the title below a link that only cites
_OF_ADDRESS = frozenset({"link", "paper"})
_CLOSES = re.compile(r"[^()]{0,300}\)")
_MAX_CONTINUED = 50
_WRAPPED_AT, _LAST_WORDS = 45, 3  # of a title whose last words are on the next line
_MAX_ABSORBED = 200
_OTHER_SHAPES = ("```", "~~~", "|", "#", ">", "<")


def find_item_end(page: NoteDocument, start: int, *, has_address: bool) -> int:
    """Return the index after the item.

    Deeper lines without a bullet continue it. A line with a second address is an entry of its own.
    """
    end = start + 1
    while end < min(len(page.lines), start + _MAX_CONTINUED):
        text = page.text(end)
        if not text or is_bullet(text) or text.startswith(("```", "|", "#", ">", "<")) or is_property(text):
            break
        links = page.links_at(end)
        is_deeper = page.lines[end].indent > page.lines[start].indent
        is_detail = is_deeper and not has_address and _is_detail(page.text(end - 1), text)
        if is_detail and not (_has_address_after(page, start, end) or _is_in_bold(page, start, end)):
            break
        if not is_deeper and not (
            _breaks_off(page.text(end - 1), text, has_address=has_address)
            or (not has_address and (_only_links(text, links) or _leads_to_address(page, start, end)))
            or (not has_address and (_begins_with_paper(text, links) or _says_where_and_links(text, links)))
            or (has_address and (_QUOTATION.fullmatch(text) or _holds_only_extras(text, links)))
        ):
            break
        if links and has_address and is_bare(text, links):
            break
        if not has_address and weak(page, end) and is_bullet(page.text(end + 1)):
            break  # a bold line that heads nested items
        has_address = has_address or bool(links)
        end += 1
    return end


def _is_detail(above: str, text: str) -> bool:
    """Return True for a line of its own with the authors or the venue of the item above, which is complete."""
    if is_broken_off(above) or above.endswith((",", "，", ":", "：", "-")):
        return False
    return FIELD.fullmatch(text) is not None or says_where(text) or len(part_rest(text).authors) > 1


def _is_in_bold(page: NoteDocument, start: int, end: int) -> bool:
    """Return True for a title in bold over several lines, behind which its reference goes on."""
    return end > start + 1 and text_of_item(page, start).startswith("**") and page.text(end - 1).endswith("**")


def _has_address_after(page: NoteDocument, start: int, index: int) -> bool:
    """Return True if an address follows in the deeper lines of the item, as its last line."""
    for position in range(index, index + _MAX_WRAPPED):
        text = page.text(position)
        if not text or is_bullet(text) or page.lines[position].indent <= page.lines[start].indent:
            return False
        if page.links_at(position):
            return True
    return False


def _leads_to_address(page: NoteDocument, start: int, index: int) -> bool:
    """Return True for an unindented address of the item, or a line of its title or venue above that address.

    Three addresses below an item are a list that it heads.
    """
    item = page.text(start)
    mark = BULLET.match(item)
    title = item[mark.end() :] if mark else item
    is_numbered = mark is not None and _NUMBERED.match(item) is not None
    if len(title.split()) < (_MIN_NUMBERED_WORDS if is_numbered else MIN_TITLE_SPACES + 1):
        return False
    if title.endswith(("。", "．")) or _TALK.match(title) or is_task(title) or is_question(title):
        return False
    for position in range(index, index + _MAX_WRAPPED):
        text, above = page.text(position), page.text(position - 1)
        if is_bare(text, page.links_at(position)):
            return _count_addresses(page, position) < MIN_SIBLINGS
        is_wrapped = text[:1].islower() or is_broken_off(above) or above.endswith((",", ":", "-"))
        is_wrapped = is_wrapped or (is_numbered and len(above) > _WRAPPED_AT and len(text.split()) <= _LAST_WORDS)
        if not text or is_bullet(text) or text.startswith(_OTHER_SHAPES) or not (is_wrapped or says_where(text)):
            return False
    return False


def _count_addresses(page: NoteDocument, start: int) -> int:
    """Return the number of bare addresses from a line on, at most three."""
    index = start
    while index < start + MIN_SIBLINGS and is_bare(page.text(index), page.links_at(index)):
        index += 1
    return index - start


def _only_links(text: str, links: Sequence[TextLink]) -> bool:
    """Return True for unindented links that belong to the item: `[[Paper](address)] [[Code](address)]`."""
    has_role_labels = all(link.label is not None and role_from_label(link.label) for link in links)
    return bool(links) and has_role_labels and not has_words(" ".join(split_around_links(text, list(links))))


def _holds_only_extras(text: str, links: Sequence[TextLink]) -> bool:
    """Return True for unindented links to the code, slides or video of the item, or `Code: https://…`."""
    if len(links) == 1 and links[0].label is None and not has_words(text[links[0].end :]):
        label = text[: links[0].start].strip(" :：*")
        return bool(label) and is_extra([replace(links[0], label=label)])
    return _only_links(text, links) and is_extra(links)


def _begins_with_paper(text: str, links: Sequence[TextLink]) -> bool:
    """Return True for an unindented link to the paper with remarks behind it: `[[Paper](address)] 2024.11 …`."""
    return bool(links) and calls_it_a_paper(links[0].label or "") and not has_words(text[: links[0].start])


def _says_where_and_links(text: str, links: Sequence[TextLink]) -> bool:
    """Return True for an unindented address with its label, or venue and year before a link to the paper.

    Examples: `Link: https://…`, `ICRA 2017 [[Article](address)]`, `「2017」「ICRA」 [[Article](address)]`
    """
    if not links or find_labeled_address(text, _OF_ADDRESS):
        return bool(links)
    words = text[: links[0].start].rstrip(" [(（【")
    return role_from_label(links[0].label or "") == OWN and read_place(words) is not None


def _breaks_off(above: str, below: str, *, has_address: bool) -> bool:
    """Return True if the line above is incomplete, or the line below lists authors."""
    if (authors := _AUTHORS.match(below)) and names_in(authors["names"]):
        return True
    if has_address:
        return False
    return bool(
        above.count("**") % 2 == 1
        or _leaves_quotation_open(above)
        or (len(above) > _WRAPPED_AT and above.rfind("(") > above.rfind(")") and _CLOSES.match(below))
        or (is_broken_off(above) and " " in above)
        or (below[0].islower() and above.endswith((",", "-")))
    )


def _leaves_quotation_open(text: str) -> bool:
    return (text.count('"') % 2 == 1 and ' "' in text) or text.count("“") > text.count("”")


def iter_nested_items(page: NoteDocument, line_index: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each deeper item below. A single blank line does not end the list."""
    index = end
    for _ in range(_MAX_ABSORBED):
        start = index + (not page.text(index))
        is_deeper = page.lines[min(start, len(page.lines) - 1)].indent > page.lines[line_index].indent
        if (
            not page.text(start)
            or not (is_deeper or _is_next_detail(page, line_index, start))
            or page.text(start).startswith(_OTHER_SHAPES)
        ):
            return
        index = find_item_end(page, start, has_address=bool(page.links_at(start)))
        yield start, index


def _is_next_detail(page: NoteDocument, item_index: int, index: int) -> bool:
    """Return True for an unindented venue directly below the address of an item, or a further address."""
    if index - 1 <= item_index:
        return False
    is_address, is_below = (is_bare(page.text(line), page.links_at(line)) for line in (index, index - 1))
    if not is_address:
        return is_below and venue_below_address(page, index) is not None
    return is_below or (index - 2 > item_index and venue_below_address(page, index - 1) is not None)


def join_item_lines(page: NoteDocument, start: int, end: int) -> str:
    return " ".join([text_of_item(page, start), *(text_of_line(page, index) for index in range(start + 1, end))])


def text_of_line(page: NoteDocument, index: int) -> str:
    """Return the text of a line that continues an item, of `Link: https://…` only the address."""
    text = page.text(index)
    return find_labeled_address(text, _OF_ADDRESS) or text


def has_nested_items(page: NoteDocument, start: int) -> bool:
    below = start + 1 if page.text(start + 1) else start + 2
    return bool(page.text(below)) and page.lines[below].indent > page.lines[start].indent
