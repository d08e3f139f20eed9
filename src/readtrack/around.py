"""What a text is shown among: the people and things that it may name, and the team's words for formulas. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from readtrack.mentions import People


class Target(NamedTuple):
    """Where a name in a text leads. `title`: what it is called now. `here`: it is in the library, else to be added."""

    href: str
    title: str
    here: bool = True


References = Mapping[str, Target]  # what is named, as `readtrack.references.naming` makes a key of it


class Around(NamedTuple):
    """Given to readtrack.markdown with a text. `macros`: of formulas, name without backslash -> what it stands for."""

    people: People = MappingProxyType({})
    references: References = MappingProxyType({})
    macros: Mapping[str, str] = MappingProxyType({})


NOTHING = Around()
