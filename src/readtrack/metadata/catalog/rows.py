"""Storage format of a work: a JSON row, compressed with a dictionary of words common in such rows."""

import json
import zlib
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata.sources import by_name
from readtrack.metadata.types import DatedVersion, Metadata, Ref, WebLink

_KNOWN_WORDS = (  # The most likely words last, as zlib requires. A change requires a new EDITION of the catalog.
    b"theory group field energy quantum state mass model measurement observed galaxies stars temperature phase "
    b"equation solution bound algebra graph random matrix optimal polynomial conjecture prove theorem there exists "
    b"experiments demonstrate outperforms state-of-the-art benchmark datasets language large models training neural "
    b"networks deep reinforcement learning attention inference distributed systems memory performance latency analysis "
    b"algorithm method approach results show that we propose a novel framework for the which can be used to improve "
    b"In this paper, we present However, Moreover, Furthermore, existing methods based on using our between "
    b"Zhang Wang Chen Liu Yang Huang Zhou Zhao Kumar Lee Kim Johnson Smith Michael David Daniel Thomas Alexander "
    b"Conference Workshop International Proceedings Transactions IEEE Journal of the Phys. Rev. Lett. Commun. Math. "
    b"International Conference on Machine Learning Computer Vision and Pattern Recognition Physical Review "
    b'"published","paper","A Survey of Towards Analysis of for with via from and on the in of a 20 2016 2018 2020 2022 '
    b'pages, figures","10 pages, 5 figures accepted withdrawn Published in ","en",["doi:10.1103/physrev","doi:10.1109/'
    b'"doi:10.1145/","doi:10.1007/"],[["v1","2021-0T1:00:00+00:00"],["v2","2023-0"]],"'
    b'["arxiv:2","preprint","paper","'
)


def pack_facts(work: Metadata) -> bytes:
    """Return the compressed row of a work."""
    packer = zlib.compressobj(4, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=_KNOWN_WORDS)
    return packer.compress(serialize_facts(work).encode()) + packer.flush()


def unpack_facts(data: bytes) -> Metadata:
    """Return the work of a compressed row. Raise ValueError if the data is invalid."""
    try:
        return _from_row(json.loads(zlib.decompressobj(-zlib.MAX_WBITS, zdict=_KNOWN_WORDS).decompress(data)))
    except zlib.error as error:
        raise ValueError(str(error)) from error


def serialize_facts(work: Metadata) -> str:
    """Return the row as JSON, without derived fields."""
    versions = [[item.label, item.published_at.isoformat() if item.published_at else None] for item in work.versions]
    row = [
        str(work.ref), work.stage, work.kind, work.title, work.authors, work.year,
        work.published_on.isoformat() if work.published_on else None, work.venue, work.abstract, work.language,
        [str(ref) for ref in work.identifiers],
        versions, work.remark,
    ]  # fmt: skip
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def read(_key: str, raw: str) -> Metadata:
    """Read a stored record of the catalog, like the `read` functions of services."""
    try:
        return _from_row(json.loads(raw))
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        message = "What the catalogue said cannot be read any more. It was kept as it is; ask again for the paper."
        raise SourceUnavailable(message) from error


def _from_row(row: Sequence[Any]) -> Metadata:
    ref, stage, kind, title, authors, year, published, venue, abstract, language, identifiers, versions, remark = row
    parsed_ref = Ref.parse(ref)
    return Metadata(
        ref=parsed_ref,
        service="catalogue",
        stage=stage,
        kind=kind,
        title=title,
        authors=tuple(authors),
        year=year,
        published_on=date.fromisoformat(published) if published else None,
        venue=venue,
        abstract=abstract,
        language=language,
        links=_links(parsed_ref),
        identifiers=tuple(Ref.parse(name) for name in identifiers),
        versions=tuple(
            DatedVersion(label, datetime.fromisoformat(timestamp) if timestamp else None)
            for label, timestamp in versions
        ),
        remark=remark,
    )


def _links(ref: Ref) -> tuple[WebLink, ...]:
    """Return links to the work on its site; none for schemes known only from a dump."""
    try:
        return by_name(ref.scheme).links(ref.key)
    except KeyError:
        return ()
