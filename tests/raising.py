"""Functions that fail for one thing only, as a mistake in them would."""

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import pytest


def raise_when(
    monkeypatch: pytest.MonkeyPatch, name: str, is_meant: Callable[..., bool], problem: BaseException
) -> None:
    """From now on, the function `readtrack.NAME` raises the problem for what is meant; else it does what it did."""
    function = resolve_name(f"readtrack.{name}")

    def replaced(*given: Any, **named: Any) -> Any:
        if is_meant(*given):
            raise problem
        return function(*given, **named)

    monkeypatch.setattr(f"readtrack.{name}", replaced)
