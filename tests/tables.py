"""A table of cases as one test: a case that fails is a subtest, told by its name, and all others run.

Thousands of small cases as tests or subtests of their own are found and reported more slowly than they run.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

LONGEST_NAME = 200
PARAMETER_SET = type(pytest.param())
Names = Callable[[Any], Any] | Iterable[Any] | None


def cases(fields: str | Sequence[str], rows: Iterable[Any], *, ids: Names = None) -> Callable[..., Callable[..., None]]:
    """Runs the test for each row, as `pytest.mark.parametrize` does, within one item. For tests that leave nothing
    behind: fixtures are made once for all rows.
    """
    names = [name.strip() for name in fields.split(",")] if isinstance(fields, str) else list(fields)
    table = [_values(row, len(names)) for row in rows]
    assert table, "a table without a case tests nothing"
    known = None if ids is None or callable(ids) else [*ids]
    assert known is None or len(known) == len(table), "each case has a name"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(test).parameters
        assert set(names) <= set(parameters), "the test takes what the table has"

        @functools.wraps(test)
        def run(subtests: pytest.Subtests, **fixtures: Any) -> None:
            for number, row in enumerate(table):
                try:
                    test(**dict(zip(names, row, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception, pytest.skip.Exception):
                    name = known[number] if known else " | ".join(map(str, map(ids, row) if callable(ids) else row))
                    with subtests.test(_sendable(str(name)[:LONGEST_NAME])):
                        raise

        others = [each for name, each in parameters.items() if name not in names]
        subtests = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = inspect.Signature([subtests, *others])  # type: ignore[attr-defined]
        return run

    return decorate


def _sendable(name: str) -> str:
    """Escape lone surrogates, which no worker could send to the process that reports."""
    return name.encode("utf-8", "backslashreplace").decode()


def _values(row: Any, width: int) -> Sequence[Any]:
    if isinstance(row, PARAMETER_SET):
        assert not row.marks, "a case with marks is a test of its own"
        return row.values
    return (row,) if width == 1 else tuple(row)
