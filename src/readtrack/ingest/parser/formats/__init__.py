"""Note formats: one module per format, each with a SHAPE, found by discovery."""

import importlib
import pkgutil
from functools import cache

from readtrack.ingest.parser.document import Shape


@cache
def all_shapes() -> tuple[Shape, ...]:
    """Return the formats in order of precedence.

    A module without SHAPE fails immediately, on purpose.
    """
    shapes: list[Shape] = [
        importlib.import_module(f"{__name__}.{module.name}").SHAPE for module in pkgutil.iter_modules(__path__)
    ]
    return tuple(sorted(shapes, key=lambda shape: shape.order))
