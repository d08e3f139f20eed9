"""Discussions and plans of the demo's team, created with the real commands for their side effects."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from readtrack.cli.demo.content import DemoAction
from readtrack.infra.clock import today
from readtrack.infra.db import Write
from readtrack.infra.permissions import CurrentUser
from readtrack.library.comparisons.commands import add_comparison
from readtrack.library.comparisons.schemas import ComparisonFields, ComparisonRowFields, ScaleSign
from readtrack.library.relations.links import RelationCreate, add_relation
from readtrack.library.topics.links import TopicLinkFields, add_link
from readtrack.library.topics.reading_order import ReadingOrderMove, move_in_order
from readtrack.team.assignments.commands import answer_assignment, make_assignment
from readtrack.team.assignments.schemas import AssignmentAnswer, AssignmentCreate
from readtrack.team.discussion.commands import CommentCreate, add_comment
from readtrack.team.discussion.targets import get_target
from readtrack.team.meetings.commands.agendas import add_item
from readtrack.team.meetings.commands.candidates import propose, vote
from readtrack.team.meetings.commands.minutes import edit_notes
from readtrack.team.meetings.commands.schedule import get_meeting_for_update, plan_meeting, set_state
from readtrack.team.meetings.commands.series import add_series
from readtrack.team.meetings.schemas import (
    AgendaItemCreate,
    CandidateCreate,
    MeetingCreate,
    MeetingNotesUpdate,
    SeriesFields,
)
from readtrack.team.questions.commands import answer_question, ask_question
from readtrack.team.questions.schemas import QuestionCreate
from readtrack.workspace.saved_searches.commands import save_view
from readtrack.workspace.saved_searches.schemas import SavedSearchFields


class DemoStage(NamedTuple):
    """The demo's people and papers by the names used in its files.

    `named` has IDs created by earlier actions.
    """

    people: Mapping[str, CurrentUser]
    papers: Mapping[str, int]
    named: dict[str, int]


DemoValues = Mapping[str, Any]
DemoHandler = Callable[[Write, CurrentUser, DemoStage, DemoValues], int | None]


def perform_action(tx: Write, stage: DemoStage, deed: DemoAction) -> None:
    """Perform an action and store the resulting ID under its name."""
    made = DEEDS[deed.does](tx, stage.people[deed.by], stage, deed.said)
    if deed.name and made:
        stage.named[deed.name] = made


def _comment(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> int | None:
    kind, _, name = said["on"].partition(":")
    known: Mapping[str, Mapping[str, int]] = {"paper": stage.papers, "question": stage.named}
    subject = get_target(tx, kind, known[kind][name] if kind in known else name)
    parent = stage.named[said["to"]] if "to" in said else None
    return add_comment(tx, me, subject, CommentCreate(markdown=said["text"], parent=parent)).id


def _ask(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> int | None:
    paper = stage.papers[said["paper"]] if "paper" in said else None
    owner = stage.people[said["owner"]].id if "owner" in said else None
    return ask_question(tx, me, QuestionCreate(text=said["text"], paper=paper, topic=said.get("topic"), owner=owner)).id


def _answer(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    answer_question(tx, me, stage.named[said["question"]], stage.named[said["comment"]])


def _assign(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> int | None:
    """Make an assignment and set its due date afterwards, because commands refuse dates in the past."""
    person, paper = stage.people[said["person"]].id, stage.papers[said["paper"]]
    plain = {name: said.get(name, "") for name in ("depth", "note")}
    made = make_assignment(tx, me, AssignmentCreate.model_validate({"paper": paper, "person": person, **plain}))
    made.due_on = today() + timedelta(days=said["in_days"])
    tx.flush()
    return made.id


def _accept(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    answer_assignment(tx, me, stage.named[said["assignment"]], AssignmentAnswer(answer="accept"))


def _decline(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    answer = AssignmentAnswer(answer="decline", reason=said["reason"])
    answer_assignment(tx, me, stage.named[said["assignment"]], answer)


def _series(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> int | None:
    weekday = (today() + timedelta(days=said["in_days"])).weekday()
    rota = [stage.people[name].id for name in said["rota"]]
    plain = {"name": said["title"], "start_time": said["at"], "location": said["place"], "interval_weeks": 4}
    return add_series(tx, me, SeriesFields(weekday=weekday, presenter_order=rota, **plain)).id


def _plan_meeting(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> int | None:
    plain = {"title": said["title"], "at": said["at"], "location": said["place"]}
    where = {"series": stage.named[said["series"]], "presenter": stage.people[said["presenter"]].id}
    date = today() + timedelta(days=said["in_days"])
    return plan_meeting(tx, me, MeetingCreate(date=date, **where, **plain)).id


def _agenda(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    paper = stage.papers[said["paper"]] if "paper" in said else None
    question = stage.named[said["question"]] if "question" in said else None
    presenter = stage.people[said["presenter"]].id if "presenter" in said else None
    wanted = AgendaItemCreate(paper=paper, question=question, presenter=presenter, minutes=said["minutes"])
    add_item(tx, me, stage.named[said["meeting"]], wanted.model_copy(update={"note": said.get("note", "")}))


def _notes(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    meeting_id = stage.named[said["meeting"]]
    edit = MeetingNotesUpdate(notes=said["notes"], decisions=said["decisions"])
    edit_notes(tx, me, meeting_id, edit, version=get_meeting_for_update(tx, meeting_id).version)


def _finish_meeting(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    set_state(tx, me, stage.named[said["meeting"]], "held")


def _propose(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> int | None:
    wanted = CandidateCreate(paper=stage.papers[said["paper"]], reason=said["reason"])
    return propose(tx, me, stage.named[said["series"]], wanted)[0].id


def _vote(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    vote(tx, me, stage.named[said["candidate"]], said["value"])


def _save_view(tx: Write, me: CurrentUser, _stage: DemoStage, said: DemoValues) -> int | None:
    return save_view(tx, me, SavedSearchFields.model_validate({"name": said["title"], **said["view"]}))


def _relate(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    wanted = RelationCreate(to=stage.papers[said["other"]], kind=said["kind"], note=said.get("note", ""))
    add_relation(tx, me, stage.papers[said["paper"]], wanted)


def _order(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> None:
    for paper in said["papers"]:
        move_in_order(tx, me, said["topic"], stage.papers[paper], step=ReadingOrderMove(to="bottom"))


def _put_link(tx: Write, me: CurrentUser, _stage: DemoStage, said: DemoValues) -> None:
    add_link(tx, me, said["topic"], TopicLinkFields(url=said["url"], title=said["title"], note=said.get("note", "")))


def _compare(tx: Write, me: CurrentUser, stage: DemoStage, said: DemoValues) -> int | None:
    scale = [ScaleSign(sign=sign, meaning=meaning) for sign, meaning in said["scale"]]
    rows = [ComparisonRowFields(cells=cells, paper=stage.papers.get(paper)) for paper, *cells in said["rows"]]
    wanted = ComparisonFields(title=said["title"], columns=said["columns"], rows=rows, scale=scale)
    return add_comparison(tx, me, said["topic"], wanted).id


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
