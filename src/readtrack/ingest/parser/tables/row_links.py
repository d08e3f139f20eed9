"""Links of table rows: the paper's own link, supplementary ones, and other papers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from readtrack.infra.text import urls
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_roles import OWN, STRONG, calls_it_a_paper, is_own, role_from_label
from readtrack.ingest.parser.tables.cells import TableCell, name_of
from readtrack.ingest.parser.tables.columns import Columns

_ABOUT_IT = frozenset({"code", "media", "picture", "notes", "abstract", "rating", "topic"})
_PEOPLE = frozenset({"authors", "affiliation"})
_ELSEWHERE = frozenset({"video", "slides", "code", "article"})


@dataclass(frozen=True)
class RowLink:
    """A link. `is_name`: its text is a name. `is_own`: it may lead to the paper itself."""

    link: TextLink
    role: str
    is_name: bool
    is_own: bool

    @property
    def paper(self) -> bool:
        return self.link.paper_kind == "paper"

    @property
    def strong(self) -> bool:
        """True if its identifier is always that of a paper."""
        return self.paper and self.link.ref.scheme in STRONG


class RowLinks(NamedTuple):
    """The links of a row.

    `cited`: other papers that the row names. `titled`: a page linked by the title, if it is not the main link.
    """

    main: TextLink | None = None
    extras: tuple[TextLink, ...] = ()
    cited: tuple[TextLink, ...] = ()
    is_own: bool = False  # the main link is called the paper, or is linked by the title
    is_remark: bool = False  # the main link is only in a remark
    titled: TextLink | None = None


def links_of(cells: Sequence[TableCell], columns: Columns) -> Iterator[RowLink]:
    """Yield all links except those to people and junk."""
    for index, cell in enumerate(cells):
        role = columns.role(index)
        for text_link in cell.iter_links if role not in _PEOPLE else ():
            is_named = bool(name_of(text_link))
            is_leading = role == "notes" and text_link.label and not cell.text[: text_link.start].strip()
            link = RowLink(
                text_link, role, is_named, _may_be_own(text_link, "link" if is_leading else role, is_named=is_named)
            )
            if text_link.ref.scheme != "url" or link.strong or not urls.junk_reason(text_link.address):
                yield link


def sort_row_links(links: Sequence[RowLink]) -> RowLinks:
    """Return the paper's own link, supplementary links, and other papers of the row."""
    if not links:
        return RowLinks()
    main = max(links, key=_claim)
    others = [link for link in links if link.link.ref != main.link.ref]
    extras = tuple(_as_extra(link) for link in others if _belongs(link, main))
    other_works = {link.link.ref: link.link for link in others if not _belongs(link, main)}
    title_page = next((link.link for link in others if link.role == "title" and link.is_name and not link.paper), None)
    remark = not main.is_own and main.role == "notes"
    return RowLinks(main.link, extras, tuple(other_works.values()), main.is_own, is_remark=remark, titled=title_page)


def _may_be_own(link: TextLink, role: str, *, is_named: bool) -> bool:
    if role == "title" and is_named:
        return True
    is_called_paper = calls_it_a_paper(link.label or "")
    return is_called_paper or (role not in _ABOUT_IT and is_own(link))


def _belongs(link: RowLink, main: RowLink) -> bool:
    """Return True for another identifier of the same work: no name of its own, and another scheme."""
    if not link.strong:
        return True
    if link.is_name or (link.role == "notes" and not link.is_own):
        return False
    return not is_own(link.link) or link.link.ref.scheme != main.link.ref.scheme


def _as_extra(link: RowLink) -> TextLink:
    """Return the link as a supplement: a PDF with another name is not the paper."""
    return replace(link.link, paper_kind="page") if link.paper and not link.strong and not link.is_own else link.link


def _claim(link: RowLink) -> tuple[bool, ...]:
    """Return a sort key: an identifier before a PDF, a PDF before a page, [Paper] before a name."""
    says_paper = not link.is_name and role_from_label(link.link.label or "") == OWN
    return (
        link.is_own and link.strong and (link.role == "title" or not link.is_name),
        link.is_own and link.strong,
        link.is_own and link.paper,
        link.is_own and link.role == "title",
        link.is_own,
        link.role not in _ABOUT_IT and says_paper,
        link.strong,
        not link.is_own and link.link.paper_kind not in _ELSEWHERE and link.role not in _ABOUT_IT,
        not link.is_own and link.link.paper_kind == "video",
        not link.is_own and link.link.paper_kind == "code",
    )
