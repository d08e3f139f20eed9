"""Translated titles of papers, entered by people or drafted by a language model."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import LANGUAGES, TranslatedTitle
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import OneLine, TrimmedModel

CALLED: Mapping[str, str] = {"en": "English", "ja": "日本語", "zh-Hans": "中文"}


class TranslatedTitleUpdate(TrimmedModel):
    """A translated title.

    `machine`: the model's draft; an unchanged title is marked as machine-translated.
    """

    title: Annotated[str, Field(min_length=1, max_length=500), OneLine]
    machine: Annotated[str, OneLine] = ""


class TranslatedTitleRow(NamedTuple):
    """A translated title with the name of its language in that language."""

    language: str
    language_name: str
    title: str
    machine: bool


_OF_PAPERS = (
    sa.select(
        col(TranslatedTitle.paper_id),
        col(TranslatedTitle.language),
        col(TranslatedTitle.title),
        col(TranslatedTitle.machine),
    )
    .where(in_id_list(col(TranslatedTitle.paper_id), "ids"))
    .order_by(col(TranslatedTitle.language))
)


def list_translated_titles(tx: Read, paper_id: int) -> list[TranslatedTitleRow]:
    """Return the translated titles of a paper, by language."""
    return find_translated_titles(tx, [paper_id]).get(paper_id, [])


def find_translated_titles(tx: Read, paper_ids: Sequence[int]) -> dict[int, list[TranslatedTitleRow]]:
    """Return the translated titles of each paper that has some, by language."""
    titles: dict[int, list[TranslatedTitleRow]] = {}
    for paper_id, language, title, machine in tx.rows(_OF_PAPERS, {"ids": paper_ids}):
        titles.setdefault(paper_id, []).append(TranslatedTitleRow(language, CALLED[language], title, machine))
    return titles


def set_translated_title(
    tx: Write, me: CurrentUser, paper_id: int, language: str, *, update: TranslatedTitleUpdate
) -> None:
    """Set the title in a language. Raise NotFound, or Invalid for an unsupported language."""
    permissions.require(me, "edit")
    permissions.lock_present_paper(tx, paper_id)
    _require_language(language)
    existing = tx.scalar(
        sa.select(TranslatedTitle).where(
            col(TranslatedTitle.paper_id) == paper_id, col(TranslatedTitle.language) == language
        )
    )
    old_title = existing.title if existing else None
    if old_title == update.title:
        return
    translation = existing or TranslatedTitle(paper_id=paper_id, language=language, title="")
    translation.title, translation.machine = update.title, update.machine == update.title
    translation.added_by, translation.added_at = me.id, now()
    tx.add(translation)
    data = {"language": language}
    new_value = {"title": update.title}
    events.record_event(tx, me, "gloss.set", paper_id=paper_id, data=data, before={"title": old_title}, after=new_value)
    tx.flush()
    search.update_papers(tx, [paper_id])


def remove_translated_title(tx: Write, me: CurrentUser, paper_id: int, language: str) -> str | None:
    """Remove the title in a language and return it; None if there was none."""
    permissions.require(me, "edit")
    permissions.lock_present_paper(tx, paper_id)
    conditions = (col(TranslatedTitle.paper_id) == paper_id, col(TranslatedTitle.language) == language)
    translated_title = tx.scalar(sa.select(TranslatedTitle).where(*conditions))
    if translated_title is None:
        return None
    tx.delete(translated_title)
    old_value = {"title": translated_title.title}
    events.record_event(tx, me, "gloss.removed", paper_id=paper_id, data={"language": language}, before=old_value)
    tx.flush()
    search.update_papers(tx, [paper_id])
    return translated_title.title


def _require_language(language: str) -> None:
    if language not in LANGUAGES:
        detail = _("Unsupported language. Use one of: {languages}.").format(languages=", ".join(LANGUAGES))
        raise invalid_field("/language", "unknown-language", detail)
