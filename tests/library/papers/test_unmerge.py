"""What was done to a paper while another was part of it, once that one is taken out again."""

import threading

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import Conflict, PaperMerged, ReadtrackError
from readtrack.infra.models import DuplicatePair, MatchSuggestion, Paper
from readtrack.library.duplicates import review
from readtrack.library.duplicates.merge import list_merges, merge_papers, unmerge
from readtrack.library.duplicates.stored_pairs import add_candidate, are_distinct, mark_as_distinct
from readtrack.library.enrichment.records import store_record
from readtrack.library.matching.suggestions import accept_proposal
from readtrack.library.papers import lookup
from readtrack.metadata.types import Metadata, Ref
from readtrack.reading.readings.commands import ReadingUpdate, remove_reading, set_reading, undo_reading
from readtrack.reading.readings.queries import list_passes
from readtrack.reading.summaries.commands import SummaryUpdate, delete_summary, edit_summary
from readtrack.reading.summaries.queries import list_summaries
from tests import make
from tests.depth import some

pytestmark = pytest.mark.slow  # `make check` is to be quick

PREPRINT = Ref("arxiv", "2401.00001")


@pytest.fixture
def do(database):
    def do(verb, *given, **named):
        with database.write() as tx:
            return verb(tx, *given, **named)

    return do


@pytest.fixture
def editor(do):
    return do(make.visitor, "Edith", role="editor")


@pytest.fixture
def ada(do):
    return do(make.visitor, "Ada")


@pytest.fixture
def bo(do):
    return do(make.visitor, "Bo")


@pytest.fixture
def two(do):
    """Ids of a preprint and its publication."""
    one = do(make.paper, "Saving State", identifier=str(PREPRINT))
    return one.id, do(make.paper, "Elastic Training of Models in Clusters", identifier="doi:10.1145/1").id


@pytest.fixture
def merge(do, editor):
    """Merges the one into the other; the id of that merge."""

    def merge(from_id, into_id):
        do(merge_papers, editor, from_id, into_id=into_id)
        return do(list_merges, into_id)[-1].id

    return merge


@pytest.fixture
def part(do, editor):
    return lambda merge_id: do(unmerge, editor, merge_id).id


def texts(do, me, paper_id):
    return [row.markdown for row in do(list_summaries, me, paper_id)]


@pytest.mark.parametrize(
    ("secret", "order"), some([(secret, order) for secret in (None, 0, 1) for order in ((0, 1), (1, 0))], 3)
)
def test_texts_of_two_merged_papers_go_back_to_their_own_when_the_survivor_had_none(
    do, two, merge, part, ada, bo, order, secret
):
    first, kept = two
    second = do(make.paper).id
    for number, paper_id in enumerate((first, second)):
        do(
            edit_summary,
            ada,
            paper_id,
            SummaryUpdate(markdown=f"Text {number}.", private=number == secret),
            version=None,
        )
    seen = [texts(do, bo, paper_id) for paper_id in (first, second)]
    merges = [merge(first, kept), merge(second, kept)]
    part(merges[order[0]])
    left = order[1]
    assert texts(do, ada, (first, second)[order[0]]) == [f"Text {order[0]}."]
    assert texts(do, ada, kept) == [f"Text {left}."]
    assert texts(do, bo, kept) == ([] if left == secret else [f"Text {left}."])
    part(merges[left])
    assert [texts(do, ada, paper_id) for paper_id in (first, second, kept)] == [["Text 0."], ["Text 1."], []]
    assert [texts(do, bo, paper_id) for paper_id in (first, second)] == seen


def test_deleting_a_combined_text_deletes_both(do, two, merge, part, ada, bo):
    for paper_id in two:
        do(edit_summary, ada, paper_id, SummaryUpdate(markdown="Mine."), version=None)
    merge_id = merge(*two)
    do(delete_summary, ada, two[1])
    part(merge_id)
    assert [texts(do, me, paper_id) for me in (ada, bo) for paper_id in two] == [[], [], [], []]


def test_a_deleted_combined_text_stays_deleted_when_a_third_is_merged_and_unmerged(do, two, merge, part, ada):
    (first, kept), third = two, do(make.paper).id
    for number, paper_id in enumerate((first, third, kept)):
        do(edit_summary, ada, paper_id, SummaryUpdate(markdown=f"Text {number}."), version=None)
    merge(first, kept)
    do(delete_summary, ada, kept)
    merge_id = merge(third, kept)
    assert texts(do, ada, kept) == ["Text 1."]
    part(merge_id)
    assert (texts(do, ada, kept), texts(do, ada, third)) == ([], ["Text 1."])


def test_an_identifier_a_person_confirmed_moves_back_with_its_paper(do, two, merge, part, ada):
    gone, kept = two
    said = {"service": "crossref", "title": "Saving State", "likeness": 90, "evidence": "The same title."}
    proposal = do(
        make.added,
        MatchSuggestion.model_validate({"kind": "is", "identifier": "doi:10.1145/2", **said, "paper_id": gone}),
    )
    merge_id = merge(gone, kept)
    do(accept_proposal, ada, proposal.id)
    do(store_record, kept, Metadata(Ref("doi", "10.1145/2"), "crossref", title="Saving State"))
    part(merge_id)
    assert do(lookup.find_by_ref, Ref("doi", "10.1145/2")) == gone
    assert do(lookup.find_by_ref, Ref("doi", "10.1145/1")) == kept


def test_a_pair_marked_as_not_duplicates_before_the_merge_says_nothing_about_the_other_paper_afterwards(
    do, two, merge, part, editor
):
    gone, kept = two
    third = do(make.paper).id
    do(mark_as_distinct, editor, gone, third, evidence="Alike.")
    merge_id = merge(gone, kept)
    assert do(are_distinct, kept, third)
    part(merge_id)
    assert (do(are_distinct, gone, third), do(are_distinct, kept, third)) == (True, False)


def test_two_papers_marked_as_not_duplicates_meanwhile_stay_so(do, two, merge, part, editor):
    gone, kept = two
    third = do(make.paper).id
    do(add_candidate, gone, third, likeness=80, evidence="Alike.")
    merge_id = merge(gone, kept)
    pair = do(lambda tx: tx.scalar(sa.select(col(DuplicatePair.id)).where(col(DuplicatePair.first_id) == kept)))
    do(review.dismiss_duplicate, editor, pair)
    part(merge_id)
    states = do(lambda tx: {(row.first_id, row.second_id): row.state for row in tx.scalars(sa.select(DuplicatePair))})
    assert states == {(gone, third): "distinct", (kept, third): "distinct"}


def test_a_record_of_a_merged_paper_with_another_title_matches_as_before(do, two, merge, editor):
    gone, kept = two
    assert do(store_record, gone, Metadata(PREPRINT, "arxiv", title="Saving State")).state == "agrees"
    merge(gone, kept)
    assert do(store_record, kept, Metadata(PREPRINT, "s2", title="Saving State")).state == "agrees"
    assert do(store_record, kept, Metadata(PREPRINT, "openalex", title="Cooking for Two")).state == "disagrees"


def test_the_first_record_about_a_merged_paper_is_verified_by_that_papers_title(do, two, merge):
    preprint, published = two
    merge(preprint, published)
    record = do(store_record, published, Metadata(PREPRINT, title="Saving State", authors=("Ada Örn",)))
    assert (record.state, record.problem) == ("agrees", "")
    other = do(store_record, published, Metadata(PREPRINT, "crossref", title="Quite Another Work About Tea"))
    assert other.state == "disagrees"


@pytest.mark.parametrize("verb", [remove_reading, undo_reading])
def test_a_reading_of_a_merged_paper_is_changed_on_the_survivor(do, two, merge, ada, verb):
    do(set_reading, ada, two[0], ReadingUpdate(status="to_read"))
    merge(*two)
    with pytest.raises(PaperMerged):
        do(verb, ada, two[0])
    assert [row.status for row in do(list_passes, ada, two[1])] == ["to_read"]


def test_marking_a_pair_as_not_duplicates_waits_for_a_concurrent_merge(database, do, two, editor):
    do(add_candidate, *two, likeness=90, evidence="Alike.")
    (pair,) = do(lambda tx: tx.scalars(sa.select(col(DuplicatePair.id))).all())
    said: list[Exception] = []

    def keep() -> None:
        try:
            do(review.dismiss_duplicate, editor, pair)
        except ReadtrackError as error:
            said.append(error)

    keeping = threading.Thread(target=keep)
    with database.write() as tx:
        for paper_id in two:
            tx.get_one(Paper, paper_id, with_for_update=True)  # as the merge begins
        keeping.start()
        keeping.join(0.5)  # by then it waits
        merge_papers(tx, editor, two[0], into_id=two[1])
    keeping.join()
    assert [type(error) for error in said] == [Conflict]
