"""Topics in a browser: the index, one topic with its papers, its form, and filing papers."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack import policy
from readtrack.db import Read
from readtrack.discussion.subjects import Subject
from readtrack.errors import Invalid, Stale
from readtrack.languages import gettext as _
from readtrack.papers.queries import PaperFilter, list_papers, with_team
from readtrack.topics import commands, queries
from readtrack.topics.commands import TopicAdd, TopicEdit
from readtrack.topics.filing import take_out
from readtrack.topics.merge import merge_topics
from readtrack.topics.queries import TopicDetail
from readtrack.web.cursors import cursor_for, cut_for
from readtrack.web.discussions import discussion_of, questions_beside
from readtrack.web.forms import Checked, Fields, Form, check, whole
from readtrack.web.templating import go, is_fragment, render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)


@router.get("/topics")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """The tree of topics; as a fragment, what a field for a topic's name may be completed to."""
    if is_fragment(request):
        typed = "".join(request.query_params.get(field, "") for field in ("name", "parent", "into", "topic"))
        return render(request, "topics/_options.html", topics=queries.suggest_topics(tx, typed))
    return _index(request, me, tx, after=after)


@router.post("/topics")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Adds a topic; 422 with the index and the form kept when it cannot be."""
    checked, errors = _checked(tx, fields, None)
    if checked.value is None or errors:
        return _index(request, me, tx, status=422, typed=checked.typed, errors=errors)
    topic = commands.add_topic(tx, me, checked.value)
    return go(request, f"/topics/{topic.slug}", _("“{name}” is a topic now.").format(name=topic.name))


@router.get("/topics/{slug}")
def show_page(request: Request, slug: str, me: Me, tx: ReadTx, after: str = "") -> Response:
    """One topic with its papers. Any of its names leads here."""
    known = queries.find_slug(tx, slug)
    if known not in {None, slug}:
        return go(request, f"/topics/{known}")
    topic = queries.get_topic(tx, me, slug)
    wanted = PaperFilter(q=f'topic:"{slug}"')
    page = list_papers(tx, me, wanted, cut_for(request, wanted.question, after=after))
    papers, cursor = with_team(tx, me, page.items), cursor_for(request, wanted.question, page)
    subject = Subject("topic", topic.row.id, slug)
    talk = {**discussion_of(request, tx, me, subject), **questions_beside(tx, me, subject)}
    return render(request, "topics/show.html", topic=topic, papers=papers, next=cursor, after=after, q=wanted.q, **talk)


@router.get("/topics/{slug}/edit")
def edit_page(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """The form with what stands there now."""
    policy.require(me, "edit")
    topic = queries.get_topic(tx, me, slug)
    return _form(request, topic, typed=_typed(topic), errors={})


@router.post("/topics/{slug}/edit")
def edit(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Saves the form; 409 with both texts when somebody saved in between."""
    topic = queries.get_topic(tx, me, slug)
    checked, errors = _checked(tx, fields, topic.row.id)
    if checked.value is None or errors:
        return _form(request, topic, status=422, typed=checked.typed, errors=errors)
    version = fields.get("version")
    try:
        commands.edit_topic(tx, me, slug, checked.value, version=whole(version))
    except Stale:
        return _form(request, queries.get_topic(tx, me, slug), status=409, typed=checked.typed, errors={})
    return go(request, f"/topics/{slug}", _("Saved."))


@router.post("/topics/{slug}/delete")
def delete(request: Request, slug: str, me: Me, tx: WriteTx) -> Response:
    """Removes a topic without papers."""
    deed_id = commands.delete_topic(tx, me, slug)
    undo = (_("Bring back"), f"/trash/others/{deed_id}/restore")
    return go(request, "/topics", _("The topic is in the trash, for 30 days."), undo=undo)


@router.post("/topics/{slug}/merge")
def merge(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Makes it part of the topic that the form names."""
    into = queries.find_slug(tx, fields.get("into").strip())
    kept, deed_id = merge_topics(tx, me, slug, into or fields.get("into").strip())
    undo = (_("Take apart"), f"/trash/others/{deed_id}/restore")
    return go(request, f"/topics/{kept.slug}", _("Merged. Its papers, names and text are here now."), undo=undo)


@router.post("/papers/{paper_id:int}/topics")
def file_paper(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Files a paper under a topic, given by any of its names; an unknown name becomes a topic."""
    checked = check(TopicAdd, {"name": fields.get("name")})
    if checked.value is None:
        return _refused(request, tx, paper_id, checked.errors)
    known = queries.find_slug(tx, checked.value.name)
    commands.link_topic(tx, me, paper_id, known or commands.name_topic(tx, me, checked.value.name))
    return _filed(request, tx, paper_id)


@router.post("/papers/{paper_id:int}/topics/{slug}/remove")
def unfile_paper(request: Request, paper_id: int, slug: str, me: Me, tx: WriteTx) -> Response:
    """Takes a paper out of a topic, with a way back."""
    deed_id = take_out(tx, me, paper_id, slug)
    return _filed(request, tx, paper_id, undo=f"/trash/others/{deed_id}/restore" if deed_id else "")


def _index(request: Request, me: Me, tx: Read, *, after: str = "", status: int = 200, **form: Any) -> Response:  # noqa: ANN401
    page = queries.topic_tree(tx, me, cut_for(request, "topics", after=after))
    context = {"topics": page.items, "next": cursor_for(request, "topics", page), "after": after}
    return render(request, "topics/list.html", status, **context, **({"typed": {}, "errors": {}} | form))


def _form(
    request: Request, topic: TopicDetail, *, typed: Mapping[str, str], errors: Mapping[str, str], status: int = 200
) -> Response:
    return render(request, "topics/edit.html", status, topic=topic, typed=typed, errors=errors, conflict=status == 409)


def _checked(tx: Read, fields: Fields, topic_id: int | None) -> tuple[Checked[TopicEdit], Mapping[str, str]]:
    """The topic of a form with what is wrong by field, what only the library knows included."""
    parent = fields.get("parent").strip()
    aliases = [line for line in fields.get("aliases").splitlines() if line.strip()]
    slug = queries.find_slug(tx, parent) or parent
    checked = check(TopicEdit, {**fields.values, "aliases": aliases, "parent": slug})
    checked = Checked(checked.value, checked.errors, dict(fields.values))
    if checked.value is None:
        return checked, checked.errors
    return checked, _clashes(tx, checked.value, topic_id)


def _clashes(tx: Read, wanted: TopicAdd, topic_id: int | None) -> Mapping[str, str]:
    errors = {}
    if wanted.parent and (problem := queries.parent_problem(tx, wanted.parent, topic_id)):
        errors["parent"] = problem
    for taken in queries.find_taken(tx, [wanted.name], by_others_than=topic_id):
        errors["name"] = queries.taken_sentence(taken)
    for taken in queries.find_taken(tx, wanted.aliases, by_others_than=topic_id):
        errors["aliases"] = queries.taken_sentence(taken)
    return errors


def _typed(topic: TopicDetail) -> Mapping[str, str]:
    row, above = topic.row, [name for _, name in topic.line]
    plain = {
        "name": row.name,
        "parent": above[-1] if above else "",
        "markdown": topic.markdown,
        "version": str(topic.version),
    }
    return {**plain, "aliases": "\n".join(topic.aliases)}


def _filed(request: Request, tx: Read, paper_id: int, *, undo: str = "") -> Response:
    if not is_fragment(request):
        return go(request, f"/papers/{paper_id}", _("Saved."), undo=(_("Undo"), undo) if undo else ("", ""))
    return _topics_of(request, queries.topics_of(tx, [paper_id]).get(paper_id, []), paper_id, undo=undo)


def _refused(request: Request, tx: Read, paper_id: int, errors: Mapping[str, str]) -> Response:
    sentence = " ".join(errors.values())
    if not is_fragment(request):
        raise Invalid(
            _("{sentence} Nothing was changed: go back and write the topic's name.").format(sentence=sentence)
        )
    topics = queries.topics_of(tx, [paper_id]).get(paper_id, [])
    return _topics_of(request, topics, paper_id, status=422, topic_error=sentence)


def _topics_of(
    request: Request, topics: Sequence[tuple[str, str]], paper_id: int, *, status: int = 200, **told: str
) -> Response:
    return render(request, "topics/_of_paper.html", status, row={"id": paper_id, "topics": topics}, **told)
