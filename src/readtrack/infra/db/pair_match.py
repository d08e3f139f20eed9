"""Conditions on pairs of columns that can use an index."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa


def is_one_of_pairs(first: Any, second: Any, pairs: Iterable[tuple[str, str]]) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Return the condition that two columns equal one of the pairs; false if there are no pairs.

    Pairs are grouped by their first value, because SQLite does a full table scan for `(first, second) IN (…)`.
    """
    words = ((word, [pair[1] for pair in same]) for word, same in groupby(sorted(set(pairs)), itemgetter(0)))
    return sa.or_(sa.false(), *(sa.and_(first == word, second.in_(others)) for word, others in words))
