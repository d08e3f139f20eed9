"""What the palette finds: a few of each kind, by words, ids and CJK; only what one may see; in few statements."""

import pytest

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.models import Meeting, SavedSearch
from readtrack.workspace.command_palette import MAX_OTHERS, MAX_PAPERS, list_current_papers, search_palette
from tests import make

pytestmark = pytest.mark.both_databases

MOST_STATEMENTS = 6


@pytest.fixture
def tx(database):
    with database.write() as tx:
        search.ensure(tx)
        yield tx


@pytest.fixture
def ada(tx):
    return make.visitor(tx, "Ada Örn", role="admin")


def titles(hits, kind="paper"):
    return [hit.title for hit in hits if hit.kind == kind]


def papers(tx, *named):
    made = [make.paper(tx, title) for title in named]
    search.update_papers(tx, [paper.id for paper in made])
    return made


def view(tx, person, name, **fields):
    return make.added(tx, SavedSearch(person_id=person.id, name=name, created_at=now(), updated_at=now(), **fields))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("zero", ["ZeRO-Offload: Democratizing"]),
        ("ZeRO-Off", ["ZeRO-Offload: Democratizing"]),
        ("democ zero", ["ZeRO-Offload: Democratizing"]),
        ("学習", ["分散学習の入門"]),
        ("训练", ["大规模训练的故障"]),
        ("2305.15778", ["Just in Time"]),
        ("https://arxiv.org/pdf/2305.15778v2", ["Just in Time"]),
        ('zero" OR status:read', []),
        ("status:read", []),
        ("%", []),
        ("(((", []),
        ("   ", []),
    ],
)
def test_papers_are_found_by_title_words_and_identifiers(tx, ada, typed, found):
    papers(tx, "ZeRO-Offload: Democratizing", "分散学習の入門", "大规模训练的故障")
    make.paper(tx, "Just in Time", identifier="arxiv:2305.15778")
    assert titles(search_palette(tx, ada, typed)) == found


def test_topics_people_saved_searches_meetings_and_questions_are_found_by_name(tx, ada):
    make.topic(tx, "Pipelines", aliases=("Örtliche",))
    meeting = make.added(tx, Meeting(title="Über örtliche Pläne", starts_at=now()))
    question = make.question(tx, "Is the örtliche bound tight?", created_by=ada.id)
    mine = view(tx, ada, "Örtliche Ansicht")
    found = {hit.kind: hit.address for hit in search_palette(tx, ada, "ÖRTLICHE")}
    assert found == {
        "topic": "/topics/pipelines",
        "view": f"/views/{mine.id}",
        "meeting": f"/meetings/{meeting.id}",
        "question": f"/questions/{question.id}",
    }
    assert titles(search_palette(tx, ada, "örn"), "person") == ["Ada Örn"]


def test_only_a_few_of_each_kind_are_shown_and_the_newest_papers(tx, ada):
    made = papers(tx, *(f"Training {number}" for number in range(MAX_PAPERS + 3)))
    for number in range(MAX_OTHERS + 2):
        make.person(tx, f"Training Person {number}")
    hits = search_palette(tx, ada, "training")
    assert titles(hits) == [paper.title for paper in reversed(made)][:MAX_PAPERS]
    assert len(titles(hits, "person")) == MAX_OTHERS


def test_inaccessible_and_deleted_items_are_not_found(tx, ada):
    bob = make.visitor(tx, "Bob")
    view(tx, bob, "Secret plans")
    view(tx, bob, "Shared plans", shared=True)
    view(tx, ada, "Deleted plans", deleted_at=now())
    make.person(tx, "Former Plans", disabled_at=now())
    gone, kept = papers(tx, "Gone plans", "Kept plans")
    gone.deleted_at = now()
    tx.flush()
    assert [hit.title for hit in search_palette(tx, ada, "plans")] == [kept.title, "Shared plans"]
    assert titles(search_palette(tx, bob, "plans"), "view") == ["Shared plans", "Secret plans"]


def test_private_data_of_others_changes_nothing(tx, ada):
    (paper,) = papers(tx, "Parcels of Gradients")
    before = search_palette(tx, ada, "parcels"), search_palette(tx, ada, "heron")
    bob = make.visitor(tx, "Bob")
    make.reading(tx, bob.id, paper.id, "reading", private=True)
    make.summary(tx, bob.id, paper.id, "A heron.", private=True)
    assert (search_palette(tx, ada, "parcels"), search_palette(tx, ada, "heron")) == before


def test_before_typing_my_current_reading_is_shown(tx, ada):
    first, second, done = papers(tx, "First", "Second", "Done")
    make.reading(tx, ada.id, first.id, "paused", updated_at=now())
    make.reading(tx, ada.id, second.id, "reading", updated_at=now())
    make.reading(tx, ada.id, done.id, "read")
    make.reading(tx, make.person(tx).id, done.id, "reading")
    assert titles(list_current_papers(tx, ada)) == ["Second", "First"]


@pytest.mark.deep
def test_it_takes_few_statements_for_any_amount_of_data(tx, ada, statements):
    papers(tx, *(f"Training {number}" for number in range(40)))
    for number in range(40):
        make.topic(tx, f"Training {number}")
        make.question(tx, f"Training {number}?", created_by=ada.id)
    with statements() as seen:
        search_palette(tx, ada, "training")
    assert len(seen) <= MOST_STATEMENTS
