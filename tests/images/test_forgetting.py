"""Images that no text shows any more go after thirty days; all others stay, wherever they stand."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack import deeds, search
from readtrack.clock import now
from readtrack.images.commands import keep_image
from readtrack.images.encoding import Encoded
from readtrack.models import (
    Comparison,
    ComparisonRow,
    Draft,
    Image,
    SummaryVersion,
    TextTemplate,
    Topic,
    TopicVersion,
)
from readtrack.trash.sweeping import sweep
from tests import make

pytestmark = pytest.mark.both_databases

LONG_AGO = timedelta(days=30, minutes=1)


@pytest.fixture
def database(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


def an_image(tx, me, number=0):
    return keep_image(tx, me, Encoded(f"{number:064}", "image/png", 2, 3, b"picture"))


def names(database):
    with database.read() as tx:
        return set(tx.scalars(sa.select(col(Image.name))))


def in_summary(tx, me, text):
    make.summary(tx, me.id, make.paper(tx).id, text, private=True)


def in_version(tx, me, text):
    summary = make.summary(tx, me.id, make.paper(tx).id, "later")
    make.added(tx, SummaryVersion(summary_id=summary.id, number=7, markdown=text))


def in_topic(tx, me, text):
    make.added(tx, Topic(slug="tea", name="Tea", markdown=text))


def in_topic_version(tx, me, text):
    make.added(tx, TopicVersion(topic_id=make.topic(tx, "Tea").id, number=7, name="Tea", markdown=text))


def in_template(tx, me, text):
    make.added(tx, TextTemplate(name="Ours", name_key="ours", markdown=text, created_by=me.id))


def in_comparison(tx, me, text):
    table = make.added(tx, Comparison(title="Cups"))
    make.added(tx, ComparisonRow(comparison_id=table.id, place=1, cells=["cup", text]))


def in_draft(tx, me, text):
    fields = {"markdown": f"図 {text}"}
    make.added(tx, Draft(person_id=me.id, subject="summary", subject_id=make.paper(tx).id, tab="t", fields=fields))


def in_deed(tx, me, text):
    """Of something that was taken away yesterday, and can come back."""
    with time_machine.travel(now() + LONG_AGO - timedelta(days=1), tick=False):
        deeds.remember(tx, me, "question.deleted", {"title": "Why", "was": 1, "text": text})


@pytest.mark.parametrize(
    "written",
    [in_summary, in_version, in_topic, in_topic_version, in_template, in_comparison, in_draft, in_deed],
)
def test_one_that_a_text_shows_stays_and_the_others_go_after_thirty_days(database, written):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        shown, unused = an_image(tx, me, 1), an_image(tx, me, 2)
        written(tx, me, f"![a cup](/images/{shown})")
    sweep(database)
    assert names(database) == {shown, unused}
    with time_machine.travel(now() + LONG_AGO, tick=False):
        sweep(database)
    assert names(database) == {shown}


def test_one_that_is_uploaded_again_is_as_new(database):
    with database.write() as tx:
        me = make.visitor(tx, "Ada")
        name = an_image(tx, me)
    with time_machine.travel(now() + LONG_AGO, tick=False):
        with database.write() as tx:
            assert an_image(tx, me) == name
        sweep(database)
        assert names(database) == {name}
