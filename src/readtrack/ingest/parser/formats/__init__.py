"""One file per shape of note, each with a SHAPE; found by discovery."""

import importlib
import pkgutil
from functools import cache

from readtrack.ingest.parser.document import Shape


@cache
def all_shapes() -> tuple[Shape, ...]:
    """In the order of asking. A module here without SHAPE fails at once, on purpose."""
    found: list[Shape] = [
        importlib.import_module(f"{__name__}.{module.name}").SHAPE for module in pkgutil.iter_modules(__path__)
    ]
    return tuple(sorted(found, key=lambda shape: shape.order))
