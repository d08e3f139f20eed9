"""Pages for questions: list, discussion, form, and changes of state."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.i18n import pgettext
from readtrack.infra.permissions import CurrentUser
from readtrack.library.references.people import find_person
from readtrack.library.references.resolve import get_render_context
from readtrack.library.relations.links import AmbiguousPaper, get_paper_by_text
from readtrack.library.topics.queries import find_slug
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.team.questions import commands, queries
from readtrack.team.questions.commands import QuestionCreate, QuestionUpdate
from readtrack.team.questions.queries import QuestionFilter, QuestionRow
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, FormResult, parse_int, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.pages.discussion import build_discussion_context
from readtrack.web.pages.papers.paper_choice import render_paper_choice
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render, with_query

router = page_router()
STATES = ("open", "answered", "dropped", "all")


@router.get("/questions")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show open questions, filtered by state, owner, topic and paper."""
    return _list(request, me, tx)


@router.post("/questions")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Ask a question; show the form again (422) on errors."""
    permissions.require(me, "discuss")
    try:
        form_result = _validate_question(tx, me, fields)
    except AmbiguousPaper as error:
        return render_paper_choice(request, fields, error, back="/questions")
    if form_result.value is None or form_result.errors:
        return _list(request, me, tx, typed=form_result.raw_values, errors=form_result.errors, status=422)
    question = commands.ask_question_once(tx, me, form_result.value)
    return redirect_with_flash(request, f"/questions/{question.id}", _("Question added"))


@router.get("/questions/{question_id:int}")
def show_page(request: Request, question_id: int, me: Me, tx: ReadTx) -> Response:
    """Show a question with its discussion."""
    question = queries.get_question(tx, question_id)
    discussion_context = build_discussion_context(
        request, tx, me, DiscussionTarget("question", question_id, str(question_id))
    )
    render_context = get_render_context(tx, [question.text])
    return render(
        request, "questions/show.html", question=question, render_context=render_context, **discussion_context
    )


@router.get("/questions/{question_id:int}/edit")
def edit_page(request: Request, question_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current values."""
    permissions.require(me, "discuss")
    question = queries.get_question(tx, question_id)
    return _form(request, question, typed=_question_fields(question), errors={})


@router.post("/questions/{question_id:int}/edit")
def edit(request: Request, question_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the form; show both versions (409) if the question was changed meanwhile."""
    permissions.require(me, "discuss")
    question = queries.get_question(tx, question_id)
    try:
        form_result = _validate_question(tx, me, fields, question)
    except AmbiguousPaper as error:
        return render_paper_choice(request, fields, error, back=f"/questions/{question_id}/edit")
    if form_result.value is None or form_result.errors:
        return _form(request, question, typed=form_result.raw_values, errors=form_result.errors, status=422)
    unchanged = {"state": question.state, "answer": question.answer_id}
    update = QuestionUpdate.model_validate({**form_result.value.model_dump(), **unchanged})
    try:
        commands.edit_question(tx, me, question_id, update, version=parse_int(fields.get("version")))
    except StaleVersion:
        current = queries.get_question(tx, question_id)
        return _form(request, current, typed=form_result.raw_values, errors={}, status=409)
    return redirect_with_flash(request, f"/questions/{question_id}", _("Saved"))


@router.post("/questions/{question_id:int}/assign-to-me")
def take(request: Request, question_id: int, me: Me, tx: WriteTx) -> Response:
    """Assign the question to me."""
    commands.take_question(tx, me, question_id)
    return redirect_with_flash(request, f"/questions/{question_id}", _("Assigned to you"))


@router.post("/questions/{question_id:int}/answer")
def answer(request: Request, question_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Mark a comment as the answer."""
    commands.answer_question(tx, me, question_id, parse_int(fields.get("comment")))
    return redirect_with_flash(
        request,
        f"/questions/{question_id}",
        _("Marked as answered"),
        undo=(_("Reopen"), f"/questions/{question_id}/reopen"),
    )


@router.post("/questions/{question_id:int}/close")
def drop(request: Request, question_id: int, me: Me, tx: WriteTx) -> Response:
    """Close the question without an answer."""
    commands.drop_question(tx, me, question_id)
    return redirect_with_flash(
        request,
        f"/questions/{question_id}",
        _("Question dropped"),
        undo=(_("Reopen"), f"/questions/{question_id}/reopen"),
    )


@router.post("/questions/{question_id:int}/reopen")
def reopen(request: Request, question_id: int, me: Me, tx: WriteTx) -> Response:
    """Reopen the question."""
    commands.reopen_question(tx, me, question_id)
    return redirect_with_flash(request, f"/questions/{question_id}", _("Question reopened"))


@router.post("/questions/{question_id:int}/delete")
def delete(request: Request, question_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a question without comments."""
    undo_id = commands.delete_question(tx, me, question_id)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, "/questions", _("Moved to trash"), undo=undo)


def _list(
    request: Request,
    me: CurrentUser,
    tx: Read,
    *,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    parameters = request.query_params
    question_filter = _question_filter(parameters)
    page = queries.list_questions(
        tx, me, question_filter, read_page_request(request, question_filter.question, after=parameters.get("after", ""))
    )
    filter_fields = {"topic": question_filter.topic, "paper": question_filter.paper, "meeting": question_filter.meeting}
    state_labels = (_("Open"), _("Answered"), pgettext("question", "Dropped"), _("All"))
    facets = [_facet(question_filter, label, state=state) for state, label in zip(STATES, state_labels, strict=True)]
    facets.append(
        _facet(
            question_filter,
            _("Mine"),
            is_mine=not question_filter.mine,
            on=question_filter.mine,
            state=question_filter.state,
        )
    )
    context: dict[str, Any] = {
        "questions": page.items,
        "next": get_next_cursor(request, question_filter.question, page),
        "after": parameters.get("after", ""),
        "question_filter": question_filter,
        "facets": facets,
        "here": with_query(
            "/questions", state=question_filter.state, mine="1" if question_filter.mine else "", **filter_fields
        ),
    }
    return render(request, "questions/list.html", status, typed=typed or {}, errors=errors or {}, **context)


def _question_filter(parameters: Mapping[str, str]) -> QuestionFilter:
    """Return the filter from the URL; invalid values are ignored."""
    state = parameters.get("state", "open")
    return QuestionFilter(
        state=state if state in STATES else "open",
        mine=parameters.get("mine") == "1",
        topic=parameters.get("topic", ""),
        paper=_number(parameters.get("paper", "")),
        meeting=_number(parameters.get("meeting", "")),
    )


def _number(text: str) -> int | None:
    number = parse_int(text)
    return number if 0 < number < 2**31 else None


def _facet(
    question_filter: QuestionFilter, text: str, *, state: str, is_mine: bool | None = None, on: bool | None = None
) -> Any:  # noqa: ANN401
    mine_value = "1" if (question_filter.mine if is_mine is None else is_mine) else ""
    filter_fields = {"topic": question_filter.topic, "paper": question_filter.paper, "meeting": question_filter.meeting}
    href = with_query("/questions", state=state, mine=mine_value, **filter_fields)
    return {
        "href": href,
        "text": text,
        "count": "",
        "on": question_filter.state == state if on is None else on,
        "status": "",
    }


def _form(
    request: Request,
    question: QuestionRow,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str],
    status: int = 200,
) -> Response:
    context = {"question": question, "typed": typed, "errors": errors, "conflict": status == 409}
    return render(request, "questions/edit.html", status, **context)


def _validate_question(
    tx: Read, me: CurrentUser, fields: Fields, question: QuestionRow | None = None
) -> FormResult[QuestionCreate]:
    """Validate the form, in which people and topics are given by any name, and the paper as text.

    The current owner of `question` is accepted even if inactive. Raise AmbiguousPaper if several titles match.
    """
    raw_values, errors = dict(fields.values), dict[str, str]()
    values: dict[str, Any] = {"text": fields.get("text")}
    if owner := fields.get("owner").strip():
        current_owner_id = question.owner_id if question and owner == question.owner else None
        values["owner"] = current_owner_id or find_person(tx, owner)
        errors |= {} if values["owner"] else {"owner": _("No such member: {list}.").format(list=owner)}
    if topic := fields.get("topic").strip():
        values["topic"] = find_slug(tx, topic)
        errors |= {} if values["topic"] else {"topic": _("Topic “{topic}” not found.").format(topic=topic)}
    if paper := fields.get("paper").strip():
        try:
            values["paper"] = get_paper_by_text(tx, me, paper)
        except AmbiguousPaper:
            raise
        except Invalid as error:
            errors["paper"] = error.message
    form_result = validate_form(QuestionCreate, {name: value for name, value in values.items() if value})
    return FormResult(form_result.value, {**errors, **form_result.errors}, raw_values)


def _question_fields(question: QuestionRow) -> Mapping[str, str]:
    return {
        "text": question.text,
        "paper": str(question.paper_id or ""),
        "topic": question.topic_name or "",
        "owner": question.owner or "",
        "version": str(question.version),
    }
