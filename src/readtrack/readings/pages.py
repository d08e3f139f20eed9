"""My readings in a browser: what a row or the paper's form says of one, many at once, my queue, and taking back."""

from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack.errors import Invalid
from readtrack.papers.queries import with_team
from readtrack.readings import commands, queries, queue, states
from readtrack.readings.commands import Bulk, Done, Move, ReadingSet
from readtrack.web.cursors import cursor_for, cut_for
from readtrack.web.forms import Fields, Form, check, whole
from readtrack.web.next import safe_next
from readtrack.web.templating import go, render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)
SHOWN_IN = {  # field of the form: the one status whose part of the form it stands in
    "depth": "read",
    "recommendation": "read",
    "finished_on": "read",
    "priority": "to_read",
    "reason": "dropped",
}
PROGRESS = ("progress_unit", "progress_at", "progress_of")
MANY: Final[dict[str, dict[str, Any]]] = {  # what a button below many rows says of each
    **{status: {"change": {"status": status}} for status in states.WORDS if status},
    "off": {"remove": True},
    "first": {"change": {"status": "to_read", "priority": 1}},
    "next": {"change": {"status": "to_read", "priority": 0}},
    "later": {"change": {"status": "to_read", "priority": -1}},
}
MOVED = {"top": "It is the first of these now.", "bottom": "It is the last of these now."}


@router.get("/queue")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """My queue in my order, under what I am reading now."""
    cut = cut_for(request, queue.QUESTION, after=after)
    page = queue.page_queue(tx, me, cut)
    at = [] if after else queue.list_at(tx, me)
    papers = {row.id: row for row in with_team(tx, me, [line.paper for line in [*at, *page.items]])}
    context: dict[str, Any] = {
        "at": at,
        "queue": page.items,
        "groups": [(priority, list(lines)) for priority, lines in groupby(page.items, attrgetter("priority"))],
        "papers": papers,
        "count": queue.count_queue(tx, me),
        "priorities": states.PRIORITIES,
        "next": cursor_for(request, queue.QUESTION, page),
    }
    return render(request, "readings/queue.html", after=after, **context)


@router.post("/papers/{paper_id}/reading")
def change(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """A status from a list row, or the whole form of the paper's page. An empty status takes the paper off my list."""
    back, undo = safe_next(fields.get("next"), f"/papers/{paper_id}"), ("Undo", f"/papers/{paper_id}/reading/undo")
    if "status" in fields.values and not fields.get("status"):
        gone = commands.remove_reading(tx, me, paper_id)
        return go(request, back, "Off your list.", undo=undo if gone else ("", ""))
    mine = queries.find_my_reading(tx, me, paper_id)
    checked = check(ReadingSet, _shaped(fields, mine))
    if checked.value is None:
        raise Invalid(" ".join(checked.errors.values()) + " Nothing was changed.")
    reading, _, changed = commands.say(tx, me, paper_id, checked.value)
    if changed is None:
        return go(request, back, "Nothing was changed: it says so already.", kind="info")
    same = mine is not None and mine.status == reading.status
    return go(request, back, "Saved." if same else f"Now: {states.WORDS[reading.status]}.", undo=undo)


@router.post("/papers/{paper_id}/reading/undo")
def undo(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Takes my last change back."""
    reading = commands.undo_reading(tx, me, paper_id)
    now = states.WORDS[reading.status if reading else None]
    return go(request, safe_next(fields.get("next"), f"/papers/{paper_id}"), f"Taken back. Now: {now}.")


@router.post("/papers/{paper_id}/reading/place")
def move(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Moves a paper within my queue."""
    back = safe_next(fields.get("next"), "/queue")
    said = {name: fields.get(name) for name in ("to", "before", "after") if fields.get(name)}
    checked = check(Move, said)
    if checked.value is None:
        raise Invalid(" ".join(checked.errors.values()) + " Nothing was changed.")
    _, moved = commands.move_reading(tx, me, paper_id, checked.value)
    if not moved:
        return go(request, back, "It stands there already.", kind="info")
    undo = ("Undo", f"/papers/{paper_id}/reading/undo")
    return go(request, back, MOVED.get(fields.get("to"), "Moved."), undo=undo)


@router.post("/readings/bulk")
def change_many(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """The same of all papers that are chosen in a list."""
    back = safe_next(fields.get("next"), "/papers")
    chosen = [number for number in map(whole, fields.lists.get("paper", ())) if number]
    if not chosen:
        return go(request, back, "No paper is chosen. Tick some rows first.", kind="info")
    if fields.get("do") not in MANY:
        raise Invalid("Say what to do with these papers. Nothing was changed.")
    checked = check(Bulk, {"papers": chosen, **MANY[fields.get("do")]})
    if checked.value is None:
        raise Invalid(" ".join(checked.errors.values()) + " Nothing was changed.")
    done = commands.change_many(tx, me, checked.value)
    undo = ("Undo all", f"/readings/bulk/{done.batch}/undo") if done.batch else ("", "")
    return go(request, back, _told(done, fields.get("do")), kind="good" if done.changed else "info", undo=undo)


@router.post("/readings/bulk/{batch:int}/undo")
def undo_many(request: Request, batch: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Takes back what was changed together."""
    back = commands.undo_many(tx, me, batch)
    left = f" {back.left} stay: you changed them again since." if back.left else ""
    said = f"Taken back: {_papers(back.papers)}.{left}"
    return go(request, safe_next(fields.get("next"), "/papers"), said)


def _told(done: Done, do: str) -> str:
    """What became of many: how many are another now, and why others are not."""
    word = {"off": "off your list"}.get(do) or states.WORDS.get(do) or "in your queue"
    said = [f"{_papers(done.changed)} now: {word}."] if done.changed else []
    refused = [outcome for outcome in done.outcomes if outcome.problem]
    same = len(done.outcomes) - done.changed - len(refused)
    if same:
        said.append(f"{_papers(same)} {'was' if same == 1 else 'were'} so already.")
    if refused and refused[0].problem:
        why = refused[0].problem.message.removesuffix(" Nothing was changed.")
        said.append(f"{_papers(len(refused))} {'stays' if len(refused) == 1 else 'stay'}: {why}")
    return " ".join(said)


def _papers(count: int) -> str:
    return f"{count} {'paper' if count == 1 else 'papers'}"


def _shaped(fields: Fields, mine: Any) -> dict[str, Any]:  # noqa: ANN401 - my reading as the form showed it
    """Flat form fields as the input model wants them. What stands in the form as it was shown is not said again: the
    dates of a finished pass are none of the next one's. What was shown and is emptied is cleared.
    """
    status = fields.get("status") or _shown(mine, "status")
    shaped: dict[str, Any] = {"status": fields.get("status")}
    for name in ("started_on", "version", *SHOWN_IN):
        hidden = SHOWN_IN.get(name, status) != status  # by the form, as it is another status's
        if name in fields.values and not hidden and fields.get(name) != _shown(mine, name):
            shaped[name] = fields.get(name) or None
    if any(fields.get(name) != _shown(mine, name) for name in PROGRESS if name in fields.values):
        shaped["progress"] = _progress(fields, mine)
    if "private_shown" in fields.values:
        shaped["private"] = fields.get("private") == "1"
    return shaped


def _shown(mine: Any, name: str) -> str:  # noqa: ANN401
    value = getattr(mine, "version_label" if name == "version" else name, None)
    return "" if value is None else str(value)


def _progress(fields: Fields, mine: Any) -> dict[str, str] | None:  # noqa: ANN401
    if not fields.get("progress_at"):
        return None
    unit = fields.get("progress_unit") or _shown(mine, "progress_unit") or "page"
    whole_of = {"of": fields.get("progress_of")} if fields.get("progress_of") and unit != "percent" else {}
    return {"unit": unit, "at": fields.get("progress_at"), **whole_of}
