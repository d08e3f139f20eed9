"""A title in another language: said by a person, found by search, carried along when papers become one."""

import pytest

from readtrack import search
from readtrack.infra.errors import Invalid, NotAllowed
from readtrack.library.duplicates.merge import list_merges, merge_papers, unmerge
from readtrack.library.papers.lists import PaperFilter, count_papers
from readtrack.library.papers.translated_titles import (
    TranslatedTitleUpdate,
    list_translated_titles,
    remove_translated_title,
    set_translated_title,
)
from tests import make


@pytest.fixture
def me(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, role="editor")


def glosses(database, paper_id):
    with database.read() as tx:
        return [(row.language, row.title, row.machine) for row in list_translated_titles(tx, paper_id)]


def count(database, me, q):
    with database.read() as tx:
        return count_papers(tx, me, PaperFilter(q))


def test_a_translated_title_is_searchable_until_it_is_deleted(database, me):
    with database.write() as tx:
        paper_id = make.paper(tx, "万卡集群训练").id
        set_translated_title(
            tx, me, paper_id, "en", update=TranslatedTitleUpdate(title="Training on ten thousand cards")
        )
    assert (count(database, me, "thousand"), count(database, me, "title:cards")) == (1, 1)
    with database.write() as tx:
        set_translated_title(
            tx,
            me,
            paper_id,
            "en",
            update=TranslatedTitleUpdate(title="Training with ten thousand GPUs", machine="Something else"),
        )
    assert glosses(database, paper_id) == [("en", "Training with ten thousand GPUs", False)]
    assert (count(database, me, "cards"), count(database, me, "gpus")) == (0, 1)
    with database.write() as tx:
        assert remove_translated_title(tx, me, paper_id, "en") == "Training with ten thousand GPUs"
        assert remove_translated_title(tx, me, paper_id, "en") is None
    assert (glosses(database, paper_id), count(database, me, "gpus")) == ([], 0)


def test_a_machine_translation_is_marked_until_it_is_edited(database, me):
    with database.write() as tx:
        paper_id = make.paper(tx).id
        set_translated_title(tx, me, paper_id, "ja", update=TranslatedTitleUpdate(title="訓練", machine="訓練"))
    assert glosses(database, paper_id) == [("ja", "訓練", True)]


def test_only_supported_languages_and_only_people_who_may_edit(database, me):
    with database.write() as tx:
        paper_id, viewer = make.paper(tx).id, make.visitor(tx, role="viewer")
        with pytest.raises(Invalid, match=r"Unsupported language\. Use one of: en, ja, zh-Hans"):
            set_translated_title(tx, me, paper_id, "de", update=TranslatedTitleUpdate(title="Training"))
        with pytest.raises(NotAllowed):
            set_translated_title(tx, viewer, paper_id, "ja", update=TranslatedTitleUpdate(title="訓練"))


def test_merged_papers_have_the_translated_titles_of_both_and_get_them_back(database, me):
    with database.write() as tx:
        one, other = make.paper(tx).id, make.paper(tx).id
        for paper_id, language, title in ((one, "ja", "一"), (other, "ja", "二"), (other, "zh-Hans", "三")):
            set_translated_title(tx, me, paper_id, language, update=TranslatedTitleUpdate(title=title))
    with database.write() as tx:
        merge_papers(tx, me, other, into_id=one)
    assert glosses(database, one) == [("ja", "一", False), ("zh-Hans", "三", False)]
    with database.write() as tx:
        unmerge(tx, me, list_merges(tx, one)[0].id)
    assert glosses(database, one) == [("ja", "一", False)]
    assert glosses(database, other) == [("ja", "二", False), ("zh-Hans", "三", False)]
