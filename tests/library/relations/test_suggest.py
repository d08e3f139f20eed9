"""Papers that may belong together: what names another, parts of a series, and what people said of it."""

from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.models import DismissedRelation, Identifier, Link, MatchSuggestion, Paper, Relation
from readtrack.library.relations import links
from readtrack.library.relations.links import RelationCreate, RelationKey, add_relation
from readtrack.library.relations.suggest import list_suggestions, parse_series_part
from tests import make


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


def papers(database, *said, **shared):
    """Papers of these titles and kinds, which searches find."""
    with database.write() as tx:
        made = [make.paper(tx, title, kind=kind, **shared) for title, kind in said]
        search.update_papers(tx, [paper.id for paper in made])
        return [paper.id for paper in made]


def suggested(database, me, paper_id):
    with database.read() as tx:
        return [(one.from_id, one.kind, one.to_id) for one in list_suggestions(tx, me, paper_id)]


KETTLE = "Kettle: Warm Caches for Tea in the Data Center"


@pytest.mark.parametrize(
    ("title", "kind", "does"),
    [
        (f"OSDI '23 - {KETTLE}", "video", "presents"),
        (KETTLE, "slides", "presents"),
        (f"论文阅读：{KETTLE}", "article", "discusses"),
        (f"論文紹介「{KETTLE}」", "slides", "presents"),
        (f"NSDI24 {KETTLE}", "page", "discusses"),
    ],
)
def test_a_title_naming_a_paper_suggests_a_relation_from_both_ends(database, me, title, kind, does):
    paper, about, _ = papers(database, (KETTLE, "paper"), (title, kind), ("Kettle: A Cold Study of Something", "paper"))
    assert suggested(database, me, about) == [(about, does, paper)]
    assert suggested(database, me, paper) == [(about, does, paper)]


def test_nothing_is_suggested_when_two_papers_or_none_may_be_meant(database, me):
    papers(database, (KETTLE, "paper"), (KETTLE, "paper"))
    talk, other = papers(database, (KETTLE, "video"), ("A talk about something else entirely today", "video"))
    assert suggested(database, me, talk) == []
    assert suggested(database, me, other) == []


def test_linking_to_a_paper_or_naming_it_in_a_text_suggests_a_relation(database, me):
    [paper] = papers(database, (KETTLE, "paper"))
    with database.write() as tx:
        made = make.paper(tx, "Another", identifier="arxiv:2305.15778")
        code = make.paper(
            tx, "tea/kettle", kind="code", identifier="github:tea/kettle", abstract="See arXiv:2305.15778."
        )
        article = make.paper(tx, "A note on tea", kind="article", identifier="doi:10.1145/5")
        make.added(tx, Link(paper_id=article.id, url="https://arxiv.org/abs/2305.15778v2"))
        make.added(tx, Link(paper_id=paper, url="https://github.com/tea/kettle", role="code"))
        lines = make.entry(tx, "- [slides](https://x.example) of https://arxiv.org/pdf/2305.15778", kind="paper")
        slides = make.paper(tx, "Some slides", kind="slides")
        lines.paper_id = slides.id
    assert suggested(database, me, code.id) == [(code.id, "implements", made.id)]
    assert suggested(database, me, article.id) == [(article.id, "discusses", made.id)]
    assert suggested(database, me, slides.id) == [(slides.id, "presents", made.id)]
    assert suggested(database, me, paper) == [(code.id, "implements", paper)]


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("Tea from the ground up (1)", "Tea from the ground up (2)", "Tea from the ground up (3)"),
        ("お茶の分散学習 第1回", "お茶の分散学習 第2回", "お茶の分散学習 第３回"),
        ("茶的分布式训练（一）", "茶的分布式训练（二）", "茶的分布式训练（三）"),
        ("Tea from the ground up", "Tea from the ground up, Part II", "Tea from the ground up, part 3"),
        ("Tea from the ground up #1", "Tea from the ground up #2", "Tea from the ground up #3"),
    ],
)
def test_parts_of_a_series_are_suggested_in_order(database, me, first, second, third):
    one, two, three = papers(
        database, (first, "article"), (second, "article"), (third, "article"), authors=["Ada Teapot"]
    )
    papers(database, (second, "article"), authors=["Somebody Else"])
    assert set(suggested(database, me, two)) == {(two, "extends", one), (three, "extends", two)}
    assert suggested(database, me, three) == [(three, "extends", two)]


@pytest.mark.parametrize(
    "title", ["Part 2", "Tea in 2024", "GPT-4 and more", "第2回", "(2)", "", "Sparks of #hashtags"]
)
def test_a_number_alone_does_not_make_a_series(title):
    assert parse_series_part(title) is None


def test_linked_dismissed_or_pending_relations_are_not_suggested(database, me):
    paper, one, two, three, four = papers(database, (KETTLE, "paper"), *[(KETTLE, "video")] * 4)
    with database.write() as tx:
        make.added(tx, Relation(from_id=one, to_id=paper, kind="discusses"))
        links.dismiss_suggestion(tx, me, two, RelationKey(to=paper, kind="presents"))
        named = tx.scalars(sa.select(Identifier).where(col(Identifier.paper_id) == paper)).one()
        told: dict[str, Any] = {
            "service": "crossref",
            "title": KETTLE,
            "likeness": 90,
            "evidence": "The title names it.",
        }
        found = MatchSuggestion(kind="discusses", paper_id=three, identifier=f"{named.scheme}:{named.value}", **told)
        make.added(tx, found)
    assert {about for about, _, _ in suggested(database, me, paper)} == {three, four}
    assert suggested(database, me, three) == []
    with database.write() as tx:
        tx.scalars(sa.select(MatchSuggestion)).one().state = "rejected"
    assert [about for about, _, _ in suggested(database, me, paper)] == [four]
    assert suggested(database, me, two) == []
    with database.write() as tx:
        links.dismiss_suggestion(tx, me, two, RelationKey(to=paper, kind="presents"))
        links.restore_suggestion(tx, me, two, RelationKey(to=paper, kind="presents"))
        assert tx.scalars(sa.select(DismissedRelation)).all() == []
    assert suggested(database, me, two) == [(two, "presents", paper)]


def test_deleted_or_rejected_papers_are_not_suggested(database, me):
    paper, talk = papers(database, (KETTLE, "paper"), (KETTLE, "video"))
    with database.write() as tx:
        tx.get_one(Paper, paper).triage = "rejected"
    assert suggested(database, me, talk) == []


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "state"), [("discusses", "accepted"), ("presents", "accepted"), ("cites", "open")])
def test_linking_two_papers_by_hand_settles_their_suggestions(database, me, kind, state):
    paper, talk = papers(database, (KETTLE, "paper"), ("A talk", "video"))
    with database.write() as tx:
        make.added(tx, Identifier(paper_id=paper, scheme="arxiv", value="2404.00001"))
        told: dict[str, Any] = {"service": "arxiv", "title": KETTLE, "likeness": 90, "evidence": "Alike."}
        for name in ("arxiv:2404.00001", "arxiv:2404.00009"):
            make.added(tx, MatchSuggestion(kind="discusses", paper_id=talk, identifier=name, **told))
        add_relation(tx, me, talk, RelationCreate(to=paper, kind=kind))
    with database.read() as tx:
        assert tx.scalars(sa.select(col(MatchSuggestion.state)).order_by(col(MatchSuggestion.id))).all() == [
            state,
            "open",
        ]
