"""Sort keys that every paper has; for other orders of qualifiers.SORTED see sparse_sorts."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.models import Paper

KEYS: Mapping[str, Any] = {
    "relevance": col(Paper.id),  # Without words in the query, see ranking.
    "added": col(Paper.id),
    "updated": col(Paper.updated_at),
    "year": sa.func.coalesce(col(Paper.year), sa.literal_column("0")),
    "title": col(Paper.title_key),
}
