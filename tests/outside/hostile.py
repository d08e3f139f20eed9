"""Services and pages whose every word would like to be code: what they say, and a library that has heard them all."""

from collections.abc import Iterator
from html import escape
from typing import Any

import readtrack.cli.worker  # noqa: F401 - registers what jobs run
from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.jobs import queue
from readtrack.infra.models import Lead, MatchSuggestion, MetadataRecord, MetadataRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.duplicates.merge import merge_papers
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.enrichment.records import store_record
from readtrack.library.papers.commands import add_paper
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.metadata import sources
from readtrack.metadata.parsing.html_head import parse_head
from readtrack.metadata.types import Ref
from tests import make
from tests.outside.facts import Fact, Facts
from tests.outside.world import World, egress_for

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
ESCAPED = "&lt;svg onload=alert(3)&gt;&amp;lt;iframe srcdoc='alert(4)'&amp;gt;"
FORMULA = "$\\href{javascript:alert(5)}{x}$ $\\text{<img src=x onerror=alert(6)>}$ $x<script$"
TEMPLATE = "{{7*191}} ${7*191} {% raw %} %s {0.__class__}"
BREAKOUT = "}},\n@misc{alert8, title={\\input{/etc/passwd}}} \u202eevil\u2066"
TITLE = f"alert(0) {SCRIPT} {IMAGE} {ESCAPED} {FORMULA} {TEMPLATE} {BREAKOUT}"
NAME = f"Eve {SCRIPT}{IMAGE} alert(7)"
FACT = Fact(
    TITLE, (NAME, f"Mal {ESCAPED}"), 2024, arxiv="2405.66601", doi="10.1145/3600006.3666601", usenix="osdi24/evil",
    venue=f"OSDI 2024 {IMAGE}", pages="1-2", published="2024-05-01T00:00:00Z",
)  # fmt: skip
OTHER = Fact("<b>alert(8)</b> else", (NAME,), 2024, arxiv="2405.66602", published=FACT.published)
PAGES = ("url:evil.example.org/a", "zenn:eve/articles/evil", "zhihu:p/666", "youtube:aaaaaaaaaaa")


def page() -> bytes:
    """A page with such texts in every tag that is read."""
    tags: tuple[str, ...] = (
        "citation_title",
        "og:title",
        "twitter:title",
        "dc.title",
        "description",
        "og:description",
        "dc.creator",
    )
    tags += ("citation_author", "citation_conference_title", "citation_publication_date", "og:site_name", "og:locale")
    said = "".join(f'<meta name="{tag}" property="{tag}" content="{escape(TITLE)}">' for tag in tags)
    return (
        f"<html><head><title>{escape(TITLE)}</title>{said}</head><body><h1>{escape(TITLE)}</h1></body></html>".encode()
    )


def hear(database: Database, me: CurrentUser) -> list[int]:
    """A library with papers that all of them have told of; those papers."""
    with database.write() as tx:
        search.ensure(tx)
        ids = [add_paper(tx, me, ref)[0] for ref in map(Ref.parse, sorted(FACT.names))]
        ids += [add_paper(tx, me, Ref("arxiv", "2405.66602"), title="What we meant")[0]]
    with World(Facts([FACT, OTHER])) as world:
        http = egress_for(world, database)
        while queue.run_due_job(database, http):
            pass
    return [*ids, *_read_pages(database, me)]


def _read_pages(database: Database, me: CurrentUser) -> Iterator[int]:
    head = parse_head(page(), "text/html; charset=utf-8")
    with database.write() as tx:
        for name in PAGES:
            ref = Ref.parse(name)
            paper_id, _ = add_paper(tx, me, ref)
            service = sources.service(ref.scheme)
            store_record(tx, paper_id, service.read(ref.key, head.to_raw()))
            yield paper_id


def add_by_hand(database: Database, paper_id: int) -> None:
    """An answer as it could be at worst, whatever its source did to it before: beneath everything else that is kept."""
    with database.write() as tx:
        said: dict[str, Any] = {
            "title": TITLE,
            "authors": [NAME],
            "venue": IMAGE,
            "abstract": TITLE,
            "language": '"><b>',
        }
        said["remark"] = f"withdrawn: {SCRIPT}"
        for state in ("agrees", "disagrees", "refused", "superseded"):
            kept: dict[str, Any] = {
                "service": f"<b>{state}</b>",
                "scheme": "arxiv",
                "value": "2405.66602",
                "stage": "preprint",
            }
            make.added(
                tx, MetadataRecord(paper_id=paper_id, state=state, problem=f"alert({state}) {SCRIPT}", **kept, **said)
            )


def propose(database: Database, me: CurrentUser, paper_id: int) -> None:
    """What else is shown of what services say: proposals, pairs, links, names that they do not know, merged papers."""
    with database.write() as tx:
        other, gone = make.paper(tx, TITLE[:900], authors=[NAME]), make.paper(tx, f"{SCRIPT} alert(9)")
        lead = make.added(tx, Lead(text=f"alert(9) {SCRIPT}"))
        make.entry(tx, f"alert(9) {SCRIPT}", kind="lead", lead_id=lead.id)
        found: dict[str, Any] = {
            "identifier": "doi:10.1145/<script>",
            "service": "<b>dblp</b>",
            "title": TITLE,
            "authors": [NAME],
        }
        abouts: list[tuple[str, dict[str, Any]]] = [("is", {"lead_id": lead.id}), ("discusses", {"paper_id": paper_id})]
        for kind, about in abouts:
            make.added(tx, MatchSuggestion(kind=kind, likeness=90, evidence=f"alert(9) {IMAGE}", **found, **about))
        add_candidate(tx, paper_id, other.id, likeness=90, evidence=f"alert(9) {IMAGE}")
        asked: dict[str, Any] = {
            "service": "<b>arxiv</b>",
            "key": "<img src=x>",
            "state": "refused",
            "problem": f"alert(9) {IMAGE}",
        }
        make.added(tx, MetadataRequest(paper_id=other.id, **asked))
        add_relation(tx, me, other.id, RelationCreate(to=paper_id, kind="discusses", note=f"alert(9) {IMAGE}"))
        merge_papers(tx, me, gone.id, into_id=paper_id)
