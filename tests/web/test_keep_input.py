"""Whoever wrote something that cannot be saved is shown it once more: whatever the reason, nothing is lost."""

import pytest
from lxml import html

from readtrack.library.duplicates.merge import merge_papers
from readtrack.library.papers.commands import delete_paper
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.merge import merge_topics
from tests import make

TEXT = "Experts <b>are</b> chosen\n\nby a router."


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="admin")


def shown_again(answer):
    """What an error page gives back of a form."""
    fields = html.fromstring(answer.text).xpath("//main//textarea[@readonly]")
    return [field.value.removeprefix("\n") for field in fields]


def test_editing_a_topic_deleted_meanwhile_keeps_the_text(database, sign_in, me):
    with database.write() as tx:
        for name in ("MoE", "Experts", "Routing"):
            make.topic(tx, name)
        delete_topic(tx, me, "moe")
        merge_topics(tx, me, "experts", "routing")
    for slug in ("moe", "experts"):
        answer = sign_in(me).post(f"/topics/{slug}/edit", data={"name": "MoE", "markdown": TEXT, "version": "1"})
        assert (answer.status_code, shown_again(answer)) == (404, [TEXT])
        assert "Copy it before you leave" in answer.text


def test_summarising_a_paper_deleted_meanwhile_keeps_the_text(database, sign_in, me):
    with database.write() as tx:
        gone, part, whole = (make.paper(tx).id for _ in range(3))
        delete_paper(tx, me, gone)
        merge_papers(tx, me, part, into_id=whole)
    for paper in (gone, part):
        answer = sign_in(me).post(f"/papers/{paper}/summary/edit", data={"markdown": TEXT, "tldr": "Routers."})
        assert answer.status_code in {404, 409, 410}
        assert shown_again(answer) == ["Routers.", TEXT]


@pytest.mark.deep
def test_a_person_who_may_not_write_sees_the_text_and_no_other_part_of_the_form(database, sign_in, me):
    with database.write() as tx:
        make.topic(tx, "MoE")
        viewer = make.visitor(tx, "Guest", role="viewer")
    answer = sign_in(viewer).post("/topics/moe/edit", data={"markdown": TEXT, "name": "hidden word", "version": "1"})
    assert (answer.status_code, shown_again(answer)) == (403, [TEXT])
    assert "hidden word" not in answer.text
