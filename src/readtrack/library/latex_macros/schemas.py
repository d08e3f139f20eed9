"""Input models of macros."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from readtrack.infra.i18n import gettext as _
from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text.input_types import OneLine

LONGEST_NAME, LONGEST_BODY = 30, 500
_LETTERS = re.compile(r"[A-Za-z]+")


def _strip_backslash(name: str) -> str:
    """Validate the name and strip the backslash that people may type."""
    if not _LETTERS.fullmatch(name.removeprefix("\\")):
        raise ValueError(_("A name has letters from A to Z only, as in \\loss."))
    return name.removeprefix("\\")


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME + 1), AfterValidator(_strip_backslash), OneLine]
Body = Annotated[str, Field(min_length=1, max_length=LONGEST_BODY), OneLine]


class MacroUpdate(TrimmedModel):
    """The definition of a macro: LaTeX math, with #1 to #9 for its arguments."""

    body: Body


class MacroCreate(MacroUpdate):
    """A new macro; its name with or without the backslash."""

    name: Name
