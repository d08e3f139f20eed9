"""The library behind the places: the demo's, and what else fills the holes in their addresses."""

from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from playwright.sync_api import Page
from sqlmodel import col

from readtrack import search
from readtrack.cli import demo
from readtrack.infra.clock import now, today
from readtrack.infra.db import Database, Write
from readtrack.infra.models import (
    Lead,
    MatchSuggestion,
    Meeting,
    MetadataRecord,
    MetadataRequest,
    NoteRevision,
    Paper,
    Person,
    Reading,
    Series,
    Summary,
    Topic,
)
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import OPERATOR, CurrentUser
from readtrack.ingest.imports.commands import ImportCommit, commit_import, prepare_notes, preview_notes
from readtrack.ingest.imports.queries import list_paper_results
from readtrack.ingest.imports.rules import RuleCreate, add_rule
from readtrack.ingest.sample_notes import read_sample_notes
from readtrack.library.citations.citation_lists import store_citation_list
from readtrack.library.comparisons.commands import ComparisonFields, add_comparison
from readtrack.library.duplicates.merge import merge_papers
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.enrichment.field_choices import choose_field
from readtrack.library.enrichment.records import store_record
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.links import TopicLinkFields, add_link
from readtrack.library.topics.reading_order import ReadingOrderMove, list_unordered_papers, move_in_order
from readtrack.metadata.blocked_hosts.commands import BlockedHostCreate, block_host
from readtrack.metadata.types import BibliographyItem, DatedVersion, Metadata, Ref
from readtrack.reading.drafts.commands import DraftSubject, DraftUpdate, save_draft
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.reading.text_templates.commands import TextTemplateFields, add_template
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.identities import ExternalIdentity
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.schemas import InvitationCreate
from readtrack.team.assignments.commands import AssignmentAnswer, AssignmentCreate, answer_assignment, make_assignment
from readtrack.team.meetings.commands.agendas import add_item
from readtrack.team.meetings.commands.candidates import propose, vote
from readtrack.team.meetings.commands.schedule import add_series, edit_notes, plan_meeting, plan_next, set_state
from readtrack.team.meetings.schemas import (
    AgendaItemCreate,
    CandidateCreate,
    MeetingCreate,
    MeetingNotesUpdate,
    NextMeetingCreate,
    SeriesFields,
)
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from readtrack.workspace.saved_searches.commands import SavedSearchFields, delete_view, save_view
from tests import make
from tests.browser.dressed import dress
from tests.browser.places import PASSWORD, Place

DOI = Ref("doi", "10.1145/3600006.3699999")
SPRING, SUMMER = datetime(2024, 5, 30, 9, tzinfo=UTC), datetime(2024, 8, 12, 9, tzinfo=UTC)
PROVIDER = {"oidc_issuer": "https://id.example.org", "oidc_client_id": "readtrack"}  # nobody asks it here
BUSY = "429 after 600"  # what the stand-in arXiv says while these pages are looked at: so one sees what waits
WAITING = "- https://arxiv.org/abs/2405.00001\n- Tracing Slow Workers https://arxiv.org/abs/2405.00002\n"
DOUBTFUL = """## Recovery

- [x] [Recovering by Halves at Great Scale](https://arxiv.org/abs/2405.10001) read 2025-02-03
- Recovering by Halves at Great Scale https://dl.acm.org/doi/10.1145/3600006.3613145
- ☐ https://zenn.dev/someone/scraps/c28b1815d84434 参考になった
http://localhost:8888/tree
"""


class Furnished(NamedTuple):
    """People to look as, and what fills the holes in addresses."""

    people: dict[str, CurrentUser]
    holes: dict[str, int | str]

    def address(self, place: Place) -> str:
        return place.address.format(**self.holes)

    def who(self, place: Place) -> CurrentUser | None:
        return self.people[place.by] if place.by else None


def first_person(database: Database) -> Furnished:
    """An empty library with its admin."""
    with database.write() as tx:
        return Furnished({"admin": make.visitor(tx, "Ada Example", role="admin")}, {})


def furnish(database: Database) -> Furnished:
    """Fills an empty library, migrated and not yet served."""
    demo.fill(database)
    with database.write() as tx:
        people = {role: _visitor(tx, role) for role in ("admin", "viewer")}
        _know_elsewhere(tx, people)
        return Furnished(people, _holes(tx, people["admin"]))


def open_place(page: Page, place: Place, furnished: Furnished) -> None:
    """Goes there and does what is to be done there."""
    page.goto(furnished.address(place))
    if place.then:
        place.then(page)
        page.wait_for_load_state()


def _know_elsewhere(tx: Write, people: dict[str, CurrentUser]) -> None:
    """The admin by a provider, the viewer and somebody else by a second factor."""
    commands.link_identity(tx, people["admin"], ExternalIdentity(PROVIDER["oidc_issuer"], "1234", "aki.tanaka"))
    queries.get_person(tx, people["viewer"].id).totp_salt = "5a" * 16
    make.person(tx, "Two Steps", password_hash=hash_password(PASSWORD), totp_salt="5a" * 16)


def _topic_things(tx: Write, admin: CurrentUser) -> dict[str, int | str]:
    """A topic in an order, with links; another that it could be part of."""
    topic = tx.scalars(sa.select(Topic).where(col(Topic.slug) == "checkpointing")).one()
    for row in list_unordered_papers(tx, topic.id or 0)[:4]:
        move_in_order(tx, admin, topic.slug, row.id, step=ReadingOrderMove(to="bottom"))
    tool = TopicLinkFields(
        url="https://github.com/pytorch/torchsnapshot", title="torchsnapshot", note="What PyTorch had."
    )
    add_link(tx, admin, topic.slug, TopicLinkFields(url="https://example.org/blog/how-we-save-state-every-minute"))
    into = tx.scalars(sa.select(Topic).where(col(Topic.id) != topic.id).order_by(col(Topic.id))).first()
    link = add_link(tx, admin, topic.slug, tool)
    return {"topic_link": link.id or 0, "topic_into": into.slug if into else ""}


def _begun_to_write(tx: Write, admin: CurrentUser) -> dict[str, int | str]:
    """A summary that is saved and was gone on with in two windows, and a template of the team's."""
    paper = make.paper(tx, "On $O(n \\log n)$ Ways to Lose a Draft")
    edit_summary(tx, admin, paper.id, SummaryUpdate(markdown="What is saved.", tldr="Saved."), version=None)
    about = DraftSubject("summary", paper.id)
    texts = ("A later thought: $C = f$. " * 9, "訓練中に保存する。\n\n- [ ] 検証")
    wanted = [DraftUpdate(fields={"markdown": text, "tldr": "Half"}, version=1) for text in texts]
    draft = [save_draft(tx, admin, about, f"{at:016}", data=one) for at, one in enumerate(wanted)][-1]
    questions = TextTemplateFields(name="ベンチマーク / benchmarks", markdown="## Machine\n\n## Numbers\n\n## 疑問")
    return {"drafted": paper.id, "draft": draft.id or 0, "template": add_template(tx, admin, questions).id or 0}


def _left(tx: Write, admin: CurrentUser) -> int:
    """Somebody who was on the team."""
    person = make.person(tx, "Zélie Former")
    commands.disable_person(tx, admin, person.id)
    return int(person.id)


def _holes(tx: Write, admin: CurrentUser) -> dict[str, int | str]:
    preview, _ = preview_notes(tx, admin, prepare_notes(read_sample_notes(), "Collected in November"))
    committed = tx.execute(sa.select(NoteRevision).where(col(NoteRevision.state) == "committed")).scalars().first()
    assert committed is not None
    waiting, _ = preview_notes(tx, admin, prepare_notes(WAITING, "Links of this week"))
    commit_import(tx, admin, waiting, ImportCommit())
    doubtful, _ = preview_notes(tx, admin, prepare_notes(DOUBTFUL, "Twins and marks"))
    preview_notes(tx, admin, prepare_notes(f"# Kept up\n{DOUBTFUL}", "Kept up"))
    later = f"# Kept up\n{DOUBTFUL.replace('Halves', 'Quarters')}- and a remark of this week\n"
    revised, _ = preview_notes(tx, admin, prepare_notes(later, "Kept up"))
    add_rule(tx, admin, RuleCreate(pattern="host", value="zenn.dev/*/scraps", says="kind", name="article"))
    add_rule(tx, admin, RuleCreate(pattern="heading", value="覚え書き", says="no_topic"))
    _throw_away(tx, admin)
    return {
        "doubtful": doubtful,
        "undecided": make.paper(tx, "Sorting Mail by Machine", triage="inbox").id,
        "revised": revised,
        "note_revised": tx.get_one(NoteRevision, revised).note_id,
        "waiting": waiting,
        "join": commands.invite(tx, OPERATOR, InvitationCreate(role="member")),
        "back": commands.create_reset_link(tx, admin, make.person(tx, "Noor Absent").id),
        "former": _left(tx, admin),
        "dressed": dress(tx, admin),
        "view": _views(tx, admin),
        "webhook": _webhook(tx, admin),
        "summarised": _most_summarised(tx),
        **_topic_things(tx, admin),
        "mine": _saved_twice(tx, admin),
        **_begun_to_write(tx, admin),
        "imported": _imported(tx, committed.id or 0),
        **_meetings(tx, admin),
        **_asked(tx, admin),
        **_odd_papers(tx),
        **_talk(tx, admin),
        **_compared(tx, admin),
        **_told_papers(tx, admin),
        "preview": preview,
        "committed": committed.id or 0,
        "note": committed.note_id,
    }


def _views(tx: Write, admin: CurrentUser) -> int:
    """One of the admin's own, with an order that no form offers; beside those of the team."""
    odd = {"q": "year:2020..2024 -status:read", "sort": "relevance", "display": "table", "columns": ["venue", "year"]}
    return save_view(
        tx, admin, SavedSearchFields.model_validate({"name": "読みかけ & <half> read, of the last years", **odd})
    )


def _webhook(tx: Write, admin: CurrentUser) -> int:
    """One that was turned off, with deliveries of each kind."""
    problem = "HTTP 503"
    webhook = make.webhook(
        tx, admin.id, "https://chat.example.org/hooks/" + "x" * 60, format="mattermost", events=["papers"]
    )
    webhook.state, webhook.problem = "disabled", problem
    make.webhook(tx, admin.id, "https://example.org/team", team=True)
    make.delivery(tx, webhook.id, event_id=1, state="delivered", status=200, answer="ok", attempts=1)
    make.delivery(tx, webhook.id, event_id=2, state="failed", status=503, answer="<h1>Try again later</h1>", attempts=8)
    make.delivery(tx, webhook.id, event_id=3, state="skipped", verb="summary.added")
    make.delivery(tx, webhook.id, state="waiting", verb="webhook.test", manual=True)
    return int(webhook.id)


def _throw_away(tx: Write, me: CurrentUser) -> None:
    """Papers, together, and a view."""
    papers = [make.paper(tx, title, language="en").id for title in ("Sorting by Weight", "Parcels, Revisited")]
    run_bulk_action(tx, me, BulkRequest.model_validate({"papers": papers, "act": "delete"}))
    delete_view(tx, me, save_view(tx, me, SavedSearchFields(name="要らない", q="kind:video")))


def _talk(tx: Write, me: CurrentUser) -> dict[str, int | str]:
    """Threads with new, hidden, deleted and settled comments on one paper; an answered question and others."""
    other = _others(tx, me, 1)[0]
    paper = make.paper(tx, "Overlapping Recovery with Training", authors=["Ada Örn"], language="en").id
    text = "Is the 2× in Figure 6 from overlap **alone**? Then $t_{ckpt}$ would not matter, see https://example.org."
    first = make.comment(tx, other, text, paper_id=paper)
    make.comment(
        tx, me.id, f"> Is the 2× from overlap alone?\n\nNo; ask @{me.name}.", paper_id=paper, parent_id=first.id
    )
    make.comment(tx, other, "図 6 は重なりだけではない。付録 B も見て。", paper_id=paper, parent_id=first.id, version=2)
    make.comment(tx, other, paper_id=paper, parent_id=first.id, hidden_at=now(), hidden_by=me.id)
    gone = make.comment(tx, other, paper_id=paper, deleted_at=now())
    own = make.comment(tx, me.id, "```\nloss = nan\n```\nhappens here too.", paper_id=paper, parent_id=gone.id)
    done = {"resolved_at": now(), "resolved_by": me.id}
    make.comment(tx, other, "Which cluster did they use? It is told in section 5.", paper_id=paper, **done)
    long = "Why does recovery get slower as the number of workers grows, although each of them restores less?"
    topic = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == "checkpointing"))
    question = make.question(tx, long, paper_id=paper, topic_id=topic, owner_id=other, created_by=me.id)
    for words in ("検査点の間隔はどう決める?", "Does the bound on $n$ hold for odd rings?"):
        make.question(tx, words, created_by=other, topic_id=topic)
        make.question(tx, f"{words} (2)", created_by=other, paper_id=paper)
    make.comment(tx, me.id, "Perhaps because of the store?", question_id=question.id)
    answer = make.comment(tx, other, "They all read from one store; see Table 2.", question_id=question.id)
    question.state, question.answer_id, question.closed_at, question.closed_by = "answered", answer.id, now(), me.id
    _read_by_many(tx, me, paper)
    return {"talked": paper, "question": question.id, "comment": first.id, "own_comment": own.id}


def _read_by_many(tx: Write, me: CurrentUser, paper: int) -> None:
    """People at every status, with all that can be said of one's reading; mine for the second time."""
    finished = {"depth": "studied", "finished_on": today() - timedelta(days=40)}
    for number in range(9):
        word = ("must_read", "worth_it", "skip")[number % 3]
        make.reading(tx, make.person(tx, f"Reader {number}").id, paper, "read", recommendation=word, **finished)
    some = _others(tx, me, 4)
    for person, status in zip(some, ("reading", "paused", "to_read", "dropped"), strict=True):
        page = {"progress_unit": "page", "progress_at": 7, "progress_of": 19} if status in {"reading", "paused"} else {}
        make.reading(tx, person, paper, status, reason="The proof has a gap." if status == "dropped" else "", **page)
    make.reading(tx, me.id, paper, "read", current=False, **finished)
    make.reading(tx, me.id, paper, "reading", pass_number=2, progress_unit="page", progress_at=3, progress_of=19)
    make.assignment(tx, me.id, paper, "accepted", created_by=some[0], due_on=today() + timedelta(days=2))
    series = tx.scalar(sa.select(sa.func.min(col(Series.id)))) or 0
    propose(tx, me, series, CandidateCreate(paper=paper, reason="Half of us have read it."))
    add_item(tx, me, tx.scalar(sa.select(sa.func.max(col(Meeting.id)))) or 0, AgendaItemCreate(paper=paper, minutes=20))


def _asked(tx: Write, me: CurrentUser) -> dict[str, int | str]:
    """What I am asked to read, late and soon, by a person and by myself; and what I ask of others."""
    asker, other = make.visitor(tx, "Chidi Okonkwo-Featherstonehaugh"), make.visitor(tx, "林 美咲")
    papers = [make.paper(tx, title) for title in ("Elastic Pipelines", "勾配の圧縮と通信", "Sparse All-Reduce")]
    late = make.assignment(tx, me.id, papers[0].id, created_by=asker.id, due_on=today() - timedelta(days=3))
    notify(
        tx,
        asker,
        "assignment",
        [me.id],
        subject_ids={"paper_id": papers[0].id},
        group_key="late",
        data={"what": "made"},
    )
    mine = AssignmentCreate(paper=papers[1].id, person=me.id, due_on=today() + timedelta(days=8), depth="studied")
    make_assignment(tx, asker, mine.model_copy(update={"note": "Section 3; does it hold for eight nodes?"}))
    make_assignment(tx, me, AssignmentCreate(paper=papers[2].id, person=me.id))
    given = make_assignment(tx, me, AssignmentCreate(paper=late.paper_id, person=other.id, due_on=today()))
    said = AssignmentAnswer(answer="decline", reason="Away until the ninth, sorry.")
    back = make_assignment(tx, me, AssignmentCreate(paper=late.paper_id, person=asker.id))
    answer_assignment(tx, asker, back.id or 0, said)
    notify(tx, None, "version", [me.id], subject_ids={"paper_id": papers[2].id}, group_key="new", data={"label": "v2"})
    return {"asked": late.paper_id, "assignment": given.id or 0}


def _odd_papers(tx: Write) -> dict[str, int | str]:
    crowd = [
        f"{given} {family}" for given in "ABCDEFGHIJKLMNOPQRST" for family in ("Muster", "Örn", "山田", "Lee", "Ng")
    ]
    long = "A Very Long Title, Longer Than Any Line, About Training-Time-Communication" + ", Overlapping" * 20
    odd = {
        "crowded": make.paper(tx, long, authors=crowd * 30, venue="A Workshop", year=2025, language="en"),
        "hebrew": make.paper(tx, "אימון מודלים גדולים על אלף מעבדים", authors=["דנה לוי", "نور الدين"], language="he"),
        "blank": make.paper(tx, identifier="url:example.org/a/page/without-any-title", kind="page"),
    }
    odd["blank"].title = odd["blank"].title_key = ""
    tx.execute(sa.delete(MetadataRequest))
    return {name: paper.id or 0 for name, paper in odd.items()}


def _told_papers(tx: Write, me: CurrentUser) -> dict[str, int | str]:
    """What several sources tell of: a paper read in its first version, another that they disagree about."""
    people = ("Chika Muster", "Dana Lee", "Bo Örn")
    title = "Sorting Gradients in $O(n \\log n)$ Messages: Collectives under Contention"
    told = make.paper(tx, f"{title[:36]} Rounds", identifier="arxiv:2405.20001", created_by=me.id)
    for said in (
        Metadata(
            Ref("arxiv", "2405.20001"),
            title=f"{title[:36]} Rounds: Collectives under Contention",
            authors=people,
            stage="preprint",
            year=2024,
            published_on=date(2024, 5, 30),
            abstract="Gradients wait for each other. " * 12,
            language="en",
            remark="withdrawn: by its authors, who found a gap in the proof",
            versions=(DatedVersion("v1", SPRING), DatedVersion("v2", SUMMER)),
            identifiers=(DOI,),
        ),
        Metadata(DOI, "crossref", title=title, authors=people, stage="published", year=2025, venue="SIGCOMM 2025"),
        Metadata(
            DOI,
            "openalex",
            title=title.upper(),
            authors=people[:2],
            stage="published",
            year=2024,
            abstract="Gradients wait for one another. " * 12,
            remark="retracted",
        ),
        Metadata(Ref("github", "someone/sorting"), title="sorting: a toy", authors=("someone",), stage="page"),
    ):
        store_record(tx, told.id, said)
    choose_field(tx, me, told.id, "year", record_id=tx.scalar(sa.select(sa.func.min(col(MetadataRecord.id)))) or 0)
    make.reading(tx, me.id, told.id, "reading", version_label="v1")
    article = make.paper(
        tx, "勾配の並べ替えを読む", identifier="zenn:someone/articles/sorting", kind="article", language="ja"
    )
    add_relation(tx, me, article.id, RelationCreate(to=told.id, kind="discusses", note="§3 の図を追う。"))
    _cited(tx, told.id)
    return {"told": told.id, "discussed": article.id, "kept": _twins(tx, me, told.id)}


def _cited(tx: Write, told: int) -> None:
    """A talk and a second part that may belong to it; what it cites and what cites it, here and not here."""
    title = "Sorting Gradients in $O(n \\log n)$ Messages: Collectives under Contention"
    talk = make.paper(tx, title, kind="video")
    older = [
        make.paper(tx, f"Gradients, Sorted by {how}", identifier=f"doi:10.1145/{how}", year=2019)
        for how in ("size", "age")
    ]
    newer = [make.paper(tx, f"{title} after Sorting", year=2025) for title in ("Elastic Rings", "帯域の限界")]
    missing = [
        BibliographyItem((Ref("doi", "10.1145/3600006.3600001"),), "Bandwidth-optimal Rings on $k$-ary Trees", 2017),
        BibliographyItem((Ref("arxiv", "1802.05799"),), "A Library That Everybody Uses", 2018),
    ]
    ours = [BibliographyItem((Ref("doi", f"10.1145/{how}"),)) for how in ("size", "age")]
    store_citation_list(tx, told, [*ours, *missing], service="crossref", key="told")
    for paper in newer:
        store_citation_list(
            tx,
            paper.id,
            [BibliographyItem((Ref("arxiv", "2405.20001"),)), missing[0]],
            service="semanticscholar",
            key="k",
        )
    search.update_papers(tx, [told, *(paper.id for paper in (talk, *older, *newer))])


def _compared(tx: Write, me: CurrentUser) -> dict[str, int]:
    """A table with signs, formulas and long cells; leads in each state, one of them with two works that may be it."""
    paper = tx.scalar(sa.select(col(Paper.id)).order_by(col(Paper.id)).limit(1))
    rows = [
        {
            "cells": ["Gang スケジューリング", "△（拡張必要）", "◎（デフォルト）", "Volcano で実現可能 vs 標準機能"],
            "paper": paper,
        },
        {"cells": ["動的ノード追加", "◎ (autoscaler)", "△", "costs $O(n \\log n)$, see https://example.org/nodes"]},
        {"cells": ["Quotas", "", "✕", "W" * 60 + " a cell that goes on for longer than its column is wide"]},
    ]
    scale = [{"sign": "◎", "meaning": "優秀"}, {"sign": "△", "meaning": "限定的"}, {"sign": "✕"}]
    said = {
        "title": "Kubernetes と Slurm",
        "columns": ["機能", "Kubernetes", "Slurm", "説明"],
        "rows": rows,
        "scale": scale,
    }
    table = add_comparison(tx, me, "checkpointing", ComparisonFields.model_validate(said))
    lead = make.added(tx, Lead(text="Keeps copies of optimizer states in the memory of other machines"))
    for text, state, about in (("那篇讲检查点的综述", "dropped", None), ("the first one on this", "found", paper)):
        make.added(tx, Lead(text=text, state=state, paper_id=about))
    for number, evidence in (
        (7, "Seven words of nine are the same."),
        (8, "The venue is the same, and so is the year."),
    ):
        found: dict[str, Any] = {"identifier": f"arxiv:2405.0777{number}", "service": "arxiv", "likeness": 90 - number}
        found |= {"title": "Copies in Other Machines’ Memory", "authors": ["Bo Lee"], "evidence": evidence}
        make.added(tx, MatchSuggestion(kind="is", lead_id=lead.id, **found))
    return {"comparison": table.id or 0, "lead": lead.id or 0}


def _twins(tx: Write, me: CurrentUser, told: int) -> int:
    """Pairs that may be one, one that is merged, a title that was found, a name that nobody knows, a closed host."""
    one = make.paper(tx, "Elastic Training on Spot Machines", authors=["Ada Örn", "Bo Lee"], year=2024)
    other = make.paper(
        tx, "Elastic training on spot instances", authors=["A. Örn", "B. Lee"], venue="ATC 2025", year=2025
    )
    make.reading(tx, me.id, one.id, "read")
    make.summary(tx, me.id, other.id)
    add_candidate(tx, one.id, other.id, likeness=91, evidence="Nine words of ten and both authors are the same.")
    add_candidate(tx, one.id, told, likeness=71, evidence="The talk has the title of the paper before its colon.")
    found: dict[str, Any] = {
        "identifier": "doi:10.1145/3600006.3611111",
        "service": "crossref",
        "likeness": 93,
        "venue": "OSDI 2024",
    }
    lead = make.added(tx, Lead(text="去年 OSDI 上那篇讲弹性训练的论文"))
    abouts: list[tuple[str, dict[str, Any]]] = [("is", {"lead_id": lead.id}), ("discusses", {"paper_id": one.id})]
    for kind, about in abouts:
        evidence = "The title is the same but for one word, and so is the year."
        said: dict[str, Any] = {
            "title": "Elastic Pipelines",
            "authors": ["Ada Örn"],
            "year": 2024,
            "evidence": evidence,
        }
        make.added(tx, MatchSuggestion(kind=kind, **about, **said, **found))
    sentence = "arXiv has no paper 2405.99999. The paper is kept as it is; check the number."
    unknown: dict[str, Any] = {"service": "arxiv", "key": "2405.99999", "state": "unknown", "problem": sentence}
    make.added(
        tx, MetadataRequest(paper_id=make.paper(tx, "A Paper With a Typo", identifier="arxiv:2405.99999").id, **unknown)
    )
    block_host(tx, me, BlockedHostCreate(host="intranet.example.org"))
    gone = make.paper(tx, "Parcels of Gradients (extended version)")
    kept = make.paper(tx, "Parcels of Gradients")
    return int(merge_papers(tx, me, gone.id, into_id=kept.id).id or 0)


def _others(tx: Write, me: CurrentUser, count: int) -> list[int]:
    people = sa.select(col(Person.id)).where(col(Person.id) != me.id).order_by(col(Person.id)).limit(count)
    return [person_id or 0 for person_id in tx.scalars(people)]


def _meetings(tx: Write, me: CurrentUser) -> dict[str, int | str]:
    """A series with a meeting that was held and one to come, what is proposed for the next, and a single meeting."""
    rota = list(tx.scalars(sa.select(col(Person.id)).where(col(Person.disabled_at).is_(None)).order_by(col(Person.id))))
    papers = list(tx.scalars(sa.select(col(Reading.paper_id)).group_by(col(Reading.paper_id)).limit(7)))
    wanted = {
        "name": "読書会, reading group",
        "interval_weeks": 2,
        "weekday": 2,
        "time_zone": "Asia/Tokyo",
        "location": "Room 3",
    }
    series = add_series(tx, me, SeriesFields.model_validate({**wanted, "presenter_order": rota}))
    then = MeetingCreate(title="Reading group", date=date(2025, 11, 5), presenter=rota[0], series=series.id)
    met, to_come = plan_meeting(tx, me, then), plan_next(tx, me, series.id or 0, NextMeetingCreate())
    notes = MeetingNotesUpdate(
        notes="- The loss spikes of $\\S 4$ come from *stale* shards.", decisions="Ken tries it on 8 nodes."
    )
    edit_notes(tx, me, met.id or 0, notes, version=1)
    for paper_id in papers[:2]:
        add_item(tx, me, met.id or 0, AgendaItemCreate(paper=paper_id, presenter=rota[1], minutes=30))
    set_state(tx, me, met.id or 0, "held")
    for paper_id in papers[2:4]:
        add_item(tx, me, to_come.id or 0, AgendaItemCreate(paper=paper_id, minutes=25, note="Sections 3 and 4 first."))
    question = make.question(tx, "Why does recovery take minutes when the copy takes seconds?")
    add_item(tx, me, to_come.id or 0, AgendaItemCreate(question=question.id))
    for paper_id in papers[4:]:
        candidate, _ = propose(
            tx, me, series.id or 0, CandidateCreate(paper=paper_id, reason="It is what we do by hand.")
        )
        vote(tx, me, candidate.id or 0, 1)
    visit = plan_meeting(tx, me, MeetingCreate(title="Visit of the storage group", date=date(2035, 3, 6), minutes=45))
    return {"series": series.id or 0, "met": met.id or 0, "meeting": to_come.id or 0, "visit": visit.id or 0}


def _visitor(tx: Write, role: str) -> CurrentUser:
    person = tx.execute(sa.select(Person).where(col(Person.role) == role)).scalars().first()
    assert person is not None
    return CurrentUser(person.id or 0, person.name, person.role, confirmed=True)


def _most_summarised(tx: Write) -> int:
    papers = sa.select(col(Summary.paper_id)).group_by(col(Summary.paper_id))
    return int(tx.scalar(papers.order_by(sa.func.count(col(Summary.id)).desc()).limit(1)) or 0)


def _saved_twice(tx: Write, me: CurrentUser) -> int:
    mine = tx.execute(sa.select(Summary).where(col(Summary.person_id) == me.id)).scalars().first()
    assert mine is not None
    edit = SummaryUpdate(markdown=f"{mine.markdown}\n\nAnd what stays the same.", tldr=mine.tldr)
    edit_summary(tx, me, mine.paper_id, edit, version=mine.version)
    return mine.paper_id


def _imported(tx: Write, import_id: int) -> int:
    return int(list_paper_results(tx, import_id)[0].id)
