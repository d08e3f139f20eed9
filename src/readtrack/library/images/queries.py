"""Queries for images: one with its content, and my latest ones."""

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

MAX_TEXT_CHARS = 80
_MARKS = re.compile(r"[^\w.,+-]+")
MAX_IMAGES_SHOWN = 24  # of my latest images


class ImageRow(NamedTuple):
    """An image without its content. `width`, `height`: in pixels."""

    name: str
    width: int
    height: int
    created_at: datetime

    @property
    def url(self) -> str:
        """The address of the image."""
        return f"/images/{self.name}"

    def markdown(self, file_name: str = "") -> str:
        """Return the Markdown that embeds the image, with the file name as initial alternative text."""
        alt_text = " ".join(_MARKS.sub(" ", file_name.rpartition(".")[0]).split())
        return f"![{alt_text[:MAX_TEXT_CHARS] or _('picture')}]({self.url})"


_CONTENT: sa.Select[str, bytes] = sa.select(col(Image.media_type), col(Image.content)).where(
    col(Image.name) == sa.bindparam("name")
)
_ROWS: sa.Select[*tuple[Any, ...]] = sa.select(*map(col, (Image.name, Image.width, Image.height, Image.created_at)))


def get_content(tx: Read, name: str) -> tuple[str, bytes]:
    """Return media type and bytes of an image. Raise NotFound.

    Any signed-in user who knows the name may see it.
    """
    rows = tx.rows(_CONTENT, {"name": name})
    if not rows:
        raise NotFound(_("Image not found."))
    return rows[0].media_type, rows[0].content


def get_image(tx: Read, name: str) -> ImageRow:
    """Return an image without its content. Raise NotFound."""
    rows = tx.rows(_ROWS.where(col(Image.name) == name))
    if not rows:
        raise NotFound(_("Image not found."))
    return ImageRow(*rows[0])


def list_my_images(tx: Read, me: CurrentUser) -> list[ImageRow]:
    """Return my latest images, newest first; other people's are never listed."""
    query = _ROWS.where(col(Image.person_id) == me.id).order_by(col(Image.id).desc()).limit(MAX_IMAGES_SHOWN)
    return [ImageRow(*row) for row in tx.rows(query)]
