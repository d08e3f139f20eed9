"""A library in which everything happened once: what the tests of the doors walk through."""

import hashlib
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import SQLModel, col
from starlette.routing import Route

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import CitedWork, DuplicatePair, Entry, Job, Lead, MatchSuggestion, SavedSearch, TopicLink
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports import commands as imports
from readtrack.ingest.imports.commands import ImportCommit
from readtrack.ingest.imports.rules import RuleCreate, add_rule
from readtrack.library.citations.citation_lists import store_citation_list
from readtrack.library.comparisons.commands import ComparisonFields, ComparisonRowFields, add_comparison
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.enrichment.records import store_record
from readtrack.library.images.commands import store_image
from readtrack.library.images.encode import encode_image
from readtrack.library.latex_macros.commands import MacroCreate, add_macro
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.metadata.blocked_hosts.commands import BlockedHostCreate, block_host
from readtrack.metadata.types import BibliographyItem, Metadata, Ref
from readtrack.reading.drafts.commands import DraftSubject, DraftUpdate, save_draft
from readtrack.reading.text_templates.commands import TextTemplateFields, add_template
from readtrack.team.accounts.commands import invite
from readtrack.team.accounts.schemas import InvitationCreate
from readtrack.web.app import all_routes
from tests import make

NOTES = """# Checkpointing

- https://arxiv.org/abs/2305.15778 Just-in-time checkpointing
- An untitled thing https://www.usenix.org/conference/osdi23/presentation/ren
Why is recovery so slow?
"""
SAFE = {"GET", "HEAD"}


class Forgetful(Database):
    """Once it forgets, nothing that is written in it is kept."""

    forgets = False

    @contextmanager
    def write(self, *, wait: float | None = None) -> Iterator[Write]:
        with super().write(wait=wait) as tx:
            yield tx
            if self.forgets:
                tx.flush()
                tx.rollback()


@dataclass
class Library:
    """People of each role, and the numbers of what is there. `of`: what stands in the addresses of routes."""

    admin: CurrentUser
    editor: CurrentUser
    member: CurrentUser
    viewer: CurrentUser
    of: dict[str, object] = field(default_factory=dict)

    def address(self, path: str) -> str:
        """A route's path with its parameters filled in."""
        return path.replace(":int", "").replace(":path", "").format(**self.of)


def furnished(database: Database) -> Library:
    """Papers seen, read, summarised, filed and deleted; notes being decided and carried out; a job that failed."""
    with database.write() as tx:
        search.ensure(tx)
        roles = {role: make.visitor(tx, role.title(), role=role) for role in ("admin", "editor", "member", "viewer")}
        library = Library(roles["admin"], roles["editor"], roles["member"], roles["viewer"])
        paper = make.paper(tx, "Attention <is> all", authors=["A. Author"], year=2023, venue="OSDI", abstract="Short.")
        make.paper(tx, "Gone", deleted_at=now())
        topic = make.topic(tx, "Training", aliases=("train",), markdown="On **training**.")
        make.filed(tx, paper, topic)
        link = make.added(tx, TopicLink(topic_id=topic.id, url="https://example.org/tool", title="A <tool>"))
        make.reading(tx, library.member.id, paper.id or 0, "read", depth="studied")
        summary = make.summary(tx, library.member.id, paper.id or 0)
        make.summary(tx, library.admin.id, paper.id or 0)
        failed = Job(kind="papers.refresh", state="failed", error="The source refused.", ended_at=now())
        tx.add(failed)
        tx.flush()
        search.update_papers(tx, [paper.id or 0])
        library.of |= {
            "paper_id": paper.id,
            "slug": topic.slug,
            "link_id": link.id,
            "summary_id": summary.id,
            "job_id": failed.id,
            "source": "arxiv",
        }
        asked = make.assignment(tx, library.viewer.id, paper.id, created_by=library.member.id, note="All of it.")
        told = {"paper_id": paper.id, "assignment_id": asked.id, "data": {"what": "made"}}
        library.of |= {"assignment_id": asked.id, "notice_id": make.notice(tx, library.viewer.id, **told).id}
        rule = RuleCreate(pattern="heading", value="Others", says="no_topic")
        library.of |= {"rule_id": add_rule(tx, library.member, rule)}
        add_macro(tx, library.member, MacroCreate(name="loss", body="\\mathcal{L}"))
        library.of |= {
            "backup": "readtrack-20260331T040000Z.zip",
            "macro": "loss",
            "image": store_image(tx, library.member, encode_image(make.png())),
        }
        invite(tx, library.admin, InvitationCreate(role="viewer", email="new@example.org"))
        library.of |= to_look_at(tx, library.editor, paper.id or 0)
        library.of |= met(tx, library, paper.id or 0)
        library.of |= {"view_id": make.added(tx, SavedSearch(person_id=library.member.id, name="Ours", shared=True)).id}
        webhook = make.webhook(tx, library.admin.id, team=True)
        library.of |= {"webhook_id": webhook.id, "delivery_id": make.delivery(tx, webhook.id, state="failed").id}
        library.of |= talked_about(tx, library, paper.id or 0, topic.id or 0)
        library.of |= begun_to_write(tx, library.member, paper.id or 0)
        library.of |= compared(tx, library.member, topic.slug, paper.id or 0)
    library.of |= {"person_id": library.viewer.id, "token_id": 1, "number": 1, "position": 1, "code": "none"}
    library.of |= {"invitation_id": 1, "session_id": 999, "sign_in_id": 999}
    library.of |= {"identity_id": 1, "figure": "finished"}
    library.of |= {"digest": "none", "name": "none.css", "deed_id": 1, "shelf": "others", "thing_id": 1}
    library.of |= {"import_id": noted(database, library.member, NOTES + "\n2401.99999", "undecided"), "note_id": 1}
    carry_out(database, library.member, noted(database, library.member, NOTES, "carried out"))
    return library


def to_look_at(tx: Write, me: CurrentUser, paper_id: int) -> dict[str, object]:
    """An answer that disagrees, a pair that may be one, something found, a lead, a relation, a closed host."""
    other = make.paper(tx, "Attention is nearly all")
    said = Metadata(Ref("arxiv", "2401.00001"), title="Quite another work", authors=("B. Other",))
    record = store_record(tx, paper_id, said)
    lead = make.added(tx, Lead(text="the paper on pipelines of last year"))
    add_candidate(tx, paper_id, other.id or 0, likeness=90, evidence="Both begin alike.")
    found: dict[str, Any] = {"identifier": "doi:10.1145/7", "service": "crossref", "title": "Pipelines", "likeness": 80}
    proposal = make.added(tx, MatchSuggestion(kind="is", lead_id=lead.id, evidence="The title is alike.", **found))
    add_relation(tx, me, paper_id, RelationCreate(to=other.id or 0, kind="extends"))
    cited = [BibliographyItem((Ref("doi", "10.1145/8"),), "Often cited")]
    for citing in (paper_id, other.id or 0):
        store_citation_list(tx, citing, cited, service="semanticscholar", key="tests")
    host_id, _ = block_host(tx, me, BlockedHostCreate(host="closed.example.org"))
    pair = tx.scalar(sa.select(col(DuplicatePair.id)))
    work = tx.scalar(sa.select(col(CitedWork.id)))
    found_there = {"record_id": record and record.id, "proposal_id": proposal.id, "lead_id": lead.id, "work_id": work}
    told: dict[str, object] = {"field": "year", "language": "ja", "kind": "extends", "to": other.id}
    return {**found_there, **told, "duplicate_id": pair, "host_id": host_id}


def met(tx: Write, library: Library, paper_id: int) -> dict[str, object]:
    """A series with a meeting that is planned, what it is about, and a paper that is proposed."""
    other = make.paper(tx, "Attention is left")
    series = make.series(tx, presenter_order=[library.member.id])
    meeting = make.meeting(tx, now() + timedelta(days=3), series_id=series.id, presenter_id=library.member.id)
    item = make.item(tx, meeting.id, paper_id=paper_id)
    candidate = make.candidate(tx, series.id, other.id, proposed_by=library.member.id)
    return {"series_id": series.id, "meeting_id": meeting.id, "item_id": item.id, "candidate_id": candidate.id}


def compared(tx: Write, me: CurrentUser, slug: str, paper_id: int) -> dict[str, object]:
    """A table of a topic with a row about a paper; and one that stands in notes only."""
    rows = [
        ComparisonRowFields(cells=["<b>Ours</b>", "◎ fast"], paper=paper_id),
        ComparisonRowFields(cells=["Theirs", "△"]),
    ]
    table = add_comparison(tx, me, slug, ComparisonFields(title="Run <times>", columns=["Of", "Speed"], rows=rows))
    raw = "| Of | Cost |\n|---|---|\n| Ours | ○ |\n"
    return {"comparison_id": table.id, "entry_id": make.entry(tx, raw, kind="table", title="Of | Cost").id}


def talked_about(tx: Write, library: Library, paper_id: int, topic_id: int) -> dict[str, object]:
    """A thread of the admin's with answers, on each subject; a question that is open."""
    question = make.question(tx, created_by=library.member.id, paper_id=paper_id, topic_id=topic_id)
    for about in ({"question_id": question.id}, {"topic_id": topic_id}):
        make.comment(tx, library.member.id, **about)
    first = make.comment(tx, library.admin.id, "What of @Member and **Figure 6**?", paper_id=paper_id)
    make.comment(tx, library.member.id, paper_id=paper_id, parent_id=first.id)
    return {"comment_id": first.id, "thread_id": first.id, "question_id": question.id}


def begun_to_write(tx: Write, me: CurrentUser, paper_id: int) -> dict[str, object]:
    """A draft that is not saved, and a template of the team's."""
    wanted = DraftUpdate(fields={"markdown": "Half a thought"})
    draft = save_draft(tx, me, DraftSubject("summary", paper_id), "0" * 16, data=wanted)
    template = add_template(tx, me, TextTemplateFields(name="Benchmarks", markdown="## Machine"))
    return {"draft_id": draft.id, "template_id": template.id, "tab": "1" * 16}


def noted(database: Database, me: CurrentUser, text: str, title: str = "") -> int:
    """Notes in their preview."""
    parsed = imports.prepare_notes(text, title)
    with database.write() as tx:
        return imports.preview_notes(tx, me, parsed)[0]


def carry_out(database: Database, me: CurrentUser, import_id: int, **defaults: object) -> None:
    """Commits an import and does its job."""
    with database.write() as tx:
        imports.commit_import(tx, me, import_id, ImportCommit.model_validate(defaults))
    offline = HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)
    while queue.run_due_job(database, offline, kinds=("imports.commit",)):
        pass


def fill(database: Database, me: CurrentUser, count: int) -> None:
    """That many papers, each read, filed, summarised and found in notes."""
    with database.write() as tx:
        search.ensure(tx)
        for number in range(count):
            paper = make.paper(tx, f"Paper {number}")
            make.filed(tx, paper, make.topic(tx))
            make.reading(tx, me.id, paper.id or 0, "read")
            make.summary(tx, me.id, paper.id or 0)
            make.assignment(tx, make.person(tx).id, paper.id or 0, created_by=me.id)
            make.notice(tx, me.id, "mention", paper_id=paper.id)
            make.person(tx)
    for number in range(count):
        noted(database, me, f"Note {number}\n")


def every_route() -> list[tuple[str, str]]:
    """Method and path of each route, pages and files included."""
    pairs = (itertools.product(route.methods or (), [route.path]) for route in all_routes() if isinstance(route, Route))
    return sorted(itertools.chain.from_iterable(pairs))


def content(database: Database) -> str:
    """A hash over every row of every table: did anything change? But for where drawings have their nodes, which is kept
    after an answer and can be found again: docs/decisions/0016-draw-graphs-on-the-server.md.
    """
    digest = hashlib.sha256()
    with database.read() as tx:
        for table in SQLModel.metadata.sorted_tables:
            if table.name == "graph_layout":
                continue
            rows = sorted(repr(tuple(row)) for row in tx.execute(sa.select(table)))
            digest.update(repr((table.name, rows)).encode())
    return digest.hexdigest()


def count_of(database: Database, table: type[SQLModel]) -> int:
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def entries_of(database: Database, import_id: int) -> list[Entry]:
    """The entries of an import, in their order."""
    with database.read() as tx:
        found = tx.scalars(
            sa.select(Entry).where(col(Entry.revision_id) == import_id).order_by(col(Entry.position))
        ).all()
        tx.expunge_all()
    return list(found)
