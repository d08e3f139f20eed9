"""What papers still wait for: which service, why, and until when, in words."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import jobs, sources
from readtrack.clock import now
from readtrack.db import Read
from readtrack.models import Inquiry

OTHERS = {"catalogue": "Local catalogue"}  # who says something without being a service


class Waiting(NamedTuple):
    """What is waited for: a few words for a list, and the whole sentence."""

    brief: str
    sentence: str


_WAITING = sa.select(col(Inquiry.paper_id), col(Inquiry.service)).where(
    col(Inquiry.state) == "waiting", col(Inquiry.paper_id).in_(sa.bindparam("ids", expanding=True))
)


def waiting_papers(tx: Read, paper_ids: Sequence[int]) -> Mapping[int, str]:
    """A few words for each of these papers that a service will still tell something about."""
    if not paper_ids:
        return {}
    services = {row.paper_id: row.service for row in tx.execute(_WAITING, {"ids": paper_ids})}
    said = {service: waiting_for(tx, service).brief for service in set(services.values())}
    return {paper_id: said[service] for paper_id, service in services.items()}


def waiting_for(tx: Read, service: str) -> Waiting:
    """Why that service has not answered yet, and what happens next."""
    job, name = jobs.find_named(tx, f"papers.refresh:{service}"), label_of(service)
    if job is None:
        return Waiting("title not fetched yet", f"{name} was not asked yet; ask for it on the paper's page.")
    if job.problem and (job.state != "queued" or job.run_at <= now()):  # gave up, and perhaps just begins anew
        return Waiting("title not fetched", f"{job.problem} It is tried again by itself later.")
    if job.problem:
        until = f"{job.run_at:%H:%M} UTC"
        return Waiting(f"waits for {name} until {until}", f"{job.problem} Next try at {until}.")
    return Waiting("title arrives in a moment", f"{name} is being asked.")


def label_of(service: str) -> str:
    """How people call that service; its name when it is gone."""
    return next(
        (known.label for known in sources.all_services() if known.name == service), OTHERS.get(service, service)
    )
