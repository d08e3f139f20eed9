"""What a text is shown among: the people and things that it may name, and the team's words for formulas. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from readtrack.markdown.mentions import People


class Target(NamedTuple):
    """Where a name in a text leads. `title`: what it is called now."""

    href: str
    title: str


References = Mapping[str, Target]  # what is named and here, as `readtrack.references.naming` makes a key of it


class RenderContext(NamedTuple):
    """Given to readtrack.markdown with a text. `macros`: of formulas, name without backslash -> what it stands for.

    `references`: by text, as one name may mean two things: it stays with what it meant when its text was saved.
    """

    people: People = MappingProxyType({})
    references: Mapping[str, References] = MappingProxyType({})
    macros: Mapping[str, str] = MappingProxyType({})


NOTHING = RenderContext()
