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
    N_("Words"),
    N_("What it is"),
    N_("Who reads it"),
    N_("What the team does"),
    N_("When"),
    N_("The list"),
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
    template = _("Did you mean `{name}:`?")
    hint = template.format(name=close_matches[0]) if close_matches else _("To find it as text, put it in quotes.")
    message = _("`{name}:` is not a filter.").format(name=name)
    suggestion = f"{close_matches[0]}:" if close_matches else None
    return QueryError(f"{message} {hint}", position=position, length=len(name) + 1, suggestion=suggestion)


def is_sort_key(text: str) -> bool:
    """Return True if a list can be sorted by this key: `title`, `title-desc` etc."""
    return text in _SORTS


def parse_sort(tokens: Sequence[ValueToken]) -> Sort:
    """Return the order requested by `sort:`. Raise QueryError if it is invalid."""
    if len(tokens) > 1:
        raise values.value_error(tokens[1], _("`sort:` takes one order only."))
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
            _("`sort:near(…)` takes an arXiv number, a DOI or an address, as in `{example}`.").format(
                example=_NEAR_EXAMPLE
            ),
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
    Qualifier("title", TEXTS, N_("Words in the title."), "title:attention", values.parse_text),
    Qualifier("author", TEXTS, N_("Words in the authors' names."), 'author:"Jane Doe"', values.parse_text),
    Qualifier("abstract", TEXTS, N_("Words in the abstract."), 'abstract:"all reduce"', values.parse_text),
    Qualifier(
        "venue", TEXTS, N_("Words in the name of where it came out."), "venue:nsdi", values.parse_text, offers="venue"
    ),
    Qualifier("summary", TEXTS, N_("Words in a summary that you may read."), "summary:elegant", values.parse_text),
    Qualifier("comment", TEXTS, N_("Words in its discussion."), "comment:overlap", values.parse_text),
    Qualifier("note", TEXTS, N_("Words in the notes it came from."), "note:分散学習", values.parse_text),
    Qualifier(
        "in",
        TEXTS,
        N_("Where plain words are looked for, in place of everywhere but the discussion."),
        "in:title,author",
        values.parse_words,
        FIELDS,
    ),
    Qualifier(
        "han",
        TEXTS,
        N_("In which forms of Han characters: `all` (simplified, traditional, Japanese), or the `same` as typed."),
        "han:all",
        values.parse_single_word,
        ("all", "same"),
    ),
    Qualifier(
        "topic",
        ABOUT,
        N_("Filed under this topic or one below it: a name, alias or slug; `any` or `none`."),
        "topic:checkpointing",
        values.parse_names,
        _EITHER,
        offers="topic",
    ),
    Qualifier("tag", ABOUT, N_("The same as `topic:`."), "tag:moe", values.parse_names, _EITHER, "topic", "topic"),
    Qualifier("kind", ABOUT, N_("What it is."), "kind:video,slides", values.parse_words, PAPER_KINDS),
    Qualifier(
        "year",
        ABOUT,
        N_("The year it came out: a year, a range, `any` or `none`."),
        "year:2020..2024",
        values.parse_numbers,
        _EITHER,
    ),
    Qualifier(
        "lang",
        ABOUT,
        N_("Its language, or `none` when nobody said."),
        "lang:ja,zh",
        values.parse_languages,
        ("none",),
        "lang",
    ),
    Qualifier(
        "id", ABOUT, N_("An identifier or the address it stands for."), "id:2305.15778", values.parse_identifiers
    ),
    Qualifier("arxiv", ABOUT, N_("An arXiv number."), "arxiv:2305.15778", values.parse_identifiers, expansion="id"),
    Qualifier("doi", ABOUT, N_("A DOI."), "doi:10.1145/3627703.3650085", values.parse_identifiers, expansion="id"),
    Qualifier(
        "source",
        ABOUT,
        N_("The site that an identifier of it belongs to."),
        "source:arxiv",
        values.parse_words,
        _PLACES,
    ),
    Qualifier("host", ABOUT, N_("The host of a link of it, or one below that."), "host:github.com", values.parse_hosts),
    Qualifier(
        "link",
        ABOUT,
        N_("It does this to another paper: cites it, extends it …; `any` or `none`, from either side."),
        "link:extends",
        values.parse_words,
        (*RELATIONS, *_EITHER),
    ),
    Qualifier(
        "import",
        ABOUT,
        N_("The notes it came from: their number or title."),
        "import:12",
        values.parse_names,
        (),
        "import",
    ),
    Qualifier("has", ABOUT, N_("What it has."), "has:summary", values.parse_words, _HAVING),
    Qualifier("no", ABOUT, N_("What it lacks."), "no:topic", values.parse_words, _HAVING),
    Qualifier(
        "status",
        READING,
        N_("Where you stand with it, or whom `by:` names; `any` is on the list, `none` is not."),
        "status:to_read,reading",
        values.parse_words,
        (*STATUSES, *_EITHER),
    ),
    Qualifier(
        "by",
        READING,
        N_("Whose reading is meant by what stands beside it: `@me`, `@team` or a name; alone, on whose list it is."),
        "by:@team",
        values.parse_people,
        (),
        "person",
    ),
    Qualifier(
        "readers",
        READING,
        N_("How many people finished it, as far as you may know."),
        "readers:>=2",
        values.parse_numbers,
    ),
    Qualifier("unread-by", READING, N_("Who has not finished it."), "unread-by:@me", values.parse_people, (), "person"),
    Qualifier(
        "depth",
        READING,
        N_("How deep a finished reading was; `none` when nobody said."),
        "depth:studied",
        values.parse_words,
        (*DEPTHS, "none"),
    ),
    Qualifier(
        "progress", READING, N_("How far the reading is, in percent."), "progress:>50", values.parse_numbers, _EITHER
    ),
    Qualifier(
        "is",
        TEAM,
        N_(
            "Where the team has it (`inbox`, `library`, `rejected`); `assigned` to somebody, or `overdue`; `mine`: "
            "added by you; `private`: with a reading or summary that only you see; `stale`: being read, and nothing "
            "happened for three weeks; `failed`: no source could tell about it."
        ),
        "is:inbox",
        values.parse_words,
        _BEING,
    ),
    Qualifier("assignee", TEAM, N_("Who is to read it."), "assignee:@me", values.parse_people, _EITHER, "person"),
    Qualifier(
        "due",
        TEAM,
        N_("By when somebody is to read it; ages look forward: `due:<1w` is due within a week, or was before."),
        "due:<1w",
        values.parse_times,
        _EITHER,
    ),
    Qualifier(
        "meeting",
        TEAM,
        N_("On the agenda of this meeting: its number, `next`, `any` or `none`."),
        "meeting:next",
        values.parse_names,
        ("next", *_EITHER),
        "meeting",
    ),
    Qualifier(
        "mentions",
        TEAM,
        N_("Who is mentioned in its summaries or discussion."),
        "mentions:@me",
        values.parse_people,
        (),
        "person",
    ),
    Qualifier(
        "involves",
        TEAM,
        N_("Who added it, has it on their list, wrote about it, asks about it, is to read it or presents it."),
        "involves:@me",
        values.parse_people,
        (),
        "person",
    ),
    Qualifier("added", TIMES, N_("When it came into the library."), "added:<2w", values.parse_times),
    Qualifier(
        "updated", TIMES, N_("When its facts were changed the last time."), "updated:>=2024-05", values.parse_times
    ),
    Qualifier(
        "read", TIMES, N_("When you finished it, or whom `by:` names."), "read:2024", values.parse_times, _EITHER
    ),
    Qualifier(
        "published",
        TIMES,
        N_("The day it came out, where it is known."),
        "published:2024-01..2024-06",
        values.parse_times,
        _EITHER,
    ),
    Qualifier(
        "sort",
        LIST,
        N_("The order of the list; `near(arxiv:2305.15778)`: the papers most like that one first."),
        "sort:year-desc",
        lambda _kind, _values: None,
        _SORTS,
    ),
)
QUALIFIERS = {qualifier.name: qualifier for qualifier in _TABLE}
