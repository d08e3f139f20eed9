"""The context for rendering: people and references a text may name, and the team's formula macros."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from readtrack.markdown.mentions import People


class Target(NamedTuple):
    """The target of a reference. `title` is its current title."""

    href: str
    title: str


References = Mapping[str, Target]  # Existing targets by key (see references.py).


class RenderContext(NamedTuple):
    """Context passed with a text. `macros` maps names without backslash to definitions.

    `references` are stored per text, because a name keeps the target it had when its text was saved.
    """

    people: People = MappingProxyType({})
    references: Mapping[str, References] = MappingProxyType({})
    macros: Mapping[str, str] = MappingProxyType({})


NOTHING = RenderContext()
