"""Links of a topic: only addresses of the web, each once, no papers; removed and brought back."""

import pytest
import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound
from readtrack.infra.models import TopicLink
from readtrack.library.topics.delete import delete_created_topics, delete_topic
from readtrack.library.topics.links import (
    MAX_LINKS,
    TopicLinkFields,
    add_link,
    edit_link,
    get_link,
    guess_kind,
    list_links,
    remove_link,
)
from readtrack.library.topics.merge import merge_topics
from readtrack.workspace.trash.restore import restore_item
from tests import make
from tests.tables import cases

TOOL = "https://github.com/pytorch/torchsnapshot"


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


@pytest.fixture
def topic(database):
    with database.write() as tx:
        return make.topic(tx, "MoE")


def add(tx, me, url=TOOL, slug="moe", **said):
    return add_link(tx, me, slug, TopicLinkFields(url=url, **said))


def test_links_are_grouped_by_kind_oldest_first_with_the_person_who_added_them(database, me, topic):
    with database.write() as tx:
        add(tx, me, "https://example.org/z", kind="tool", title="Z")
        add(tx, me, "https://example.org/a", note="Read  it\nfirst.")
        add(tx, me)
        rows = list_links(tx, topic.id)
    assert [(row.kind, row.display_title, row.note, row.by) for row in rows] == [
        ("article", "example.org/a", "Read it first.", "Ada"),
        ("repository", "github.com/pytorch/torchsnapshot", "", "Ada"),
        ("tool", "Z", "", "Ada"),
    ]
    assert [row.host for row in rows] == ["example.org", "github.com", "example.org"]


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        (TOOL, "repository"),
        ("https://www.youtube.com/watch?v=1", "video"),
        ("https://vllm.readthedocs.io/en/latest", "documentation"),
        ("https://notgithub.com/x", "article"),
    ],
)
def test_the_kind_is_guessed_from_the_site(url, kind):
    assert guess_kind(url) == kind


@cases(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "ftp://example.org/x",
        "//example.org/x",
        "example.org",
        "https://",
        "https://user:word@example.org/",
        "https://example.org/ a",
        "java\tscript:alert(1)",
    ],
)
def test_a_non_web_url_is_refused(database, me, topic, url):
    with database.write() as tx, pytest.raises(Invalid, match="Enter an http:// or https:// address") as refused:
        add(tx, me, url)
    assert refused.value.errors[0].pointer == "/url"


@pytest.mark.parametrize("fields", [{"url": ""}, {"url": TOOL, "kind": "paper"}, {"url": TOOL, "title": "x" * 301}])
def test_an_invalid_link_is_refused(fields):
    with pytest.raises(ValidationError):
        TopicLinkFields(**fields)


def test_one_url_is_one_link_however_it_is_spelled(database, me, topic):
    with database.write() as tx:
        link = add(tx, me)
        with pytest.raises(Conflict, match="Already added"):
            add(tx, me, f"{TOOL.replace('github', 'GitHub')}?utm_source=mail")
        edit_link(tx, me, "moe", link.id, data=TopicLinkFields(url=TOOL, title="Its own"))
        other = add(tx, me, "https://example.org/x")
        with pytest.raises(Conflict, match="Already added"):
            edit_link(tx, me, "moe", other.id, data=TopicLinkFields(url=TOOL))
        make.topic(tx, "DDP")
        assert add(tx, me, slug="ddp").id != link.id


def test_a_library_paper_is_filed_instead_of_linked(database, me, topic):
    with database.write() as tx:
        make.paper(tx, identifier="arxiv:2305.15778")
        with pytest.raises(Conflict, match="a paper in the library") as refused:
            add(tx, me, "https://arxiv.org/pdf/2305.15778v2")
        assert refused.value.code == "is-paper"
        assert add(tx, me, "https://arxiv.org/abs/2305.15779")


def test_the_number_of_links_of_a_topic_is_limited(database, me, topic):
    with database.write() as tx:
        tx.add_all(TopicLink(topic_id=topic.id, url=f"https://example.org/{number}") for number in range(MAX_LINKS))
        tx.flush()
        with pytest.raises(Conflict, match="at most 100 links"):
            add(tx, me)


def test_a_link_can_be_changed_only_under_its_own_topic(database, me, topic):
    with database.write() as tx:
        link = add(tx, me)
        make.topic(tx, "DDP")
        edit_link(tx, me, "moe", link.id, data=TopicLinkFields(url="https://example.org/x", kind="other", title="T"))
        row = get_link(tx, "moe", link.id)
        assert (row.url, row.kind, row.title) == ("https://example.org/x", "other", "T")
        for verb in (
            lambda: edit_link(tx, me, "ddp", link.id, data=TopicLinkFields(url=TOOL)),
            lambda: remove_link(tx, me, "ddp", link.id),
            lambda: get_link(tx, "ddp", link.id),
            lambda: add(tx, me, slug="nowhere"),
        ):
            with pytest.raises(NotFound):
                verb()
        viewer = make.visitor(tx, role="viewer")
        for verb in (
            lambda: add(tx, viewer, "https://example.org/y"),
            lambda: edit_link(tx, viewer, "moe", link.id, data=TopicLinkFields(url=TOOL)),
            lambda: remove_link(tx, viewer, "moe", link.id),
        ):
            with pytest.raises(NotAllowed):
                verb()


def test_a_removed_link_is_restored_with_the_person_who_added_it(database, me, topic):
    with database.write() as tx:
        link = add(tx, me, title="Tool", note="Good.")
        before = get_link(tx, "moe", link.id)
        deed = remove_link(tx, make.visitor(tx), "moe", link.id)
        assert list_links(tx, topic.id) == []
    with database.write() as tx:
        assert restore_item(tx, me, "others", deed) == "/topics/moe"
        [after] = list_links(tx, topic.id)
    assert after._replace(id=0) == before._replace(id=0)


def test_a_removed_link_stays_in_the_trash_if_it_was_added_again_or_its_topic_is_gone(database, me, topic):
    with database.write() as tx:
        deed = remove_link(tx, me, "moe", add(tx, me).id)
        again = add(tx, me)
        with pytest.raises(Conflict, match="Already added"):
            restore_item(tx, me, "others", deed)
        remove_link(tx, me, "moe", again.id)
        merge_topics(tx, me, "moe", make.topic(tx, "All").slug)
        with pytest.raises(Conflict, match="topic no longer exists"):
            restore_item(tx, me, "others", deed)


def test_links_are_deleted_and_restored_with_their_topic(database, me, topic):
    with database.write() as tx:
        add(tx, me, title="Tool")
        deed = delete_topic(tx, me, "moe")
        assert tx.scalars(sa.select(TopicLink)).all() == []
        restore_item(tx, me, "others", deed)
        again = tx.scalars(sa.select(TopicLink)).one()
        assert (again.title, again.added_by) == ("Tool", me.id)
        kept, deed = merge_topics(tx, me, "moe", make.topic(tx, "All").slug)
        assert [row.title for row in list_links(tx, kept.id or 0)] == ["Tool"]
        restore_item(tx, me, "others", deed)
        assert list_links(tx, kept.id or 0) == []
        assert tx.scalars(sa.select(col(TopicLink.title))).all() == ["Tool"]


def test_undo_keeps_a_topic_created_for_filing_if_it_has_a_link_by_then(database, me, topic):
    with database.write() as tx:
        link = add(tx, me)
        delete_created_topics(tx, me, [topic.id])
        assert get_link(tx, "moe", link.id)
        remove_link(tx, me, "moe", link.id)
        delete_created_topics(tx, me, [topic.id])
        with pytest.raises(NotFound):
            add(tx, me)
