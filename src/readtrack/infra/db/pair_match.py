"""Many pairs of words, as an index of both finds them."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa


def is_one_of_pairs(first: Any, second: Any, pairs: Iterable[tuple[str, str]]) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Whether two columns are one of the pairs; never, of none.

    Each first word with all of its second ones: for `(first, second) IN (…)` SQLite reads the whole table.
    """
    words = ((word, [pair[1] for pair in same]) for word, same in groupby(sorted(set(pairs)), itemgetter(0)))
    return sa.or_(sa.false(), *(sa.and_(first == word, second.in_(others)) for word, others in words))
