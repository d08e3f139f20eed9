"""What a topic said: each version is kept, compared, put together with others, brought back, at last forgotten."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import NotAllowed, NotFound, StaleVersion
from readtrack.infra.models import Topic, TopicVersion, UndoEntry
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics import history as topics_history
from readtrack.library.topics.bulk_insert import TopicHeading, find_or_add_topics
from readtrack.library.topics.commands import TopicCreate, TopicUpdate, add_aliases, add_topic, edit_topic
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.history import restore_version, save_to_history, save_with_merge
from readtrack.library.topics.merge import merge_topics
from readtrack.workspace.trash.purge import purge_trash
from readtrack.workspace.trash.restore import restore_item
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick
NOBODY = CurrentUser(0, "", "viewer")
LINES = "one\n\ntwo\n\nthree"


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


@pytest.fixture
def bo(database):
    with database.write() as tx:
        return make.visitor(tx, "Bo")


def saved(tx, me, markdown, *, version, slug="moe", **fields):
    return save_with_merge(
        tx, me, slug, TopicUpdate(**{"name": "MoE", "markdown": markdown, **fields}), version=version
    )


def history(tx, slug="moe"):
    """Number, text and who, the oldest first."""
    found = topics_history.list_topic_versions(tx, NOBODY, slug, PageRequest(limit=200)).items
    return [(version.number, version.markdown, version.person) for version in reversed(found)]


def test_every_kind_of_topic_change_creates_a_version(database, ada, bo):
    with database.write() as tx:
        topic = add_topic(tx, ada, TopicCreate(name="MoE", markdown="a"))
        edit_topic(tx, bo, "moe", TopicUpdate(name="MoE", markdown="b"), version=1)
        edit_topic(tx, bo, "moe", TopicUpdate(name="MoE", markdown="b"), version=2)
        add_aliases(tx, ada, topic.id or 0, ["mixture", "MoE"])
        assert history(tx) == [(1, "a", "Ada"), (2, "b", "Bo"), (3, "b", "Ada")]
        assert topics_history.get_topic_version(tx, ada, "moe", 3).aliases == ["mixture"]
        find_or_add_topics(tx, bo, [TopicHeading("Routing", ["MoE"])])
        [version] = topics_history.list_topic_versions(tx, ada, "routing", PageRequest()).items
        assert version[:-1] == (1, "Routing", [], "MoE", "", "Bo")


def test_merging_and_unmerging_create_versions_of_both_topics(database, ada):
    with database.write() as tx:
        for name in ("MoE", "Experts"):
            add_topic(tx, ada, TopicCreate(name=name, markdown=name))
        _kept, deed = merge_topics(tx, ada, "experts", "moe")
        assert history(tx)[-1] == (2, "MoE\n\nExperts", "Ada")
        restore_item(tx, ada, "others", deed)
        assert history(tx)[-1] == (3, "MoE", "Ada")
        assert history(tx, "experts") == [(1, "Experts", "Ada"), (2, "Experts", "Ada")]


def test_a_restored_topic_has_its_history(database, ada):
    with database.write() as tx:
        number = add_topic(tx, ada, TopicCreate(name="MoE", markdown="a")).id
        deed = delete_topic(tx, ada, "moe")
        assert restore_item(tx, ada, "others", deed) == "/topics/moe"
        assert tx.scalar(sa.select(col(Topic.id))) == number
        assert history(tx) == [(1, "a", "Ada"), (2, "a", "Ada")]


@pytest.mark.parametrize("way", ["deleted", "merged"])
def test_the_versions_of_a_deleted_topic_are_deleted_after_thirty_days(database, ada, way):
    with database.write() as tx:
        for name in ("MoE", "Other", "Back"):
            add_topic(tx, ada, TopicCreate(name=name))
        delete_topic(tx, ada, "moe") if way == "deleted" else merge_topics(tx, ada, "moe", "other")
        restore_item(tx, ada, "others", delete_topic(tx, ada, "back"))
        delete_topic(tx, ada, "back")
        newest = sa.select(sa.func.max(col(UndoEntry.created_at))).scalar_subquery()
        tx.execute(
            sa.update(UndoEntry).where(col(UndoEntry.created_at) < newest).values(created_at=now() - timedelta(days=31))
        )
    purge_trash(database)
    with database.read() as tx:
        names = set(tx.scalars(sa.select(col(TopicVersion.name))))
    assert names == {"Other", "Back"}


def test_non_overlapping_edits_merge_and_both_texts_are_kept(database, ada, bo):
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="MoE", markdown=LINES, aliases=["experts"]))
        saved(tx, ada, "ONE\n\ntwo\n\nthree", version=1, aliases=["experts", "混合专家"])
        done = saved(tx, bo, "one\n\ntwo\n\nTHREE", version=1, name="Mixture of experts", aliases=["mixture"])
        assert (done.merged_version, done.topic.version) == (2, 4)
        assert [text for _, text, _ in history(tx)] == [
            LINES, "ONE\n\ntwo\n\nthree", "one\n\ntwo\n\nTHREE", "ONE\n\ntwo\n\nTHREE",
        ]  # fmt: skip
        now = topics_history.get_topic_version(tx, ada, "moe", 4)
        assert (now.name, now.aliases, now.person) == ("Mixture of experts", ["混合专家", "mixture"], "Bo")


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        ({"markdown": "theirs"}, {"markdown": "mine"}),
        ({"name": "Theirs"}, {"name": "Mine"}),
        ({"parent": "above"}, {"parent": "beside"}),
    ],
    ids=["text", "name", "parent"],
)
def test_overlapping_edits_are_refused_with_all_three_texts(database, ada, theirs, mine):
    with database.write() as tx:
        for name in ("Above", "Beside", "MoE"):
            add_topic(tx, ada, TopicCreate(name=name))
        save_with_merge(tx, ada, "moe", TopicUpdate(**{"name": "MoE", **theirs}), version=1)
        with pytest.raises(StaleVersion) as stale:
            save_with_merge(tx, ada, "moe", TopicUpdate(**{"name": "MoE", **mine}), version=1)
        current: Any = stale.value.current
        assert {field: current[field] for field in theirs} == theirs
        assert (current["version"], current["base"]["name"], current["base"]["markdown"]) == (2, "MoE", "")
        assert len(history(tx)) == 2


def test_a_move_and_a_text_edit_merge(database, ada):
    with database.write() as tx:
        for name in ("Above", "MoE"):
            add_topic(tx, ada, TopicCreate(name=name))
        saved(tx, ada, "", version=1, parent="above")
        saved(tx, ada, "text", version=1)
        now = topics_history.get_topic_version(tx, ada, "moe", 4)
        assert (now.parent, now.markdown) == ("Above", "text")


def test_a_request_sent_twice_creates_one_version(database, ada, bo):
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="MoE", markdown="a"))
        saved(tx, bo, "b", version=1)
        assert saved(tx, bo, "b", version=1).identical_version == 2
        saved(tx, ada, "c", version=2)
        again = saved(tx, bo, "b", version=1)
        assert (again.identical_version, again.topic.version) == (2, 3)
        assert saved(tx, bo, "a", version=1).identical_version == 1  # an old window in which nothing was changed
        assert [text for _, text, _ in history(tx)] == ["a", "b", "c"]


def test_an_overridden_text_is_in_the_history(database, ada, bo):
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="MoE", markdown="theirs", aliases=["experts"]))
        save_to_history(tx, bo, "moe", TopicUpdate(name="Mine", markdown="mine"), version=1)
        assert history(tx) == [(1, "theirs", "Ada"), (2, "mine", "Bo"), (3, "theirs", "Bo")]
        last = topics_history.get_topic_version(tx, ada, "moe", 3)
        assert (last.name, last.aliases) == ("MoE", ["experts"])
        with pytest.raises(StaleVersion):
            save_to_history(tx, bo, "moe", TopicUpdate(name="MoE", markdown="late"), version=1)


def test_an_old_version_is_restored_at_the_topics_current_position(database, ada):
    with database.write() as tx:
        for name in ("Above", "MoE"):
            add_topic(tx, ada, TopicCreate(name=name, markdown="a"))
        saved(tx, ada, "b", version=1, name="Mixture", parent="above")
        restore_version(tx, ada, "moe", 1)
        now = topics_history.get_topic_version(tx, ada, "moe", 3)
        assert (now.name, now.markdown, now.parent) == ("MoE", "a", "Above")
        with pytest.raises(NotFound):
            restore_version(tx, ada, "moe", 9)


def test_viewers_see_versions_but_cannot_restore_them(database, sign_in, ada):
    with database.write() as tx:
        viewer = make.visitor(tx, "Vi", role="viewer")
        add_topic(tx, ada, TopicCreate(name="MoE", markdown="a"))
        saved(tx, ada, "b", version=1)
    with database.write() as tx, pytest.raises(NotAllowed):
        restore_version(tx, viewer, "moe", 1)
    document = html.fromstring(sign_in(viewer).get("/topics/moe/versions").text)
    assert "Ada" in document.text_content()
    assert not document.xpath("//form[contains(@action, '/restore')]")


def test_the_page_restores_a_version_and_compares_two(database, sign_in, ada):
    browser = sign_in(ada)
    browser.post("/topics", data={"name": "MoE", "markdown": "訓練が速い。"})
    browser.post("/topics/moe/edit", data={"name": "MoE", "markdown": "訓練が遅い。", "version": "1"})
    document = html.fromstring(browser.get("/topics/moe/versions", params={"compare": "1"}).text)
    changed = document.get_element_by_id("compared").xpath(".//del|.//ins")
    assert [(one.tag, one.text) for one in changed] == [("del", "速"), ("ins", "遅")]
    [form] = document.xpath("//form[contains(@action, '/restore')]")
    assert browser.post(form.get("action")).headers["location"] == "/topics/moe"
    with database.read() as tx:
        assert [text for _, text, _ in history(tx)] == ["訓練が速い。", "訓練が遅い。", "訓練が速い。"]


def test_the_api_returns_the_history(database, sign_in, ada):
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="MoE", markdown="0"))
        for number in range(1, 5):
            saved(tx, ada, str(number), version=number)
    browser = sign_in(ada)
    first = browser.get("/api/v1/topics/moe/versions", params={"limit": 3}).json()
    rest = browser.get("/api/v1/topics/moe/versions", params={"limit": 3, "after": first["next"]}).json()
    assert [one["number"] for one in first["items"] + rest["items"]] == [5, 4, 3, 2, 1]
    assert browser.get("/api/v1/topics/moe/versions/2").json() == rest["items"][0]
    assert (rest["items"][0]["person"], rest["items"][0]["markdown"]) == ("Ada", "1")
    assert browser.get("/api/v1/topics/moe/versions/9").status_code == 404


@pytest.mark.deep
def test_a_long_history_is_paged(database, sign_in, ada, statements):
    with database.write() as tx:
        topic = add_topic(tx, ada, TopicCreate(name="MoE"))
        paragraph = "Experts are chosen by a router that learns which of them knows best. " * 700  # 48 kB
        texts = ({"number": 2 + n, "markdown": f"{n} {paragraph}{n}"} for n in range(200))
        table: Any = TopicVersion.__table__  # type: ignore[attr-defined]
        same = {"topic_id": topic.id, "name": "MoE", "aliases": [], "saved_by": ada.id}
        tx.connection().execute(sa.insert(table), [{**same, **text} for text in texts])
        topic.version = 201
    browser = sign_in(ada)
    with statements() as asked:
        answer = browser.get("/topics/moe/versions")
    assert len(asked) < 20
    document = html.fromstring(answer.text)
    assert [section.text for section in document.xpath("//main//section//h2")] == [
        f"Version {n}" for n in range(201, 181, -1)
    ]
    assert [one.text for one in document.get_element_by_id("version-182").xpath(".//del|.//ins")] == [
        "179", "180", "179", "180",
    ]  # fmt: skip
    assert document.xpath("//a[@rel='next']")


def test_the_api_restores_a_version(database, sign_in, ada):
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="MoE", markdown="a"))
        saved(tx, ada, "b", version=1)
    back = sign_in(ada).post("/api/v1/topics/moe/versions/1/restore")
    assert (back.status_code, back.json()["number"], back.json()["markdown"]) == (200, 3, "a")
    assert back.headers["etag"] == sign_in(ada).get("/api/v1/topics/moe").headers["etag"]
