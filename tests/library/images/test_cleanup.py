"""Images that no text shows any more go after thirty days; all others stay, wherever they stand."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import SQLModel, col

from readtrack.infra import undo_log
from readtrack.infra.clock import now
from readtrack.infra.models import (
    Comment,
    Comparison,
    ComparisonRow,
    Draft,
    Image,
    Meeting,
    SummaryVersion,
    TextTemplate,
    Topic,
    TopicVersion,
)
from readtrack.infra.models.texts import COLUMNS, image_names
from readtrack.library.images import commands
from readtrack.library.images.commands import store_image
from readtrack.library.images.encode import EncodedImage
from readtrack.markdown.sanitize import IMAGES, ImageSize, image_address
from readtrack.workspace.trash.purge import purge_trash
from tests import make
from tests.depth import some

pytestmark = pytest.mark.slow

LONG_AGO = timedelta(days=30, minutes=1)


def an_image(tx, me, number=0):
    return store_image(tx, me, EncodedImage(f"{number:064}", "image/png", 2, 3, b"picture"))


def names(database):
    with database.read() as tx:
        return set(tx.scalars(sa.select(col(Image.name))))


def in_summary(tx, me, text):
    make.summary(tx, me.id, make.paper(tx).id, text, private=True)


def in_version(tx, me, text):
    summary = make.summary(tx, me.id, make.paper(tx).id, "later")
    make.added(tx, SummaryVersion(summary_id=summary.id, number=7, markdown=text))


def in_topic(tx, me, text):
    make.added(tx, Topic(slug="cups", name="Cups", markdown=text))


def in_topic_version(tx, me, text):
    make.added(tx, TopicVersion(topic_id=make.topic(tx, "Tea").id, number=7, name="Tea", markdown=text))


def in_template(tx, me, text):
    make.added(tx, TextTemplate(name="Ours", name_key="ours", markdown=text, created_by=me.id))


def in_comparison(tx, me, text):
    table = make.added(tx, Comparison(title="Cups"))
    make.added(tx, ComparisonRow(comparison_id=table.id, position=1, cells=["cup", text]))


def in_draft(tx, me, text):
    fields = {"markdown": f"図 {text}"}
    make.added(tx, Draft(person_id=me.id, subject="summary", subject_id=make.paper(tx).id, tab="t", fields=fields))


def in_deed(tx, me, text):
    """Of something that was taken away yesterday, and can come back."""
    with time_machine.travel(now() + LONG_AGO - timedelta(days=1), tick=False):
        undo_log.record_undo_entry(tx, me, "question.deleted", {"title": "Why", "was": 1, "text": text})


def in_comment(tx, me, text):
    make.added(tx, Comment(person_id=me.id, paper_id=make.paper(tx).id, markdown=text))


def in_notes_of_meeting(tx, me, text):
    make.added(tx, Meeting(title="Monday", notes=text))


def in_decisions(tx, me, text):
    make.added(tx, Meeting(title="Monday", decisions=text))


WAYS = [in_summary, in_version, in_comment, in_topic, in_topic_version, in_notes_of_meeting, in_decisions, in_template]
WAYS += [in_comparison, in_draft, in_deed]


@pytest.mark.both_databases
def test_an_image_used_in_a_text_stays_and_others_are_deleted_after_thirty_days(database):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        unused = an_image(tx, me)
        shown = {written: an_image(tx, me, number) for number, written in enumerate(WAYS, start=1)}
        for written, name in shown.items():
            written(tx, me, f"![a cup](/images/{name})")
    purge_trash(database)
    assert names(database) == {unused, *shown.values()}
    with time_machine.travel(now() + LONG_AGO, tick=False):
        purge_trash(database)
    kept = names(database)
    assert unused not in kept
    assert [written.__name__ for written, name in shown.items() if name not in kept] == []


def test_uploading_an_image_again_restarts_its_thirty_days(database):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        name = an_image(tx, me)
    with time_machine.travel(now() + LONG_AGO, tick=False):
        with database.write() as tx:
            assert an_image(tx, me) == name
        purge_trash(database)
        assert names(database) == {name}


@contextmanager
def at_the_first_search(deed):
    """Does it once, when texts are searched for images."""
    waiting = [deed]

    def look(_connection, _cursor, statement, *_):
        if " LIKE " in statement and waiting:
            waiting.pop()()

    sa.event.listen(sa.Engine, "after_cursor_execute", look)
    try:
        yield
    finally:
        sa.event.remove(sa.Engine, "after_cursor_execute", look)
    assert not waiting


@pytest.mark.both_databases
@pytest.mark.parametrize("written", some(WAYS, 4))
def test_an_image_added_to_a_text_during_the_search_stays_and_nobody_waits(database, written):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        late, unused = an_image(tx, me, 1), an_image(tx, me, 2)
        in_comment(tx, me, "so that the search takes its time: /images/")

    def write():
        with database.write() as tx:
            written(tx, me, f"![a cup](/images/{late})")

    with time_machine.travel(now() + LONG_AGO, tick=False), at_the_first_search(write):
        purge_trash(database)
    assert names(database) == {late}
    assert unused != late


def test_an_image_added_to_an_old_text_during_the_search_stays(database):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        late = an_image(tx, me)
        topic = make.topic(tx, "Tea")

    def write():
        with database.write() as tx:
            tx.get_one(Topic, topic.id).markdown = f"![a cup](/images/{late})"

    with time_machine.travel(now() + LONG_AGO, tick=False), at_the_first_search(write):
        purge_trash(database)
    assert names(database) == {late}


def test_an_image_uploaded_again_during_the_search_stays(database):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        name = an_image(tx, me)
        make.topic(tx, "Tea")

    def write():
        with database.write() as tx:
            assert an_image(tx, me) == name

    with time_machine.travel(now() + LONG_AGO, tick=False), at_the_first_search(write):
        purge_trash(database)
    assert names(database) == {name}


@pytest.mark.both_databases
def test_the_search_stops_once_every_image_was_found(database, statements):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        in_summary(tx, me, f"![a cup](/images/{an_image(tx, me)})")
        for number in range(3):
            in_comment(tx, me, f"Tea {number}")
    with time_machine.travel(now() + LONG_AGO, tick=False), statements() as seen:
        purge_trash(database)
    assert len([statement for statement in seen if " LIKE " in statement]) == 1


@pytest.mark.deep
def test_texts_are_searched_in_batches_even_with_gaps_in_their_ids(database, monkeypatch):
    monkeypatch.setattr(commands, "ROWS_AT_ONCE", 2)
    monkeypatch.setattr(commands, "IMAGES_AT_ONCE", 2)
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        images = [an_image(tx, me, number) for number in range(12)]
        topics = [make.added(tx, Topic(slug=f"t{n}", name=f"T{n}", markdown=f"/images/{images[n]}")) for n in range(7)]
    with database.write() as tx:
        for topic in topics[1:4]:
            tx.delete(tx.get_one(Topic, topic.id))
    with time_machine.travel(now() + LONG_AGO, tick=False):
        assert purge_trash(database) == 8
    assert names(database) == {images[0], *images[4:7]}


def test_every_markdown_column_is_searched():
    tables = {str(table.__tablename__): columns for table, columns in COLUMNS.items()}
    written = {(table.name, "markdown") for table in SQLModel.metadata.sorted_tables if "markdown" in table.columns}
    assert {(table, name) for table, name in written if name not in tables.get(table, ())} == set()


def test_image_names_are_found_in_texts_by_their_urls():
    address = image_address("0" * 32, ImageSize(20, 10))
    assert image_names(f"![]({address})") == [address.removeprefix(IMAGES)]
