"""Questions about images: one with its bytes, and my last ones."""

import re
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Image
from readtrack.infra.permissions import CurrentUser

LONGEST_WORDS = 80
_MARKS = re.compile(r"[^\w.,+-]+")
SHOWN = 24  # of my last ones


class ImageRow(NamedTuple):
    """An image without its bytes. `width`, `height`: in pixels."""

    name: str
    width: int
    height: int
    created_at: datetime

    @property
    def url(self) -> str:
        """Where it is."""
        return f"/images/{self.name}"

    def markdown(self, file_name: str = "") -> str:
        """What puts it into a text, with words for who does not see it: those of its file until there are better."""
        stem = " ".join(_MARKS.sub(" ", file_name.rpartition(".")[0]).split())
        return f"![{stem[:LONGEST_WORDS] or _('picture')}]({self.url})"


_CONTENT: sa.Select[str, bytes] = sa.select(col(Image.media_type), col(Image.content)).where(
    col(Image.name) == sa.bindparam("name")
)
_ROWS: sa.Select[*tuple[Any, ...]] = sa.select(*map(col, (Image.name, Image.width, Image.height, Image.created_at)))


def get_content(tx: Read, name: str) -> tuple[str, bytes]:
    """Media type and bytes, for whoever is signed in and knows the name. Raises NotFound."""
    rows = tx.rows(_CONTENT, {"name": name})
    if not rows:
        raise NotFound(_("There is no such image."))
    return rows[0].media_type, rows[0].content


def get_image(tx: Read, name: str) -> ImageRow:
    """One without its bytes. Raises NotFound."""
    rows = tx.rows(_ROWS.where(col(Image.name) == name))
    if not rows:
        raise NotFound(_("There is no such image."))
    return ImageRow(*rows[0])


def list_my_images(tx: Read, me: CurrentUser) -> list[ImageRow]:
    """My last ones, the newest first: nobody is shown those of others."""
    mine = _ROWS.where(col(Image.person_id) == me.id).order_by(col(Image.id).desc()).limit(SHOWN)
    return [ImageRow(*row) for row in tx.rows(mine)]
