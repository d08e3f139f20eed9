"""The interface of a search backend, and the choice of the one for a database."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import sqlalchemy as sa

from readtrack.infra.db import Read, Write
from readtrack.search import postgres, sqlite
from readtrack.search.documents import Document, Index
from readtrack.search.tokens import Needle


class Backend(Protocol):
    def lock(self, tx: Write, /) -> None: ...

    def create(self, tx: Write, index: Index) -> None: ...

    def drop(self, tx: Write, index: Index) -> None: ...

    def index_documents(self, tx: Write, index: Index, documents: Mapping[int, Document]) -> None: ...

    def remove_documents(self, tx: Write, index: Index, ids: Sequence[int]) -> None: ...

    def hits(self, index: Index, needles: Sequence[Needle], fields: Sequence[str]) -> sa.Select[Any]: ...

    def postings(
        self, tx: Read, index: Index, tokens: Sequence[str], fields: Sequence[str], *, limit: int
    ) -> dict[str, list[int]]: ...

    def in_subquery(self, tx: Read, column: Any, ids: Any, *, clustered: bool) -> sa.ColumnElement[bool]: ...  # noqa: ANN401

    def by_index(
        self,
        tx: Read,
        column: Any,  # noqa: ANN401 - of ids
        condition: sa.ColumnElement[bool],
        *,
        clustered: bool,
    ) -> sa.ColumnElement[bool]: ...

    def find_documents(self, tx: Read, index: Index, ids: Sequence[int]) -> dict[int, Document]: ...

    def id_column(self, index: Index) -> sa.ColumnElement[Any]: ...


def backend(tx: Read) -> Backend:
    return postgres if tx.get_bind().dialect.name == "postgresql" else sqlite
