"""Texts that are saved at the very same moment, or from an old window: nothing is lost, numbered twice, or shown."""

import threading
from collections.abc import Callable, Sequence

import pytest
from sqlmodel import col, select

from readtrack.infra.errors import StaleVersion
from readtrack.infra.models import Summary, SummaryVersion, TopicVersion
from readtrack.library.topics import history as topics
from readtrack.library.topics.commands import TopicUpdate
from readtrack.reading.summaries import three_way_save as summaries
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick
BEGUN = "\n\n".join(f"paragraph {number}" for number in range(6))
EDITS = [BEGUN.replace(f"paragraph {number}", f"rewritten {number}") for number in (0, 2, 5)]


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def at_once(database, acts: Sequence[Callable]) -> list[object]:
    """What came of each, in a transaction of its own, all begun together."""
    start, ends = threading.Barrier(len(acts)), dict[int, object]()

    def carry_out(number: int, act: Callable) -> None:
        start.wait()
        try:
            with database.write() as tx:
                act(tx)
            ends[number] = "saved"
        except StaleVersion:
            ends[number] = "told"

    threads = [threading.Thread(target=carry_out, args=given) for given in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [ends[number] for number in range(len(acts))]


def test_concurrent_edits_of_a_summary_merge_without_showing_private_text(database, me):
    with database.write() as tx:
        paper_id = make.paper(tx).id
        edit_summary(tx, me, paper_id, SummaryUpdate(markdown=BEGUN), version=None)
    edits = [SummaryUpdate(markdown=text, private=number == 1) for number, text in enumerate(EDITS)]
    acts = [lambda tx, edit=edit: summaries.save_merged(tx, me, paper_id, edit, version=1) for edit in edits]
    assert at_once(database, acts) == ["saved"] * 3
    with database.read() as tx:
        [now] = tx.scalars(select(Summary)).all()
        kept = tx.scalars(select(SummaryVersion).order_by(col(SummaryVersion.number))).all()
    assert [version.number for version in kept] == list(range(1, now.version + 1))
    assert {*EDITS, now.markdown} <= {version.markdown for version in kept}
    assert [f"rewritten {number}" in now.markdown for number in (0, 2, 5)] == [True] * 3
    assert now.private
    assert all(version.private for version in kept if "rewritten 2" in version.markdown)


@pytest.fixture
def begun(database, me):
    """A paper with a summary of mine, and the verb that saves it from its first version, as an old window does."""
    with database.write() as tx:
        paper_id = make.paper(tx).id
        edit_summary(tx, me, paper_id, SummaryUpdate(markdown=BEGUN), version=None)

    def save(text, **said):
        with database.write() as tx:
            return summaries.save_merged(tx, me, paper_id, SummaryUpdate(markdown=text, **said), version=1)

    return save


def test_a_merge_with_private_text_is_private_in_the_history_too(database, begun):
    begun(EDITS[0], private=True)
    begun(EDITS[1])
    with database.read() as tx:
        kept = tx.scalars(select(SummaryVersion).order_by(col(SummaryVersion.number))).all()
    assert [version.private for version in kept] == [False, True, True, True]


def test_a_stale_window_without_changes_saves_nothing(database, begun):
    begun(EDITS[0])
    saved = begun(BEGUN)
    assert (saved.identical_version, saved.merged_version) == (1, None)
    with database.read() as tx:
        assert len(tx.scalars(select(SummaryVersion)).all()) == 2


def test_two_windows_writing_the_same_line_over_different_texts_merge(begun):
    begun(EDITS[0], tldr="It is fast.")
    saved = begun(EDITS[1], tldr="It is fast.").summary
    assert (saved.tldr, "rewritten 0" in saved.markdown, "rewritten 2" in saved.markdown) == ("It is fast.", True, True)


def test_concurrent_edits_of_a_topic_merge(database, me):
    with database.write() as tx:
        make.topic(tx, "MoE", markdown=BEGUN)
    edits = [TopicUpdate(name="MoE", markdown=text) for text in EDITS]
    acts = [lambda tx, edit=edit: topics.save_with_merge(tx, me, "moe", edit, version=1) for edit in edits]
    assert at_once(database, acts) == ["saved"] * 3
    with database.read() as tx:
        kept = tx.scalars(select(TopicVersion).order_by(col(TopicVersion.number))).all()
    assert [version.number for version in kept] == list(range(1, len(kept) + 1))
    assert {*EDITS} <= {version.markdown for version in kept}
    assert [f"rewritten {number}" in kept[-1].markdown for number in (0, 2, 5)] == [True] * 3


def test_of_two_overlapping_edits_one_is_saved_and_the_other_gets_a_conflict(database, me):
    with database.write() as tx:
        make.topic(tx, "MoE", markdown=BEGUN)
    edits = [TopicUpdate(name="MoE", markdown=BEGUN.replace("paragraph 0", word)) for word in ("left", "right")]
    acts = [lambda tx, edit=edit: topics.save_with_merge(tx, me, "moe", edit, version=1) for edit in edits]
    assert sorted(map(str, at_once(database, acts))) == ["saved", "told"]


def test_a_merge_that_is_too_long_is_a_conflict_with_both_texts(database, me, sign_in):
    long = "x" * 60_000
    browser, here = sign_in(me), "/topics/moe/edit"
    with database.write() as tx:
        make.topic(tx, "MoE", markdown="one\n\ntwo\n\nthree")
    texts = [f"{long}\n\ntwo\n\nthree", f"one\n\ntwo\n\n{long[:-1]}y"]
    first, second = (browser.post(here, data={"name": "MoE", "markdown": text, "version": "1"}) for text in texts)
    assert (first.status_code, second.status_code) == (303, 409)
    assert "Keep both" not in second.text
    assert "Save mine" in second.text
    assert long[:-1] + "y" in second.text
