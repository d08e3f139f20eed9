"""Input models of saved searches, shared by forms and the JSON API."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from readtrack import search
from readtrack.infra.i18n import gettext as _
from readtrack.infra.schemas import StrictModel, TrimmedModel
from readtrack.infra.text.input_types import OneLine
from readtrack.library.papers.display_options import COLUMNS
from readtrack.library.papers.lists import SORTS

LONGEST_NAME, MOST_COLUMNS = 80, len(COLUMNS)


def _canonical_query(q: str) -> str:
    """Return the query in canonical form. Raise ValueError with a message if it is invalid."""
    try:
        return search.canonicalize_query(q)
    except search.QueryError as error:
        raise ValueError(error.message) from error


def _validate_sort(sort: str) -> str:
    name, separator, direction = sort.partition("-")
    if sort and (name not in SORTS or (separator and direction not in {"asc", "desc"})):
        sort_names = ", ".join(SORTS)
        raise ValueError(_("The order is one of {known}, each also with -asc or -desc.").format(known=sort_names))
    return sort


def _validate_column(column: str) -> str:
    if column not in COLUMNS:
        raise ValueError(_("A column is one of {known}.").format(known=", ".join(COLUMNS)))
    return column


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), OneLine]
Question = Annotated[str, Field(max_length=search.MAX_QUERY_CHARS), AfterValidator(_canonical_query), OneLine]
Sort = Annotated[str, Field(max_length=30), AfterValidator(_validate_sort)]
Column = Annotated[str, AfterValidator(_validate_column)]
Display = Literal["list", "table", "board"]
Grouping = Literal["", "status", "topic", "venue", "year", "reader"]


class SavedSearchFields(TrimmedModel):
    """A named query with its display options. `shared`: visible to the team."""

    name: Name
    q: Question = ""
    sort: Sort = ""
    display: Display = "list"
    grouping: Grouping = ""
    columns: Annotated[list[Column], Field(max_length=MOST_COLUMNS)] = Field(default_factory=list)
    shared: bool = False


class SavedSearchMove(StrictModel):
    """The new position of a saved search in the sidebar."""

    to: Literal["top", "up", "down", "bottom"]
