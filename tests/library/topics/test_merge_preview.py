"""What merging will do is told before it is done, and is what it then does."""

import pytest

from readtrack.infra.errors import NotAllowed, NotFound
from readtrack.infra.models import Comparison, TopicLink
from readtrack.library.topics.commands import MAX_ALIASES
from readtrack.library.topics.merge import merge_topics, preview_merge
from readtrack.library.topics.queries import get_topic
from tests import make


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def test_everything_that_will_move_is_counted(database, me):
    with database.write() as tx:
        gone = make.topic(tx, "MoE", aliases=("mixture",), markdown="Text.")
        kept = make.topic(tx, "Experts", markdown="Other.")
        make.topic(tx, "Routing", parent_id=gone.id)
        papers = [make.paper(tx) for _ in range(3)]
        for place, paper in enumerate(papers):
            make.filed(tx, paper, gone).position = place or None
        make.filed(tx, papers[0], kept)
        make.filed(tx, make.paper(tx, triage="rejected"), gone)
        make.question(tx, topic_id=gone.id)
        make.comment(tx, me.id, topic_id=gone.id)
        make.entry(tx, topic_id=gone.id)
        make.added(tx, TopicLink(topic_id=gone.id, url="https://example.org"))
        make.added(tx, Comparison(topic_id=gone.id))
    with database.read() as tx:
        told = preview_merge(tx, me, "moe", "experts")
    assert (told.papers, told.shared, told.ordered) == (2, 1, 2)
    assert told.names == ["MoE", "mixture"]
    assert dict(told.counts) == dict.fromkeys(("questions", "comments", "links", "comparisons", "lines"), 1)
    assert ([row.name for row in told.source.subtopics], told.problem) == (["Routing"], "")
    with database.write() as tx:
        merge_topics(tx, me, "moe", "experts")
        detail = get_topic(tx, me, "experts")
        assert (detail.row.papers, detail.aliases, detail.markdown) == (3, ["MoE", "mixture"], "Other.\n\nText.")


def test_the_reason_a_merge_is_impossible_is_given(database, me):
    with database.write() as tx:
        make.topic(tx, "MoE", markdown="x" * 60_000)
        make.topic(tx, "Experts", markdown="y" * 60_000)
        make.topic(tx, "Full", aliases=tuple(f"name {number}" for number in range(MAX_ALIASES)))
    with database.read() as tx:
        assert "the maximum is 100,000" in preview_merge(tx, me, "moe", "experts").problem
        assert "51 aliases" in preview_merge(tx, me, "moe", "full").problem
        with pytest.raises(NotFound):
            preview_merge(tx, me, "moe", "nowhere")


def test_a_person_who_may_not_merge_gets_no_preview(database, me):
    with database.write() as tx:
        make.topic(tx, "MoE")
        with pytest.raises(NotAllowed):
            preview_merge(tx, make.visitor(tx), "moe", "moe")
