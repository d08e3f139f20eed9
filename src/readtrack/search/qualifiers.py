"""The table of search filters such as `year:2020..2024`, also used by help and autocompletion."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import DEPTHS, PAPER_KINDS, RELATIONS, STATUSES
from readtrack.metadata import sources
from readtrack.search import values
from readtrack.search.ast import Node, QueryError, Sort
from readtrack.search.values import QualifierKind, ValueReader, ValueToken

# E.g. sort:near(arxiv:2305.15778).
NEAR = re.compile(
    r"near\((?:\"(?P<quoted>[^\"]{1,300})\"|(?P<bare>[^()\s\"]{1,300}))\)(?P<way>-asc|-desc|)", re.IGNORECASE
)
SORTED: Mapping[str, bool] = {  # Sort keys, and True if the default direction is descending.
    "relevance": True,
    "added": True,
    "updated": True,
    "year": True,
    "title": False,
    "status": False,
    "readers": True,
    "due": False,
}
# Searchable text fields.
FIELDS = ("title", "author", "abstract", "venue", "topic", "note", "id", "summary", "comment")
TEXTS, ABOUT, READING, TEAM, TIMES, LIST = (
    N_("Text fields"),
    N_("Details"),
    N_("Reading status"),
    N_("Team"),
    N_("Dates"),
    N_("Sort"),
)


@dataclass(frozen=True)
class Qualifier:
    """A filter.

    `read` converts its values to a condition; `allowed_words` are the allowed values if they can be listed. `offers` is
    what autocompletion suggests: people, topics, venues and so on. `expansion` is the filter it abbreviates.
    """

    name: str
    group: str
    help: str
    example: str
    read: ValueReader
    allowed_words: tuple[str, ...] = ()
    offers: str = ""
    expansion: str = ""

    @property
    def kind(self) -> QualifierKind:
        """Return the properties its reader needs."""
        return QualifierKind(self.name, self.expansion or self.name, self.example, self.allowed_words)

    def condition(self, tokens: Sequence[ValueToken]) -> Node | None:
        """Return the condition for the values. Raise QueryError if one is invalid."""
        return self.read(self.kind, tokens)


def unknown_qualifier(name: str, position: int) -> QueryError:
    """Return the error for an unknown filter."""
    close_matches = get_close_matches(name.casefold(), QUALIFIERS, 1)
    if close_matches:
        message = _("Unknown filter `{name}:`. Did you mean `{word}:`?").format(name=name, word=close_matches[0])
    else:
        message = _("Unknown filter `{name}:`. To search for the text, put it in quotes.").format(name=name)
    suggestion = f"{close_matches[0]}:" if close_matches else None
    return QueryError(message, position=position, length=len(name) + 1, suggestion=suggestion)


def is_sort_key(text: str) -> bool:
    """Return True if a list can be sorted by this key: `title`, `title-desc` etc."""
    return text in _SORTS


def parse_sort(tokens: Sequence[ValueToken]) -> Sort:
    """Return the order requested by `sort:`. Raise QueryError if it is invalid."""
    if len(tokens) > 1:
        raise values.value_error(tokens[1], _("`{name}:` takes only one value.").format(name="sort"))
    if near_match := NEAR.fullmatch(tokens[0].text):
        return Sort("near", near_match["way"].lower() != "-asc", _parse_near_identifier(near_match, tokens[0]))
    field, _separator, direction = values.parse_listed_word(QUALIFIERS["sort"].kind, tokens[0]).partition("-")
    return Sort(field, descending=direction == "desc" if direction else SORTED[field])


def _parse_near_identifier(near_match: re.Match[str], token: ValueToken) -> str:
    """Return the identifier of the reference paper. Raise QueryError if it is invalid."""
    ref = sources.parse_ref(near_match["quoted"] or near_match["bare"])
    if ref is None:
        raise values.value_error(
            token,
            _("`sort:near(…)` needs an arXiv ID, a DOI or a link, as in `{example}`.").format(example=_NEAR_EXAMPLE),
        )
    return str(ref)


_NEAR_EXAMPLE = "sort:near(arxiv:2305.15778)"
_HAVING = (
    *("summary", "pdf", "code", "slides", "video"),
    *("discussion", "question", "topic", "abstract", "duplicate"),
)
_BEING = (
    *("inbox", "library", "rejected", "assigned", "overdue"),
    *("mine", "private", "stale", "failed"),
)
_SORTS = tuple(field + direction for field in SORTED for direction in ("", "-asc", "-desc"))
_EITHER = ("any", "none")
_PLACES = (  # Names of all sources, listed here because importing them is slow; a test compares.
    "arxiv", "doi", "usenix", "aaai", "acl", "acm", "cvf", "ieee", "jmlr", "mlsys", "neurips", "nips", "openreview",
    "pmlr", "pvldb", "s2", "github", "youtube", "hf", "speakerdeck", "wechat", "zenn", "zhihu", "url",
)  # fmt: skip
_TABLE = (
    Qualifier("title", TEXTS, N_("Title"), "title:attention", values.parse_text),
    Qualifier("author", TEXTS, N_("Authors"), 'author:"Jane Doe"', values.parse_text),
    Qualifier("abstract", TEXTS, N_("Abstract"), 'abstract:"all reduce"', values.parse_text),
    Qualifier("venue", TEXTS, N_("Venue"), "venue:nsdi", values.parse_text, offers="venue"),
    Qualifier("summary", TEXTS, N_("Summaries"), "summary:elegant", values.parse_text),
    Qualifier("comment", TEXTS, N_("Discussion"), "comment:overlap", values.parse_text),
    Qualifier("note", TEXTS, N_("Notes"), "note:分散学習", values.parse_text),
    Qualifier(
        "in",
        TEXTS,
        N_("Fields to search (default: all except discussion)"),
        "in:title,author",
        values.parse_words,
        FIELDS,
    ),
    Qualifier(
        "han",
        TEXTS,
        N_("Han characters: match `all` variants (simplified, traditional, Japanese) or the `same` as typed"),
        "han:all",
        values.parse_single_word,
        ("all", "same"),
    ),
    Qualifier(
        "topic",
        ABOUT,
        N_("Topic and its subtopics: a name, alias or slug"),
        "topic:checkpointing",
        values.parse_names,
        _EITHER,
        offers="topic",
    ),
    Qualifier("tag", ABOUT, N_("Same as `topic:`"), "tag:moe", values.parse_names, _EITHER, "topic", "topic"),
    Qualifier("kind", ABOUT, N_("Type"), "kind:video,slides", values.parse_words, PAPER_KINDS),
    Qualifier(
        "year",
        ABOUT,
        N_("Year"),
        "year:2020..2024",
        values.parse_numbers,
        _EITHER,
    ),
    Qualifier(
        "lang",
        ABOUT,
        N_("Language code, as in `ja` or `zh`"),
        "lang:ja,zh",
        values.parse_languages,
        ("none",),
        "lang",
    ),
    Qualifier("id", ABOUT, N_("Identifier or link"), "id:2305.15778", values.parse_identifiers),
    Qualifier("arxiv", ABOUT, N_("arXiv ID"), "arxiv:2305.15778", values.parse_identifiers, expansion="id"),
    Qualifier("doi", ABOUT, N_("DOI"), "doi:10.1145/3627703.3650085", values.parse_identifiers, expansion="id"),
    Qualifier(
        "source",
        ABOUT,
        N_("Site of an identifier"),
        "source:arxiv",
        values.parse_words,
        _PLACES,
    ),
    Qualifier("host", ABOUT, N_("Host of a link, including subdomains"), "host:github.com", values.parse_hosts),
    Qualifier(
        "link",
        ABOUT,
        N_("Relation to another paper; `any` and `none` count both directions"),
        "link:extends",
        values.parse_words,
        (*RELATIONS, *_EITHER),
    ),
    Qualifier(
        "import",
        ABOUT,
        N_("Imported note: number or title"),
        "import:12",
        values.parse_names,
        (),
        "import",
    ),
    Qualifier("has", ABOUT, N_("Has"), "has:summary", values.parse_words, _HAVING),
    Qualifier("no", ABOUT, N_("Doesn't have"), "no:topic", values.parse_words, _HAVING),
    Qualifier(
        "status",
        READING,
        N_("Your status, or that of the person in `by:`"),
        "status:to_read,reading",
        values.parse_words,
        (*STATUSES, *_EITHER),
    ),
    Qualifier(
        "by",
        READING,
        N_("Whose status, dates and progress to use: `@me`, `@team` or a name"),
        "by:@team",
        values.parse_people,
        (),
        "person",
    ),
    Qualifier(
        "readers",
        READING,
        N_("Number of people who finished it, as far as you can see"),
        "readers:>=2",
        values.parse_numbers,
    ),
    Qualifier("unread-by", READING, N_("Not finished by"), "unread-by:@me", values.parse_people, (), "person"),
    Qualifier(
        "depth",
        READING,
        N_("Reading depth"),
        "depth:studied",
        values.parse_words,
        (*DEPTHS, "none"),
    ),
    Qualifier("progress", READING, N_("Progress in percent"), "progress:>50", values.parse_numbers, _EITHER),
    Qualifier(
        "is",
        TEAM,
        N_(
            "Team triage: `inbox`, `library`, `rejected`; `assigned` or `overdue`; `mine`: added by "
            "you; `private`: with a reading or summary only you can see; `stale`: reading, no "
            "activity for 3 weeks; `failed`: no metadata found"
        ),
        "is:inbox",
        values.parse_words,
        _BEING,
    ),
    Qualifier("assignee", TEAM, N_("Assignee"), "assignee:@me", values.parse_people, _EITHER, "person"),
    Qualifier(
        "due",
        TEAM,
        N_("Due date of an assignment; `due:<1w`: within a week or overdue"),
        "due:<1w",
        values.parse_times,
        _EITHER,
    ),
    Qualifier(
        "meeting",
        TEAM,
        N_("On the agenda of this meeting: its number or `next`"),
        "meeting:next",
        values.parse_names,
        ("next", *_EITHER),
        "meeting",
    ),
    Qualifier(
        "mentions",
        TEAM,
        N_("Mentioned in summaries or discussion"),
        "mentions:@me",
        values.parse_people,
        (),
        "person",
    ),
    Qualifier(
        "involves",
        TEAM,
        N_("Added, read, assigned, presented, written or asked about by"),
        "involves:@me",
        values.parse_people,
        (),
        "person",
    ),
    Qualifier("added", TIMES, N_("Date added"), "added:<2w", values.parse_times),
    Qualifier("updated", TIMES, N_("Date metadata changed"), "updated:>=2024-05", values.parse_times),
    Qualifier(
        "read", TIMES, N_("Date finished, by you or the person in `by:`"), "read:2024", values.parse_times, _EITHER
    ),
    Qualifier(
        "published",
        TIMES,
        N_("Publication date"),
        "published:2024-01..2024-06",
        values.parse_times,
        _EITHER,
    ),
    Qualifier(
        "sort",
        LIST,
        N_("Sort order; `near(arxiv:2305.15778)`: most similar to that paper first"),
        "sort:year-desc",
        lambda _kind, _values: None,
        _SORTS,
    ),
)
QUALIFIERS = {qualifier.name: qualifier for qualifier in _TABLE}
