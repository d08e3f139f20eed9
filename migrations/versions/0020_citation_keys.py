"""A paper keeps its citation key, which is unique in the library; records of arXiv name the subject class."""

import re
import unicodedata
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

INDEX = "ix_paper_citation_key"
BATCH_SIZE = 5_000
_SMALL_WORDS = {"a", "an", "the", "on", "of", "for", "in", "to", "and", "with", "is", "are", "at", "by", "from"}
_paper = sa.table(
    "paper",
    *map(sa.column, ("id", "title", "year", "published_on", "citation_key")),
    sa.column("authors", sa.JSON),
)


def upgrade() -> None:
    op.add_column("metadata_record", sa.Column("arxiv_class", sa.String(), nullable=False, server_default=""))
    op.add_column("paper", sa.Column("citation_key", sa.String(), nullable=True))
    _fill_keys()
    op.create_index(INDEX, "paper", [sa.text("lower(citation_key)")], unique=True)


def downgrade() -> None:
    op.drop_index(INDEX, "paper")
    op.drop_column("paper", "citation_key")  # In place: a new table would lack the indexes over expressions.
    with op.batch_alter_table("metadata_record") as table:
        table.drop_column("arxiv_class")


def _fill_keys() -> None:
    """Give each paper the key that its exports had, the oldest first; in those of the whole library, with the ID."""
    connection, last_id, used_keys = op.get_bind(), 0, set[str]()
    columns = (_paper.c.id, _paper.c.title, _paper.c.authors, _paper.c.year, _paper.c.published_on)
    query = sa.select(*columns).order_by(_paper.c.id)
    statement = sa.update(_paper).where(_paper.c.id == sa.bindparam("paper_id"))
    while rows := connection.execute(query.where(_paper.c.id > last_id).limit(BATCH_SIZE)).all():
        keys = []
        for row in rows:
            if row.title and row.authors:
                key = _key(row)
                keys.append({"paper_id": row.id, "key": f"{key}-{row.id}" if key in used_keys else key})
                used_keys.add(key)
        if keys:
            connection.execute(statement.values(citation_key=sa.bindparam("key")), keys)
        last_id = rows[-1].id


def _key(row: sa.Row[*tuple[Any, ...]]) -> str:
    name, year = row.authors[0], row.year or str(row.published_on or "")[:4]
    family, comma, _ = name.partition(",")
    words = _words(family if comma else "".join(name.split()[-1:]))
    title_words = [word for word in _words(row.title) if word not in _SMALL_WORDS]
    return "".join([*(words[-1:] or ["anon"]), str(year), *(title_words[:1] or [f"paper{row.id}"])])[:100]


def _words(text: str) -> list[str]:
    decomposed = unicodedata.normalize("NFKD", text).replace("'", "").replace("’", "")
    return re.findall(r"[a-z0-9]+", "".join(sign for sign in decomposed if not unicodedata.combining(sign)).lower())
