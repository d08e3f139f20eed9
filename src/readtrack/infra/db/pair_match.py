"""Conditions on pairs of columns that can use an index."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa


def is_one_of_pairs(first_column: Any, second_column: Any, pairs: Iterable[tuple[str, str]]) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Return the condition that two columns equal one of the pairs; false if there are no pairs.

    Pairs are grouped by their first value, because SQLite does a full table scan for `(first, second) IN (…)`.
    """
    values_by_first = (
        (first_value, [pair[1] for pair in group]) for first_value, group in groupby(sorted(set(pairs)), itemgetter(0))
    )
    return sa.or_(
        sa.false(),
        *(
            sa.and_(first_column == first_value, second_column.in_(second_values))
            for first_value, second_values in values_by_first
        ),
    )
