"""A small library in which every filter of the language finds something and leaves something out."""

from datetime import date, timedelta
from typing import Any

from readtrack import search
from readtrack.infra.clock import now, today
from readtrack.infra.db import Write
from readtrack.infra.models import DuplicatePair, Link, MetadataRequest, PaperTopic, Relation
from readtrack.infra.permissions import CurrentUser
from tests import make

PAPERS: dict[str, dict[str, Any]] = {
    "plain": {"title": "Exact Attention", "authors": ["Jane Doe"], "abstract": "About all reduce.", "year": 2020},
    "parallel": {"title": "数据并行训练", "venue": "NSDI 2024", "language": "zh-Hans", "year": 2024},
    "learning": {"title": "分散学習の基礎", "language": "ja", "year": 2021, "published_on": date(2021, 5, 16)},
    "talk": {"title": "Zigzag schedules", "kind": "video", "triage": "inbox", "venue": "NSDI 2024"},
    "code": {
        "title": "Kernels in C++",
        "kind": "code",
        "year": 2024,
        "language": "en",
        "identifier": "doi:10.1145/3627703.3650085",
    },
    "rejected": {"title": "Attention again", "triage": "rejected", "identifier": "url:https://gist.github.com/a/b"},
    "old": {"title": "Zigzag", "year": 1999, "abstract": "Exact and elegant.", "identifier": "arxiv:2305.15778"},
    "bare": {"title": "Nothing said"},
}


def furnish(tx: Write) -> tuple[CurrentUser, CurrentUser, dict[str, int]]:
    """Ada, who asks; Mei, of whom nothing is here yet; the papers by name. Ken reads, writes and is asked to."""
    search.ensure(tx)
    ada, ken, mei = make.visitor(tx, "Ada"), make.visitor(tx, "Ken"), make.visitor(tx, "Mei")
    ids: dict[str, int] = {}
    for number, (name, fields) in enumerate(PAPERS.items(), 1):
        at = now() - timedelta(days=40 * number)
        known = {"identifier": f"usenix:osdi23/paper{number}", "created_at": at, "updated_at": at, **fields}
        ids[name] = make.paper(tx, created_by=ada.id if number % 2 else None, **known).id
    _facts(tx, ids)
    _readings(tx, ids, ada, ken)
    _talk(tx, ids, ada, ken)
    search.rebuild(tx)
    return ada, mei, ids


def _facts(tx: Write, ids: dict[str, int]) -> None:
    above = make.topic(tx, "Checkpointing", aliases=("検査点",))
    below = make.topic(tx, "MoE", parent_id=above.id)
    make.added(tx, PaperTopic(paper_id=ids["plain"], topic_id=above.id))
    make.added(tx, PaperTopic(paper_id=ids["learning"], topic_id=below.id))
    for role, name in (("code", "code"), ("pdf", "plain"), ("slides", "talk")):
        make.added(tx, Link(paper_id=ids[name], url=f"https://github.com/{name}", role=role))
    make.added(tx, Relation(from_id=ids["talk"], to_id=ids["code"], kind="extends"))
    make.added(tx, DuplicatePair(first_id=ids["talk"], second_id=ids["old"], likeness=90, evidence="Alike."))
    make.added(tx, MetadataRequest(paper_id=ids["bare"], service="arxiv", key="bare", state="refused"))
    for name in ("learning", "old"):
        make.entry(tx, f"- 分散学習 {name}", paper_id=ids[name])


def _readings(tx: Write, ids: dict[str, int], ada: CurrentUser, ken: CurrentUser) -> None:
    half = {"progress_unit": "page", "progress_at": 6, "progress_of": 8, "updated_at": now() - timedelta(days=22)}
    make.reading(tx, ada.id, ids["plain"], "read", depth="studied", finished_on=date(2024, 5, 16))
    make.reading(tx, ada.id, ids["talk"], "reading", **half)
    make.reading(tx, ada.id, ids["old"], "dropped", private=True)
    make.reading(tx, ken.id, ids["plain"], "read", depth="skimmed", finished_on=today())
    make.reading(tx, ken.id, ids["learning"], "read")
    make.reading(tx, ken.id, ids["code"], "to_read")
    for name, who, days in (("code", ken, -1), ("bare", ada, 3), ("talk", ken, 30)):
        make.assignment(tx, who.id, ids[name], due_on=today() + timedelta(days=days))


def _talk(tx: Write, ids: dict[str, int], ada: CurrentUser, ken: CurrentUser) -> None:
    make.summary(tx, ada.id, ids["plain"], "Elegant, as @Ken said.")
    make.summary(tx, ada.id, ids["bare"], "Elegant too, @Ada.", private=True)
    make.comment(tx, ken.id, "Is it overlap, @Ada?", paper_id=ids["code"])
    make.comment(tx, ken.id, "overlap", paper_id=ids["bare"], hidden_at=now())
    make.question(tx, "Why so?", paper_id=ids["learning"], owner_id=ken.id)
    meeting = make.meeting(tx, now() + timedelta(days=7))
    make.item(tx, meeting.id, paper_id=ids["parallel"], presenter_id=ken.id)
