"""Discussions and plans of the demo's team, created with the real commands for their side effects."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from readtrack.cli.demo.content import DemoAction
from readtrack.infra.clock import today
from readtrack.infra.db import Write
from readtrack.infra.permissions import CurrentUser
from readtrack.library.comparisons.commands import ComparisonFields, ComparisonRowFields, ScaleSign, add_comparison
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.links import TopicLinkFields, add_link
from readtrack.library.topics.reading_order import ReadingOrderMove, move_in_order
from readtrack.team.assignments.commands import AssignmentAnswer, AssignmentCreate, answer_assignment, make_assignment
from readtrack.team.discussion.commands import CommentCreate, add_comment
from readtrack.team.discussion.targets import get_target
from readtrack.team.meetings.commands.agendas import add_item
from readtrack.team.meetings.commands.candidates import propose, vote
from readtrack.team.meetings.commands.schedule import (
    add_series,
    edit_notes,
    get_meeting_for_update,
    plan_meeting,
    set_state,
)
from readtrack.team.meetings.schemas import (
    AgendaItemCreate,
    CandidateCreate,
    MeetingCreate,
    MeetingNotesUpdate,
    SeriesFields,
)
from readtrack.team.questions.commands import QuestionCreate, answer_question, ask_question
from readtrack.workspace.saved_searches.commands import SavedSearchFields, save_view


class DemoStage(NamedTuple):
    """The demo's people and papers by the names used in its files.

    `ids_by_name` has IDs created by earlier actions.
    """

    people: Mapping[str, CurrentUser]
    papers: Mapping[str, int]
    ids_by_name: dict[str, int]


DemoValues = Mapping[str, Any]
DemoHandler = Callable[[Write, CurrentUser, DemoStage, DemoValues], int | None]


def perform_action(tx: Write, stage: DemoStage, action: DemoAction) -> None:
    """Perform an action and store the resulting ID under its name."""
    row_id = DEEDS[action.action](tx, stage.people[action.person], stage, action.fields)
    if action.name and row_id:
        stage.ids_by_name[action.name] = row_id


def _comment(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> int | None:
    kind, _, name = values["on"].partition(":")
    ids_by_kind: Mapping[str, Mapping[str, int]] = {"paper": stage.papers, "question": stage.ids_by_name}
    subject = get_target(tx, kind, ids_by_kind[kind][name] if kind in ids_by_kind else name)
    parent = stage.ids_by_name[values["to"]] if "to" in values else None
    return add_comment(tx, me, subject, CommentCreate(markdown=values["text"], parent=parent)).id


def _ask(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> int | None:
    paper = stage.papers[values["paper"]] if "paper" in values else None
    owner = stage.people[values["owner"]].id if "owner" in values else None
    return ask_question(
        tx, me, QuestionCreate(text=values["text"], paper=paper, topic=values.get("topic"), owner=owner)
    ).id


def _answer(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    answer_question(tx, me, stage.ids_by_name[values["question"]], stage.ids_by_name[values["comment"]])


def _assign(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> int | None:
    """Make an assignment and set its due date afterwards, because commands refuse dates in the past."""
    person, paper = stage.people[values["person"]].id, stage.papers[values["paper"]]
    fields = {name: values.get(name, "") for name in ("depth", "note")}
    assignment = make_assignment(tx, me, AssignmentCreate.model_validate({"paper": paper, "person": person, **fields}))
    assignment.due_on = today() + timedelta(days=values["in_days"])
    tx.flush()
    return assignment.id


def _accept(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    answer_assignment(tx, me, stage.ids_by_name[values["assignment"]], AssignmentAnswer(answer="accept"))


def _decline(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    answer = AssignmentAnswer(answer="decline", reason=values["reason"])
    answer_assignment(tx, me, stage.ids_by_name[values["assignment"]], answer)


def _series(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> int | None:
    weekday = (today() + timedelta(days=values["in_days"])).weekday()
    presenter_ids = [stage.people[name].id for name in values["rota"]]
    fields = {"name": values["title"], "start_time": values["at"], "location": values["place"], "interval_weeks": 4}
    return add_series(tx, me, SeriesFields(weekday=weekday, presenter_order=presenter_ids, **fields)).id


def _plan_meeting(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> int | None:
    fields = {"title": values["title"], "at": values["at"], "location": values["place"]}
    references = {"series": stage.ids_by_name[values["series"]], "presenter": stage.people[values["presenter"]].id}
    date = today() + timedelta(days=values["in_days"])
    return plan_meeting(tx, me, MeetingCreate(date=date, **references, **fields)).id


def _agenda(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    paper = stage.papers[values["paper"]] if "paper" in values else None
    question = stage.ids_by_name[values["question"]] if "question" in values else None
    presenter = stage.people[values["presenter"]].id if "presenter" in values else None
    data = AgendaItemCreate(paper=paper, question=question, presenter=presenter, minutes=values["minutes"])
    add_item(tx, me, stage.ids_by_name[values["meeting"]], data.model_copy(update={"note": values.get("note", "")}))


def _notes(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    meeting_id = stage.ids_by_name[values["meeting"]]
    edit = MeetingNotesUpdate(notes=values["notes"], decisions=values["decisions"])
    edit_notes(tx, me, meeting_id, edit, version=get_meeting_for_update(tx, meeting_id).version)


def _finish_meeting(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    set_state(tx, me, stage.ids_by_name[values["meeting"]], "held")


def _propose(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> int | None:
    data = CandidateCreate(paper=stage.papers[values["paper"]], reason=values["reason"])
    return propose(tx, me, stage.ids_by_name[values["series"]], data)[0].id


def _vote(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    vote(tx, me, stage.ids_by_name[values["candidate"]], values["value"])


def _save_view(tx: Write, me: CurrentUser, _stage: DemoStage, values: DemoValues) -> int | None:
    return save_view(tx, me, SavedSearchFields.model_validate({"name": values["title"], **values["view"]}))


def _relate(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    data = RelationCreate(to=stage.papers[values["other"]], kind=values["kind"], note=values.get("note", ""))
    add_relation(tx, me, stage.papers[values["paper"]], data)


def _order(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> None:
    for paper in values["papers"]:
        move_in_order(tx, me, values["topic"], stage.papers[paper], step=ReadingOrderMove(to="bottom"))


def _put_link(tx: Write, me: CurrentUser, _stage: DemoStage, values: DemoValues) -> None:
    add_link(
        tx, me, values["topic"], TopicLinkFields(url=values["url"], title=values["title"], note=values.get("note", ""))
    )


def _compare(tx: Write, me: CurrentUser, stage: DemoStage, values: DemoValues) -> int | None:
    scale = [ScaleSign(sign=sign, meaning=meaning) for sign, meaning in values["scale"]]
    rows = [ComparisonRowFields(cells=cells, paper=stage.papers.get(paper)) for paper, *cells in values["rows"]]
    data = ComparisonFields(title=values["title"], columns=values["columns"], rows=rows, scale=scale)
    return add_comparison(tx, me, values["topic"], data).id


DEEDS: Mapping[str, DemoHandler] = {
    "relate": _relate,
    "order": _order,
    "put link": _put_link,
    "compare": _compare,
    "comment": _comment,
    "ask": _ask,
    "answer": _answer,
    "assign": _assign,
    "accept": _accept,
    "decline": _decline,
    "series": _series,
    "meet": _plan_meeting,
    "agenda": _agenda,
    "notes": _notes,
    "held": _finish_meeting,
    "propose": _propose,
    "vote": _vote,
    "view": _save_view,
}
