"""Whatever was taken away comes back from the trash as it was, for who may bring it back."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, NotAllowed, NotFound
from readtrack.infra.models import AgendaItem, Comment, Entry, Meeting, PaperTopic, Question, Relation, Topic
from readtrack.infra.pagination import PageRequest
from readtrack.ingest.imports.rules import RuleCreate, add_rule, list_rules, remove_rule
from readtrack.library.papers.commands import delete_paper
from readtrack.library.relations.links import RelationCreate, RelationKey, add_relation, remove_relation
from readtrack.library.topics.commands import (
    TopicCreate,
    TopicUpdate,
    add_topic,
    edit_topic,
    link_topic,
    list_topic_paper_ids,
)
from readtrack.library.topics.delete import delete_topic, remove_from_topic
from readtrack.library.topics.merge import merge_topics
from readtrack.library.topics.queries import find_aliases, find_id
from readtrack.reading.summaries.commands import SummaryUpdate, delete_summary, edit_summary
from readtrack.reading.summaries.queries import find_my_summary
from readtrack.team.discussion.commands import delete_comment
from readtrack.team.meetings.commands.agendas import remove_item
from readtrack.team.meetings.commands.delete import delete_meeting
from readtrack.team.questions.commands import delete_question
from readtrack.workspace.saved_searches.commands import SavedSearchFields, delete_view, save_view
from readtrack.workspace.saved_searches.queries import find_view
from readtrack.workspace.trash.queries import list_kinds, list_trash
from readtrack.workspace.trash.restore import restore_item
from tests import make


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {role: make.visitor(tx, role.title(), role=role) for role in ("viewer", "member", "editor")}


@pytest.fixture
def thrown(database, people):
    """What stands in the trash of somebody: (id, about, title)."""

    def thrown(kind, who="editor"):
        with database.read() as tx:
            items = list_trash(tx, people[who], kind, PageRequest()).items
        return [(item.id, item.about, item.title) for item in items]

    return thrown


@pytest.fixture
def back(database, people):
    def back(kind, number, who="editor"):
        with database.write() as tx:
            return restore_item(tx, people[who], kind, number)

    return back


def test_an_editor_restores_a_paper_and_others_do_not_see_that_it_was_deleted(database, people, thrown, back):
    with database.write() as tx:
        paper = make.paper(tx, "Gone for now")
        delete_paper(tx, people["editor"], paper.id)
    assert thrown("papers") == [(paper.id, "paper.deleted", "Gone for now")]
    assert "papers" not in list_kinds(people["member"])
    with pytest.raises(NotAllowed):
        thrown("papers", "member")
    with pytest.raises(NotAllowed):
        back("papers", paper.id, "member")
    assert back("papers", paper.id) == f"/papers/{paper.id}"
    assert thrown("papers") == []


def test_a_summary_is_restored_as_it_was_and_only_by_its_author(database, people, thrown, back):
    me = people["viewer"]
    with database.write() as tx:
        paper = make.paper(tx, "Of something")
        summary = edit_summary(tx, me, paper.id, SummaryUpdate(markdown="Mine.", private=True), version=None)
        delete_summary(tx, me, paper.id)
    assert thrown("summaries", "viewer") == [(summary.id, "summary.deleted", "Of something")]
    assert thrown("summaries") == []
    with pytest.raises(NotFound):
        back("summaries", summary.id)
    back("summaries", summary.id, "viewer")
    with database.read() as tx:
        mine = find_my_summary(tx, me, paper.id)
    assert mine is not None
    assert (mine.markdown, mine.private, mine.version) == ("Mine.", True, 1)
    with pytest.raises(NotFound):
        back("summaries", summary.id, "viewer")


def test_a_comment_is_restored_by_its_author(database, people, thrown, back):
    me = people["member"]
    with database.write() as tx:
        comment = make.comment(tx, me.id, "Said too soon.", paper_id=make.paper(tx).id)
        delete_comment(tx, me, comment.id)
    assert thrown("comments", "member") == [(comment.id, "comment.deleted", "Said too soon.")]
    assert thrown("comments") == []
    back("comments", comment.id, "member")
    with database.read() as tx:
        assert tx.get_one(Comment, comment.id).deleted_at is None


def test_a_saved_search_is_restored_by_its_owner(database, people, thrown, back):
    me = people["viewer"]
    with database.write() as tx:
        view_id = save_view(tx, me, SavedSearchFields(name="Mine", q="topic:moe"))
        delete_view(tx, me, view_id)
    assert thrown("views", "viewer") == [(view_id, "view.deleted", "Mine")]
    assert thrown("views") == []
    back("views", view_id, "viewer")
    with database.read() as tx:
        assert find_view(tx, me, view_id) is not None


def test_a_topic_is_restored_with_its_names_position_and_lines(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        above = make.topic(tx, "Systems")
        wanted = TopicCreate(name="MoE", aliases=["experts", "专家"], parent="systems", markdown="*Text*.")
        topic = add_topic(tx, editor, wanted)
        line = make.entry(tx, topic_id=topic.id)
        delete_topic(tx, editor, "moe")
    [(deed, about, title)] = thrown("others")
    assert (about, title) == ("topic.deleted", "MoE")
    assert thrown("others", "member") == []
    with pytest.raises(NotFound):
        back("others", deed, "member")
    assert back("others", deed) == "/topics/moe"
    with database.read() as tx:
        again = tx.scalar(sa.select(Topic).where(col(Topic.slug) == "moe"))
        assert (again.markdown, again.parent_id) == ("*Text*.", above.id)
        assert find_aliases(tx, [again.id])[again.id] == ["experts", "专家"]
        assert tx.get_one(Entry, line.id).topic_id == again.id
    with pytest.raises(Conflict, match="Already undone"):
        back("others", deed)


def test_a_topic_whose_name_was_taken_meanwhile_stays_in_the_trash(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        add_topic(tx, editor, TopicCreate(name="MoE"))
        delete_topic(tx, editor, "moe")
        add_topic(tx, editor, TopicCreate(name="moe"))
    [(deed, _, _)] = thrown("others")
    with pytest.raises(Conflict, match="already used by the topic “moe”"):
        back("others", deed)
    assert len(thrown("others")) == 1


def test_a_question_is_restored_by_who_deleted_it_without_links_to_deleted_items(database, people, thrown, back):
    me = people["member"]
    with database.write() as tx:
        paper = make.paper(tx)
        question = make.question(tx, "Why so slow?", created_by=me.id, paper_id=paper.id)
        delete_question(tx, me, question.id)
        delete_paper(tx, people["editor"], paper.id)
    [(deed, about, title)] = thrown("others", "member")
    assert (about, title) == ("question.deleted", "Why so slow?")
    assert thrown("others", "viewer") == []
    address = back("others", deed, "member")
    with database.read() as tx:
        again = tx.get_one(Question, int(address.rpartition("/")[2]))
    assert (again.text, again.created_by, again.paper_id) == ("Why so slow?", me.id, None)


def test_a_meeting_is_restored_with_its_id_and_agenda(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        meeting = make.meeting(tx, now() + timedelta(days=3), "Friday")
        papers = [make.paper(tx).id for _ in range(2)]
        for place, paper_id in enumerate(papers):
            make.item(tx, meeting.id, paper_id=paper_id, position=place, note="All of it.")
        delete_meeting(tx, editor, meeting.id)
        delete_paper(tx, editor, papers[0])
    [(deed, about, _)] = thrown("others")
    assert about == "meeting.deleted"
    assert back("others", deed) == f"/meetings/{meeting.id}"
    with database.read() as tx:
        again = tx.get_one(Meeting, meeting.id)
        items = tx.scalars(sa.select(AgendaItem)).all()
    assert (again.title, again.state, again.sequence > meeting.sequence) == ("Friday", "planned", True)
    assert [(item.paper_id, item.note) for item in items] == [(papers[1], "All of it.")]


def test_a_removed_agenda_item_is_put_back(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        meeting = make.meeting(tx, now() + timedelta(days=3))
        item = make.item(tx, meeting.id, paper_id=make.paper(tx).id, note="First.", minutes=20)
        remove_item(tx, editor, meeting.id, item.id)
    [(deed, about, _)] = thrown("others")
    assert about == "agenda.removed"
    back("others", deed)
    with database.read() as tx:
        [again] = tx.scalars(sa.select(AgendaItem)).all()
    assert (again.note, again.minutes) == ("First.", 20)


def test_a_relation_and_a_rule_are_restored(database, people, thrown, back):
    member = people["member"]
    with database.write() as tx:
        one, other = make.paper(tx, "One"), make.paper(tx, "Other")
        add_relation(tx, member, one.id, RelationCreate(to=other.id, kind="extends", note="In section 3."))
        remove_relation(tx, member, one.id, RelationKey(to=other.id, kind="extends"))
        remove_rule(tx, member, add_rule(tx, member, RuleCreate(pattern="heading", value="Infos", says="no_topic")))
    (rule, rule_about, _), (relation, about, title) = thrown("others", "member")
    assert (rule_about, about, title) == ("rule.removed", "relation.removed", "One")
    back("others", rule, "member")
    back("others", relation, "member")
    with database.read() as tx:
        assert [row.value for row in list_rules(tx)] == ["Infos"]
        [again] = tx.scalars(sa.select(Relation)).all()
    assert (again.to_id, again.note) == (other.id, "In section 3.")


def test_a_paper_is_filed_again_in_its_place_by_the_same_person(database, people, thrown, back):
    member, editor = people["member"], people["editor"]
    with database.write() as tx:
        paper, topic = make.paper(tx, "On Experts"), make.topic(tx, "MoE")
        link_topic(tx, editor, paper.id, "moe")
        before = tx.get_one(PaperTopic, (paper.id, topic.id)).model_dump()
    with database.write() as tx:
        deed = remove_from_topic(tx, member, paper.id, "moe")
        assert remove_from_topic(tx, member, paper.id, "moe") is None  # it is out already
    assert thrown("others", "viewer") == []
    assert thrown("others", "member") == [(deed, "topic.unlinked", "MoE: On Experts")]
    assert back("others", deed, "member") == f"/papers/{paper.id}"
    with database.read() as tx:
        assert tx.get_one(PaperTopic, (paper.id, topic.id)).model_dump() == before
    with pytest.raises(Conflict, match="Already undone"):
        back("others", deed, "member")


def test_a_paper_is_not_filed_again_where_it_already_is_or_the_topic_is_gone(database, people, back):
    editor = people["editor"]
    with database.write() as tx:
        papers = [make.paper(tx).id for _ in range(3)]
        make.topic(tx, "MoE")
        for paper_id in papers:
            link_topic(tx, editor, paper_id, "moe")
    with database.write() as tx:
        again, gone, moot = [remove_from_topic(tx, editor, paper_id, "moe") for paper_id in papers]
        link_topic(tx, editor, papers[0], "moe")
        delete_paper(tx, editor, papers[1])
    with pytest.raises(Conflict, match="Already added"):
        back("others", again)
    with pytest.raises(NotFound):
        back("others", gone)
    with database.write() as tx:
        remove_from_topic(tx, editor, papers[0], "moe")
        delete_topic(tx, editor, "moe")
    with pytest.raises(Conflict, match="topic no longer exists"):
        back("others", moot)


def test_nothing_can_be_restored_after_thirty_days(database, people, thrown, back):
    me = people["editor"]
    with time_machine.travel(now() - timedelta(days=30, minutes=1), tick=False), database.write() as tx:
        paper = make.paper(tx)
        summary = edit_summary(tx, me, make.paper(tx).id, SummaryUpdate(tldr="Mine."), version=None)
        delete_summary(tx, me, summary.paper_id)
        comment = make.comment(tx, me.id, paper_id=summary.paper_id)
        delete_comment(tx, me, comment.id)
        add_topic(tx, me, TopicCreate(name="MoE"))
        deed = delete_topic(tx, me, "moe")
        view_id = save_view(tx, me, SavedSearchFields(name="Mine"))
        delete_view(tx, me, view_id)
        delete_paper(tx, me, paper.id)
    numbers = {"papers": paper.id, "summaries": summary.id, "comments": comment.id, "others": deed, "views": view_id}
    for kind, number in numbers.items():
        assert thrown(kind) == []
        with pytest.raises((Conflict, NotFound)):
            back(kind, number)


def test_pages_of_the_trash_contain_every_item_once(database, people):
    with database.write() as tx:
        for number in range(5):
            delete_paper(tx, people["editor"], make.paper(tx, f"Paper {number}").id)
    seen: list[str] = []
    cut: PageRequest | None = PageRequest(2)
    with database.read() as tx:
        while cut is not None:
            page = list_trash(tx, people["editor"], "papers", cut)
            seen += [item.title for item in page.items]
            cut = PageRequest(2, page.next) if page.next else None
    assert seen == [f"Paper {number}" for number in (4, 3, 2, 1, 0)]


def test_merged_topics_are_unmerged_with_what_each_had(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        kept = make.topic(tx, "Experts", markdown="Kept.")
        gone = make.topic(tx, "MoE", aliases=("mixture",), markdown="Gone.")
        below = make.topic(tx, "Routing", parent_id=gone.id)
        papers = [make.paper(tx) for _ in range(3)]
        for paper, topics in zip(papers, ([kept], [kept, gone], [gone]), strict=True):
            for topic in topics:
                make.filed(tx, paper, topic)
        comment = make.comment(tx, editor.id, topic_id=gone.id)
        merge_topics(tx, editor, "moe", "experts")
    [(deed, about, title)] = thrown("others")
    assert (about, title) == ("topic.merged", "MoE")
    assert back("others", deed) == "/topics/moe"
    with database.read() as tx:
        again = tx.scalar(sa.select(Topic).where(col(Topic.slug) == "moe"))
        kept = tx.get_one(Topic, kept.id)
        assert (again.markdown, kept.markdown) == ("Gone.", "Kept.")
        assert find_aliases(tx, [again.id, kept.id]) == {again.id: ["mixture"]}
        assert tx.get_one(Topic, below.id).parent_id == again.id
        assert tx.get_one(Comment, comment.id).topic_id == again.id
        filed = {topic.id: sorted(list_topic_paper_ids(tx, topic)) for topic in (kept, again)}
    assert filed == {kept.id: [papers[0].id, papers[1].id], again.id: [papers[1].id, papers[2].id]}


def test_text_written_in_the_merged_topic_since_stays_there(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        make.topic(tx, "Experts", markdown="Kept.")
        make.topic(tx, "MoE", markdown="Gone.")
        kept, deed = merge_topics(tx, editor, "moe", "experts")
        edit_topic(tx, editor, "experts", TopicUpdate(name="Experts", markdown="Both, better."), version=kept.version)
    assert back("others", deed) == "/topics/moe"
    with database.read() as tx:
        assert tx.scalar(sa.select(col(Topic.markdown)).where(col(Topic.slug) == "experts")) == "Both, better."


def test_an_unmerged_topic_returns_to_its_parent_and_never_below_itself(database, people, back):
    editor = people["editor"]
    with database.write() as tx:
        above = make.topic(tx, "Systems")
        gone = make.topic(tx, "MoE", parent_id=above.id)
        below = make.topic(tx, "Routing", parent_id=gone.id)
        make.topic(tx, "Experts")
        _, deed = merge_topics(tx, editor, "moe", "experts")
        above_id, below_id = above.id, below.id
    with database.write() as tx:
        edit_topic(tx, editor, "systems", TopicUpdate(name="Systems", parent="routing"), version=1)
    assert back("others", deed) == "/topics/moe"
    with database.read() as tx:
        again = tx.scalar(sa.select(Topic).where(col(Topic.slug) == "moe"))
        assert again.parent_id is None
        assert tx.get_one(Topic, below_id).parent_id == again.id
        assert tx.get_one(Topic, above_id).parent_id == below_id


@pytest.mark.parametrize("deep", [False, True])
def test_a_topic_that_absorbed_its_parent_goes_below_it_again(database, people, back, deep):
    editor = people["editor"]
    with database.write() as tx:
        top = make.topic(tx, "MoE")
        parent = make.topic(tx, "Routing", parent_id=top.id) if deep else top
        kept = make.topic(tx, "Experts", parent_id=parent.id)
        _, deed = merge_topics(tx, editor, "moe", "experts")
        kept_id = kept.id
    back("others", deed)
    with database.read() as tx:
        slugs = dict(tx.execute(sa.select(col(Topic.id), col(Topic.slug))).all())
        assert slugs[tx.get_one(Topic, kept_id).parent_id] == ("routing" if deep else "moe")


def test_a_topic_that_absorbed_its_parent_stays_where_somebody_moved_it_since(database, people, back):
    editor = people["editor"]
    with database.write() as tx:
        elsewhere = make.topic(tx, "Systems").id
        above = make.topic(tx, "MoE")
        make.topic(tx, "Experts", parent_id=above.id)
        kept, deed = merge_topics(tx, editor, "moe", "experts")
        edit_topic(tx, editor, "experts", TopicUpdate(name="Experts", parent="systems"), version=kept.version)
        kept_id = kept.id
    back("others", deed)
    with database.read() as tx:
        assert tx.get_one(Topic, kept_id).parent_id == elsewhere


def test_an_unmerged_topic_has_its_own_names_again_and_none_of_the_others(database, people, back):
    editor = people["editor"]
    with database.write() as tx:
        make.topic(tx, "MoE", aliases=("mixture", "sparse"))
        own = make.topic(tx, "Experts").id
        kept, deed = merge_topics(tx, editor, "moe", "experts")
        edit = TopicUpdate(name="Experts", aliases=["mixture", "committees"])
        edit_topic(tx, editor, "experts", edit, version=kept.version)
    back("others", deed)
    with database.read() as tx:
        again = tx.scalars(sa.select(col(Topic.id)).where(col(Topic.slug) == "moe")).one() or 0
        assert (find_id(tx, "moe"), find_id(tx, "experts")) == (again, own)
        assert find_aliases(tx, [again, own]) == {again: ["mixture"], own: ["committees"]}


def test_a_topic_stays_merged_while_another_has_its_name(database, people, back):
    editor = people["editor"]
    with database.write() as tx:
        make.topic(tx, "MoE")
        make.topic(tx, "Experts")
        kept, deed = merge_topics(tx, editor, "moe", "experts")
        edit_topic(tx, editor, "experts", TopicUpdate(name="MoE"), version=kept.version)
    with pytest.raises(Conflict) as refused:
        back("others", deed)
    assert refused.value.code == "name-taken"


def test_a_paper_is_not_filed_under_a_later_topic_with_a_reused_id(database, people, back):
    editor = people["editor"]
    with database.write() as tx:
        paper = make.paper(tx)
        add_topic(tx, editor, TopicCreate(name="MoE"))
        link_topic(tx, editor, paper.id, "moe")
        taken = remove_from_topic(tx, editor, paper.id, "moe")
        deed = delete_topic(tx, editor, "moe")
        add_topic(tx, editor, TopicCreate(name="Routing"))
    with pytest.raises(Conflict):
        back("others", taken)
    back("others", deed)
    back("others", taken)
    with database.read() as tx:
        filed = sa.select(col(Topic.slug)).join(PaperTopic, col(PaperTopic.topic_id) == col(Topic.id))
        assert tx.scalars(filed).all() == ["moe"]


def test_a_topic_is_restored_at_the_top_when_the_one_above_it_is_gone(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        add_topic(tx, editor, TopicCreate(name="Systems"))
        add_topic(tx, editor, TopicCreate(name="MoE", parent="systems"))
        delete_topic(tx, editor, "moe")
        delete_topic(tx, editor, "systems")
    [deed] = [deed for deed, _, title in thrown("others") if title == "MoE"]
    back("others", deed)
    with database.read() as tx:
        assert [(topic.slug, topic.parent_id) for topic in tx.scalars(sa.select(Topic))] == [("moe", None)]


def test_an_agenda_item_is_put_back_without_a_presenter_who_left(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        meeting, presenter = make.meeting(tx, now() + timedelta(days=3)), make.person(tx)
        item = make.item(tx, meeting.id, paper_id=make.paper(tx).id, presenter_id=presenter.id)
        remove_item(tx, editor, meeting.id, item.id)
        presenter.disabled_at = now()
    [(deed, _, _)] = thrown("others")
    back("others", deed)
    with database.read() as tx:
        assert tx.scalars(sa.select(col(AgendaItem.presenter_id))).all() == [None]


def test_a_cancelled_meeting_is_restored_as_cancelled_with_its_questions(database, people, thrown, back):
    editor = people["editor"]
    with database.write() as tx:
        meeting = make.meeting(tx, now() + timedelta(days=3), state="cancelled")
        question = make.question(tx)
        make.item(tx, meeting.id, question_id=question.id)
        delete_meeting(tx, editor, meeting.id)
    [(deed, _, _)] = thrown("others")
    back("others", deed)
    with database.read() as tx:
        assert tx.get_one(Meeting, meeting.id).state == "cancelled"
        assert tx.scalars(sa.select(col(AgendaItem.question_id))).all() == [question.id]
