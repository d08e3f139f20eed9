"""Similar papers by text embeddings, and the job that computes the embeddings."""

import time
from collections.abc import Sequence

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.permissions import CurrentUser, require_present
from readtrack.library.papers.lists import PaperRow, list_rows
from readtrack.search.similarity import nearest, vectors

JOB = "papers.encode"
BATCH_SIZE = 50  # papers in one step: about half a second of work
TURN_SECONDS = 10.0  # seconds that the job may occupy a worker
MAX_PAPERS_SHOWN = 6
PLAIN = "A paper."  # a text that every encoder accepts
SHOWN_OF_TEXT = 80  # characters shown in the log


def list_similar_papers(tx: Read, me: CurrentUser, paper_id: int, limit: int = MAX_PAPERS_SHOWN) -> list[PaperRow]:
    """Return the most similar papers, best first, without rejected ones. Raise NotFound."""
    require_present(tx, paper_id)
    similar_ids = nearest(tx, paper_id)
    rows = list_rows(tx, me, list(similar_ids))
    return [row for similar_id in similar_ids if (row := rows.get(similar_id)) and row.triage != "rejected"][:limit]


def enqueue_embedding(tx: Write) -> None:
    """Enqueue a job for new and changed papers, if an encoder is installed and there are any."""
    if vectors.is_available() and vectors.list_unencoded(tx, 1):
        queue.enqueue(tx, JOB, dedup_key=JOB, priority=-2)


@queue.handler(JOB)
def encode_papers(database: Database, _http: Http, job: LeasedJob) -> None:
    """Encode for a while and requeue the job, so that other jobs get their turn, and the memory of the encoder."""
    done, deadline = job.progress_done, time.monotonic() + TURN_SECONDS
    try:
        while count := _encode_portion(database, job, done):
            done += count
            if time.monotonic() > deadline:
                with database.write() as tx:
                    queue.requeue_job(tx, job)
                return
    finally:
        vectors.unload_encoder()


def _encode_portion(database: Database, job: LeasedJob, done: int) -> int:
    """Encode some papers and return their number. Without any, the job is finished."""
    with database.write() as tx:
        queue.extend_lease(tx, job)
        started_at, papers = now(), vectors.list_unencoded(tx, BATCH_SIZE)
    encoded = _encode_texts([paper.text for paper in papers]) if papers else []
    with database.write() as tx:
        queue.extend_lease(tx, job, done=done + len(encoded), ending=not papers)
        vectors.store_vectors(tx, {paper.id: vector for paper, vector in zip(papers, encoded, strict=True)}, started_at)
        if not papers:
            queue.finish_job(tx, job)
    return len(papers)


def _encode_texts(texts: Sequence[str]) -> list[bytes]:
    """Encode texts. A text that fails gets a zero vector, which is similar to nothing."""
    with queue.isolate_errors("failed to encode texts together") as batch_outcome:
        encoded = vectors.encode(texts)
    if batch_outcome.problem is None:
        return encoded
    # Raises if the encoder itself is at fault.
    (zero_vector,) = (bytes(len(encoded)) for encoded in vectors.encode([PLAIN]))
    single_vectors = []
    for text in texts:
        vector = zero_vector
        with queue.isolate_errors("failed to encode text", text=text[:SHOWN_OF_TEXT]):
            (vector,) = vectors.encode([text])
        single_vectors.append(vector)
    return single_vectors
