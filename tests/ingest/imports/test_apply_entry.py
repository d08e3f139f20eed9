"""What an entry becomes: one paper however it is named, with what the notes say of it, and nothing twice."""

import itertools
from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import today
from readtrack.infra.models import Event, Identifier, Link, Paper, Question, Reading, Topic, TopicAlias
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry
from readtrack.library.enrichment.records import store_record
from readtrack.library.papers.commands import PaperCreate, add_by_text, delete_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.metadata.types import Metadata, Ref
from tests import make
from tests.depth import some
from tests.ingest.imports.given import LONG, OTHER, given, imported, line
from tests.sample_library import carry_out, content, count_of, entries_of

pytestmark = pytest.mark.slow  # many requests to a whole application

ARXIV, DOI = "arxiv:2401.00001", "doi:10.1145/3627703.3650085"
SAID: dict[str, Any] = {
    "authors": ("Ada Example", "Bo Örn"),
    "published": "2023-05-16",
    "venue": "OSDI",
    "abstract": "We keep copies nearby.",
}


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def papers(database):
    """Title and identifiers of each paper, in the order of their making."""
    with database.read() as tx:
        rows = tx.execute(sa.select(col(Paper.id), col(Paper.title)).order_by(col(Paper.id))).all()
        names = tx.execute(sa.select(col(Identifier.paper_id), col(Identifier.scheme) + ":" + col(Identifier.value)))
        named = [tuple(row) for row in names]
    return [(row.title, {name for paper, name in named if paper == row.id}) for row in rows]


def the_paper(database):
    with database.read() as tx:
        paper = tx.scalars(sa.select(Paper)).one()
        tx.expunge(paper)
    return paper


def topics(database):
    with database.read() as tx:
        rows = tx.execute(sa.select(col(Topic.id), col(Topic.name), col(Topic.parent_id))).all()
    names = {row.id: row.name for row in rows}
    return {row.name: names.get(row.parent_id) for row in rows}


def test_a_paper_known_only_by_title_is_created_once_across_notes(database, me):
    imported(database, me, line(1, title=LONG))
    again = imported(database, me, line(1, title=f"{LONG.upper()} "), title="others.md", more=" again")
    assert papers(database) == [(LONG, set())]
    [entry] = entries_of(database, again)
    assert (entry.decision, entry.reason, entry.paper_id) == ("known", "in library", 1)


def test_a_short_title_waits_for_a_decision_in_another_note_but_is_the_same_paper_within_one(database, me):
    imported(database, me, line(1, title="Gemini"), title="one.md")
    [asked] = entries_of(database, imported(database, me, line(1, title="Gemini"), title="two.md", more=" of two"))
    assert (asked.decision, asked.twin, asked.paper_id) == ("review", "paper:1", None)
    later = imported(database, me, line(1, title="Gemini", text="moved"), title="one.md", more=" of three")
    assert [entry.paper_id for entry in entries_of(database, later)] == [1]
    assert [title for title, _ in papers(database)] == ["Gemini"]


@pytest.mark.parametrize(
    ("fields", "decision"),
    [
        ({"authors": ("Leslie Lamport",), "year": 2001}, "known"),
        ({"authors": ("Lamport, L.",)}, "known"),
        ({"authors": ("Leslie Lamport",), "year": 2019}, "review"),  # perhaps another edition
        ({"authors": ("Jim Gray",), "year": 2001}, "review"),
        ({}, "review"),
    ],
)
def test_a_short_title_is_known_with_its_authors_and_year(database, me, fields, decision):
    title = "Paxos Made Simple"
    imported(database, me, line(1, title=title, authors=("Leslie Lamport",), year=2001), title="one.md")
    [entry] = entries_of(
        database, imported(database, me, line(1, title=title.lower(), **fields), title="two.md", more="2")
    )
    assert entry.decision == decision
    assert count_of(database, Paper) == 1


@pytest.mark.deep
@pytest.mark.parametrize("first", [0, 1], ids=["named first", "identified first"])
def test_a_title_alone_and_the_title_with_an_identifier_are_one_paper(database, me, first):
    notes = [line(1, title=LONG), line(1, title=LONG, identifiers=(ARXIV,))]
    for number, entry in enumerate((notes[first], notes[1 - first])):
        imported(database, me, entry, title=f"{number}.md", more=str(number))
    assert papers(database) == [(LONG, {ARXIV})]


def test_a_video_of_the_same_title_is_not_a_paper(database, me):
    imported(database, me, line(1, title=LONG, paper_kind="video", identifiers=("youtube:abcdefghijk",)))
    imported(database, me, line(1, title=LONG), title="others.md", more=" again")
    assert papers(database) == [(LONG, {"youtube:abcdefghijk"}), (LONG, set())]


def test_a_deleted_paper_known_only_by_title_stays_deleted(database, me):
    imported(database, me, line(1, title=LONG))
    with database.write() as tx:
        delete_paper(tx, me, 1)
    again = imported(database, me, line(1, title=LONG), title="others.md", more=" again")
    [entry] = entries_of(database, again)
    assert (entry.decision, entry.reason, entry.paper_id) == ("known", "deleted before", None)


@pytest.mark.deep
def test_a_relative_file_path_identifies_nothing_in_another_note(database, me):
    imported(database, me, line(1, title=LONG, identifiers=("file:papers/a.pdf",)))
    imported(database, me, line(1, title=OTHER, identifiers=("file:papers/a.pdf",)), title="others.md", more=" b")
    assert papers(database) == [(LONG, set()), (OTHER, set())]
    [entry] = entries_of(database, 1)
    assert entry.identifiers == ["file:papers/a.pdf"]


def test_a_papers_details_from_notes_are_shown_until_its_source_responds(database, me):
    imported(database, me, line(1, title=LONG, identifiers=(ARXIV,), **SAID))
    paper = the_paper(database)
    assert (paper.authors, paper.venue, paper.abstract) == (["Ada Example", "Bo Örn"], "OSDI", SAID["abstract"])
    assert (paper.published_on, paper.year, paper.field_locks) == (date(2023, 5, 16), 2023, {})
    with database.write() as tx:
        store_record(tx, paper.id, Metadata(Ref("arxiv", "2401.00001"), title=LONG, authors=("Cy",), year=2024))
    paper = the_paper(database)
    assert (paper.authors, paper.year, paper.venue, paper.abstract) == (["Cy"], 2024, "", SAID["abstract"])


@pytest.mark.deep
@pytest.mark.parametrize(
    ("published", "year", "day"),
    [("", None, None), ("2023", 2023, None), ("2023-05", 2023, None), ("2023-02-30", 2023, None), ("soon", None, None)],
)
def test_a_date_is_stored_with_its_precision(database, me, published, year, day):
    imported(database, me, line(1, title=LONG, published=published))
    paper = the_paper(database)
    assert (paper.year, paper.published_on) == (year, day)


def test_notes_do_not_overwrite_known_details_of_a_paper(database, me):
    with database.write() as tx:
        make.paper(tx, LONG, identifier=ARXIV, venue="SOSP", authors=["Cy"])
    imported(database, me, line(1, title="Another title of it", identifiers=(ARXIV,), **SAID))
    paper = the_paper(database)
    assert (paper.title, paper.venue, paper.authors, paper.abstract, paper.year) == (LONG, "SOSP", ["Cy"], "", None)


@pytest.mark.parametrize("identifiers", [(), (DOI,)], ids=["without", "with an identifier"])
def test_a_file_fills_in_what_a_paper_known_by_its_title_lacks(database, me, identifiers):
    imported(database, me, line(1, title=LONG))
    said = line(1, title=LONG, identifiers=identifiers, citation_key="mine2023", publication_type="book", **SAID)
    imported(database, me, said, title="refs.bib", more=" b")
    paper = the_paper(database)
    assert (paper.authors, paper.venue, paper.year) == (["Ada Example", "Bo Örn"], "OSDI", 2023)
    assert (paper.abstract, paper.published_on, paper.publication_type) == (SAID["abstract"], date(2023, 5, 16), "book")
    assert paper.citation_key == "mine2023"
    with database.read() as tx:
        event = tx.scalars(sa.select(Event).where(col(Event.verb) == "paper.edited")).one()
    assert "authors" in event.data["fields"]
    imported(database, me, said, title="again.bib", more=" c")
    assert the_paper(database).version == paper.version


def test_a_paper_that_gets_authors_gets_a_citation_key(database, me):
    imported(database, me, line(1, title=LONG))
    imported(database, me, line(1, title=LONG, **SAID), title="refs.bib", more=" b")
    assert the_paper(database).citation_key == "example2023fast"


def test_a_file_fills_in_nothing_that_a_person_cleared(database, me):
    imported(database, me, line(1, title=LONG, authors=["Cy"], venue="SOSP"))
    with database.write() as tx:
        edit_paper(tx, me, 1, PaperUpdate(authors=[], venue=""), version=the_paper(database).version)
    imported(database, me, line(1, title=LONG, **SAID), title="refs.bib", more=" b")
    paper = the_paper(database)
    assert (paper.authors, paper.year, paper.venue, paper.published_on) == ([], None, "", None)
    assert paper.abstract == SAID["abstract"]


@pytest.mark.parametrize("known", [{"year": 2021}, {"venue": "arXiv"}, {"publication_type": "thesis"}])
def test_a_file_fills_in_nothing_of_another_publication(database, me, known):
    imported(database, me, line(1, title=LONG, **known))
    imported(database, me, line(1, title=LONG, publication_type="book", **SAID), title="refs.bib", more=" b")
    paper = the_paper(database)
    found = {"year": paper.year, "venue": paper.venue, "publication_type": paper.publication_type}
    assert found == {"year": None, "venue": "", "publication_type": ""} | known
    assert (paper.published_on, paper.authors) == (None, ["Ada Example", "Bo Örn"])


def test_a_file_fills_in_nothing_of_a_paper_whose_services_tell(database, me):
    imported(database, me, line(1, title=LONG, identifiers=(ARXIV,)))
    imported(database, me, line(1, title=LONG, identifiers=(ARXIV,), **SAID), title="refs.bib", more=" b")
    paper = the_paper(database)
    assert (paper.authors, paper.venue, paper.abstract, paper.version) == ([], "", "", 1)


@pytest.mark.deep
def test_extras_become_links_even_of_an_existing_paper(database, me):
    first = [("https://arxiv.org/abs/2401.00001", "landing"), ("https://github.com/a/b", "code")]
    imported(database, me, line(1, title=LONG, identifiers=(ARXIV,), links=first))
    later = [("https://youtu.be/abcdefghijk", "video"), ("https://x.com/a/status/1", "html")]
    imported(database, me, line(1, title=LONG, identifiers=(ARXIV,), links=later), title="others.md", more=" b")
    with database.read() as tx:
        links = {tuple(row) for row in tx.execute(sa.select(col(Link.url), col(Link.role)))}
    assert {*first, *later} <= links
    assert count_of(database, Paper) == 1


def twins():
    first = line(1, title=LONG, identifiers=(ARXIV,))
    return first, line(2, "mention", title=LONG, identifiers=(DOI,), twin=ARXIV, decision="review", reason="One work?")


def imported_as_one(database, me, *entries, title="notes.md"):
    """Imported after a person said of every line that needs a decision that it is the same work."""
    import_id = given(database, me, *entries, title=title)
    with database.write() as tx:
        for entry in entries_of(database, import_id):
            if entry.decision == "review":
                correct_entry(tx, me, import_id, entry.position, edit=EntryUpdate(twin="same"))
    carry_out(database, me, import_id)


def test_a_twin_becomes_another_identifier_of_its_paper_once_a_person_says_so(database, me):
    import_id = imported(database, me, *twins())
    assert papers(database) == [(LONG, {ARXIV})]
    with database.write() as tx:
        correct_entry(tx, me, import_id, 2, edit=EntryUpdate(twin="same"))
    carry_out(database, me, import_id)
    assert papers(database) == [(LONG, {ARXIV, DOI})]


def test_a_twin_that_a_person_keeps_separate_is_its_own_paper(database, me):
    import_id = given(database, me, *twins())
    with database.write() as tx:
        correct_entry(tx, me, import_id, 2, edit=EntryUpdate(twin="apart"))
    carry_out(database, me, import_id)
    assert papers(database) == [(LONG, {ARXIV}), (LONG, {DOI})]


@pytest.mark.deep
@pytest.mark.parametrize("here", [ARXIV, DOI])
def test_both_twins_become_identifiers_whichever_existed_first(database, me, here):
    imported(database, me, line(1, title=LONG, identifiers=(here,)), title="others.md", more=" b")
    imported_as_one(database, me, *twins())
    assert papers(database) == [(LONG, {ARXIV, DOI})]


def test_twins_that_are_already_two_papers_stay_two_and_the_entry_says_so(database, me):
    for number, name in enumerate((ARXIV, DOI)):
        with database.write() as tx:
            make.paper(tx, f"Paper {number}", identifier=name)
    import_id = given(database, me, *twins())
    with database.write() as tx:
        correct_entry(tx, me, import_id, 2, edit=EntryUpdate(decision="add", twin="same"))
    carry_out(database, me, import_id)
    assert [names for _, names in papers(database)] == [{ARXIV}, {DOI}]
    twin = entries_of(database, import_id)[1]
    assert (twin.paper_id, twin.decision) == (2, "review")
    assert f"{ARXIV} is another paper here, so both stay" in twin.reason


def test_a_twin_whose_first_line_was_skipped_becomes_the_paper(database, me):
    import_id = given(database, me, *twins())
    with database.write() as tx:
        correct_entry(tx, me, import_id, 1, edit=EntryUpdate(decision="skip"))
        correct_entry(tx, me, import_id, 2, edit=EntryUpdate(twin="same"))
    carry_out(database, me, import_id)
    assert papers(database) == [(LONG, {DOI})]


@pytest.mark.deep
@pytest.mark.slow  # a library for each of the orders
@pytest.mark.parametrize("order", some(itertools.permutations(range(4)), 5))
def test_the_resulting_papers_do_not_depend_on_the_order_of_imports(sqlite_files, order):
    notes = [
        [line(1, title=LONG)],
        [line(1, title=LONG, identifiers=(ARXIV,))],
        [line(1, title=LONG, identifiers=(ARXIV, DOI)), line(2, title="Gemini")],
        [line(1, title=OTHER, identifiers=("file:a.pdf",)), line(2, title="Gemini")],
    ]
    from readtrack.infra.db import Database  # noqa: PLC0415 - a library of its own for each order

    url = sqlite_files.copy()
    database = Database(url)
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
    for number in order:
        imported(database, me, *notes[number], title=f"{number}.md", more=f" {number}")
    # The second "Gemini" waits for a decision, whichever note is imported first.
    assert sorted(papers(database), key=str) == sorted(
        [(LONG, {ARXIV, DOI}), ("Gemini", set()), (OTHER, set())], key=str
    )
    database.dispose()
    sqlite_files.drop(url)


def test_a_heading_becomes_a_subtopic_unless_the_topic_exists_already(database, me):
    with database.write() as tx:
        make.topic(tx, "Scheduling")
    outer = line(1, "topic", title="Systems")
    imported(
        database,
        me,
        outer,
        line(2, "topic", title="Training", topics=("Systems",)),
        line(3, "topic", title="Scheduling", topics=("Systems", "Training")),
        line(4, "topic", title="Systems", topics=("Systems", "Training")),
        line(5, "topic", title="Recovery", topics=("Systems", "Left out", "")),
    )
    assert topics(database) == {"Scheduling": None, "Systems": None, "Training": "Systems", "Recovery": "Systems"}


def test_an_alternative_heading_name_is_used_only_if_a_person_accepts_it(database, me):
    import_id = given(
        database, me,
        line(1, "topic", title="Training", aliases=("訓練",)),
        line(2, "topic", title="Scheduling", aliases=("調度",)),
    )  # fmt: skip
    with database.write() as tx:
        correct_entry(tx, me, import_id, 1, edit=EntryUpdate(alias="take"))
    carry_out(database, me, import_id)
    with database.read() as tx:
        assert set(tx.scalars(sa.select(col(TopicAlias.alias)))) == {"Training", "訓練", "Scheduling"}


def test_a_heading_whose_alternative_name_is_a_topic_becomes_that_topic(database, me):
    with database.write() as tx:
        make.topic(tx, "訓練")
    import_id = given(database, me, line(1, "topic", title="Training", aliases=("訓練",)))
    with database.write() as tx:
        correct_entry(tx, me, import_id, 1, edit=EntryUpdate(alias="take"))
    carry_out(database, me, import_id)
    assert topics(database) == {"訓練": None}
    assert entries_of(database, import_id)[0].topic_id == 1


def test_two_existing_topics_that_a_person_equates_stay_separate_and_the_entry_says_so(database, me):
    with database.write() as tx:
        make.topic(tx, "訓練")
        make.topic(tx, "Training")
    import_id = given(database, me, line(1, "topic", title="Training", aliases=("訓練",)))
    with database.write() as tx:
        correct_entry(tx, me, import_id, 1, edit=EntryUpdate(alias="take"))
    carry_out(database, me, import_id)
    [entry] = entries_of(database, import_id)
    assert (entry.topic_id, entry.decision) == (2, "review")
    assert "“訓練” is a name of the topic “訓練”: both topics stay" in entry.reason


@pytest.mark.deep
def test_a_heading_of_a_later_revision_resolves_to_its_topic_too(database, me):
    imported(database, me, line(1, "topic", title="Training"))
    later = imported(database, me, line(1, "topic", title="Training"), more=" later")
    [entry] = entries_of(database, later)
    assert (entry.decision, entry.topic_id, count_of(database, Topic)) == ("known", 1, 1)


def reading_of(database):
    with database.read() as tx:
        return tx.execute(sa.select(col(Reading.status), col(Reading.started_on), col(Reading.finished_on))).all()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"status": "read", "read_on": "2024-02-03"}, [("read", None, date(2024, 2, 3))]),
        ({"status": "read"}, [("read", None, None)]),
        ({"status": "read", "read_on": "2024-02-31"}, [("read", None, None)]),
        ({"status": "read", "read_on": str(today() + timedelta(days=400))}, [("read", None, None)]),
        ({"status": "paused"}, [("paused", None, None)]),
        ({"status": "dropped"}, [("dropped", None, None)]),
        ({"read_on": "2024-02-03"}, []),
    ],
)
def test_a_status_in_notes_applies_to_the_importing_person(database, me, said, kept):
    import_id = imported(database, me, line(1, title=LONG, **said))
    assert [tuple(row) for row in reading_of(database)] == kept
    assert entries_of(database, import_id)[0].decision == "add"


def test_a_status_corrected_by_a_person_is_the_one_stored(database, me):
    import_id = given(database, me, line(1, title=LONG, status="read", read_on="2024-02-03"), line(2, title=OTHER))
    with database.write() as tx:
        correct_entry(tx, me, import_id, 1, edit=EntryUpdate(status=""))
        correct_entry(tx, me, import_id, 2, edit=EntryUpdate(status="reading"))
    carry_out(database, me, import_id)
    assert [tuple(row) for row in reading_of(database)] == [("reading", None, None)]


def test_other_details_of_the_notes_are_stored_on_the_entry(database, me):
    import_id = imported(database, me, line(1, title=LONG, rating="★★★", text="worth it", read_on="2024-02-03"))
    [entry] = entries_of(database, import_id)
    assert (entry.rating, entry.text, entry.read_on, entry.made) == ("★★★", "worth it", "2024-02-03", True)


def test_a_question_is_filed_under_the_innermost_heading_that_is_a_topic(database, me):
    headings = ("Systems", "Recovery", "Not a topic")
    lines = [line(1, "topic", title="Systems"), line(2, "topic", title="Recovery", topics=("Systems",))]
    imported(
        database,
        me,
        *lines,
        line(3, "question", title="Does it pay?", topics=headings),
        line(4, "question", title="And?"),
    )
    with database.read() as tx:
        slugs = sa.select(col(Topic.slug)).join(Question, col(Question.topic_id) == col(Topic.id))
        assert tx.scalars(slugs).all() == ["recovery"]
        assert tx.scalars(sa.select(col(Event.data)).where(col(Event.verb) == "question.noted")).all() == [
            {"question": 1},
            {"question": 2},
        ]


def test_a_note_whose_lines_only_moved_changes_nothing(database, me):
    lines = [
        line(1, "topic", title="Systems"),
        line(2, title=LONG, identifiers=(ARXIV,), topics=("Systems",)),
        line(3, "mention", title=LONG, identifiers=(ARXIV,), topics=("Systems",), text="again"),
        line(4, title=OTHER, topics=("Systems",)),
        line(5, "question", title="Does it pay?"),
        line(6, "lead", title="the one with the red plot"),
    ]
    imported(database, me, *lines)
    with database.write() as tx:
        before = tx.scalar(sa.select(sa.func.count()).select_from(Link))
    moved = [
        line(1, title=OTHER, topics=("Systems",)),
        line(2, "question", title="Does it pay?"),
        line(3, title=LONG, identifiers=(ARXIV,), topics=("Systems",), text="again"),
        line(4, "lead", title="the one with the red plot"),
        line(5, "topic", title="Systems"),
        line(6, "mention", title=LONG, identifiers=(ARXIV,), topics=("Systems",)),
    ]
    later = given(database, me, *moved, more=" moved")
    assert {entry.decision for entry in entries_of(database, later)} == {"known"}
    carry_out(database, me, later)
    assert (count_of(database, Paper), count_of(database, Topic), count_of(database, Link)) == (2, 1, before)
    assert [entry.paper_id for entry in entries_of(database, later)] == [2, None, 1, None, None, 1]


@pytest.mark.parametrize("first_deleted", [True, False])
def test_a_twin_does_not_restore_a_deleted_paper(database, me, first_deleted):
    gone = line(1, title=LONG, identifiers=(ARXIV if first_deleted else DOI,))
    imported(database, me, gone, title="before.md")
    with database.write() as tx:
        delete_paper(tx, me, 1)
    imported_as_one(database, me, *twins(), title="later.md")
    with database.read() as tx:
        rows = tx.execute(sa.select(col(Paper.id), col(Paper.deleted_at).is_not(None)).order_by(col(Paper.id)))
        assert [tuple(row) for row in rows] == [(1, True), (2, False)]
    assert [names for _, names in papers(database)] == [{gone.identifiers[0]}, {ARXIV, DOI} - set(gone.identifiers)]


@pytest.mark.deep
def test_no_query_grows_with_the_number_of_urls_sharing_a_title(database, me, statements):
    def longest_question(count):
        names = [f"arxiv:2401.{count}{number:03}" for number in range(count)]
        first = line(1, title=LONG, identifiers=names[:1])
        others = (
            line(at, "mention", title=LONG, identifiers=[name], twin=names[0]) for at, name in enumerate(names[1:], 2)
        )
        import_id = given(database, me, first, *others, title=f"{count}.md", more=f"{count}")
        with statements() as seen:
            carry_out(database, me, import_id)
        return max(len(statement) for statement in seen if " IN (" in statement)

    assert longest_question(30) == longest_question(60)
    assert count_of(database, Paper) == 2


@pytest.mark.deep
def test_repeating_an_import_changes_nothing(database, me):
    first = imported(database, me, *twins())
    before = content(database)
    assert given(database, me, *twins()) == first
    assert content(database) == before


def test_an_identifier_that_a_person_corrected_is_not_added_again(database, me):
    imported(database, me, line(1, title=LONG, identifiers=(ARXIV,)))
    with database.write() as tx:
        tx.execute(sa.update(Identifier).values(value="2401.00002"))
    imported(database, me, line(1, title=LONG, identifiers=(ARXIV,)), title="others.md", more=" again")
    assert (LONG, {"arxiv:2401.00002"}) in papers(database)


def test_a_paper_added_by_hand_is_matched_by_its_title(database, me):
    with database.write() as tx:
        add_by_text(tx, me, PaperCreate(title=LONG))
    imported(database, me, line(1, title=LONG, identifiers=(ARXIV,)))
    assert papers(database) == [(LONG, {ARXIV})]
