"""A work as described in a bibliography, and the entry built from it."""

from dataclasses import dataclass, field, replace

from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry, build_unlinked_entry
from readtrack.ingest.parser.items.find_links import TextLink, find_links

NAMELESS = "The entry gives neither a title nor an address; nothing can be made of it until somebody adds one."
_ABOUT_IT = frozenset({"code", "video", "slides"})  # kinds of material about a paper, never the paper itself


@dataclass(frozen=True)
class BibliographyWork:
    """A work in a bibliography.

    `addresses`: what identifies the work, most reliable first; `others`: further links. `kind`: "" for a paper or
    unknown. `on_the_web`: treat it as a web page unless its identifier says otherwise.
    """

    title: str = ""
    told: ItemText = field(default_factory=ItemText)
    addresses: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    kind: str = ""
    on_the_web: bool = False
    fault: str = ""
    key: str = ""


def entry_of(work: BibliographyWork, place: ItemContext) -> ParsedEntry:
    """Build the entry of the work. It is flagged for review if the bibliography entry is broken."""
    place = replace(place, topics=tuple(dict.fromkeys([*place.topics, *work.topics])))
    told = replace(work.told, title=work.title)
    main, extras = choose_links(work)
    made = build_entry(main, told, place, extras) if main else build_unlinked_entry(told, place, extras)
    if made.kind == "paper" and not made.title:
        made = replace(made, title=work.title)
    if not main and not made.title:
        return replace(made, kind="lead", paper_kind="", decision="review", reason=NAMELESS)
    if work.kind and made.kind == "paper" and not _is_strong(main):
        made = replace(made, paper_kind=work.kind)
    return replace(made, decision="review", reason=work.fault) if work.fault and made.kind == "paper" else made


def choose_links(work: BibliographyWork) -> tuple[TextLink | None, list[TextLink]]:
    """Return the link that identifies the work, and its other links."""
    found = [each for text in work.addresses for each in find_links(text)]
    strong = [each for each in found if _is_strong(each)]
    main = next(iter(strong or found), None)
    others = [each for text in work.others for each in find_links(text)]
    if main and not work.on_the_web:
        main = None if main.paper_kind in _ABOUT_IT else replace(main, paper_kind="paper")
    rest = {each.ref: each for each in (*strong[1:], *found, *others) if main is None or each.ref != main.ref}
    return main, list(rest.values())


def _is_strong(found: TextLink | None) -> bool:
    return found is not None and found.paper_kind == "paper" and found.ref.scheme != "url"
