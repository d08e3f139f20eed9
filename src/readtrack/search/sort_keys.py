"""What lists are sorted by: a key for each order of qualifiers.SORTED that every paper has; others: staged."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.models import Paper

KEYS: Mapping[str, Any] = {
    "relevance": col(Paper.id),  # when nothing is looked for by words: see ranking
    "added": col(Paper.id),
    "updated": col(Paper.updated_at),
    "year": sa.func.coalesce(col(Paper.year), sa.literal_column("0")),
    "title": col(Paper.title_key),
}
