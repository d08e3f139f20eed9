"""Parsing of the bulk action bar's form into the input of the command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from readtrack.reading.readings import status_rules
from readtrack.web.dependencies.forms import Fields, FormResult, parse_int, validate_form
from readtrack.workspace.bulk_actions.schemas import BulkRequest

# By the value of the button; some need further fields.
ACTS: Final[Mapping[str, Mapping[str, Any]]] = {
    **{status: {"act": "reading", "reading": {"status": status}} for status in status_rules.WORDS if status},
    "off": {"act": "off"},
    "first": {"act": "reading", "reading": {"status": "to_read", "priority": 1}},
    "next": {"act": "reading", "reading": {"status": "to_read", "priority": 0}},
    "later": {"act": "reading", "reading": {"status": "to_read", "priority": -1}},
    "file": {"act": "topics"},
    "unfile": {"act": "topics"},
    "assign": {"act": "assign"},
    "propose": {"act": "propose"},
    "keep": {"act": "triage", "triage": "library"},
    "reject": {"act": "triage", "triage": "rejected"},
    "inbox": {"act": "triage", "triage": "inbox"},
    "merge": {"act": "merge"},
    "refresh": {"act": "refresh"},
    "delete": {"act": "delete"},
    "restore": {"act": "restore"},
}
EXPORT: Final = "export"  # changes nothing; leads to the page that asks for the format
# Required field by action; if it is missing, a page asks for it.
NEEDED: Final[Mapping[str, str]] = {
    "file": "topic",
    "unfile": "topic",
    "assign": "person",
    "propose": "series",
    "merge": "into",
}
DETAILS = ("topic", "person", "due_on", "depth", "note", "series", "reason", "into")


@dataclass(frozen=True)
class BulkSelection:
    """The action (`do`) and its papers: the selected ones, or with `every` all that match `q`."""

    do: str
    papers: Sequence[int] = ()
    q: str = ""
    every: bool = False
    count: int | None = None
    seen: str | None = None
    next: str = "/papers"
    said: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """True if the required fields are present and, for all matches, their number was confirmed."""
        detail = self.do != EXPORT and self.said.get(NEEDED.get(self.do, ""), "-")
        return bool(detail) and (not self.every or self.count is not None)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """The selection as query parameters or hidden fields."""
        selected = [("q", self.q), ("every", "1")] if self.every else [("paper", str(paper)) for paper in self.papers]
        details = [(name, text) for name, text in self.said.items() if text]
        return [("do", self.do), *selected, ("next", self.next), *details]


def parse_selection(fields: Fields, next_path: str) -> BulkSelection:
    """Parse the selection from a form or a query string."""
    count = fields.get("count")
    return BulkSelection(
        do=fields.get("do"),
        papers=[number for number in map(parse_int, fields.lists.get("paper", ())) if number],
        q=fields.get("q"),
        every=fields.get("every") == "1",
        count=parse_int(count) if count else None,
        seen=fields.get("seen") or None,
        next=next_path,
        said={name: fields.get(name).strip() for name in DETAILS},
    )


def validate_selection(selection: BulkSelection, *, reader: int | None = None) -> FormResult[BulkRequest]:
    """Validate the input of the command. `reader`: id of the person named in the form."""
    matching = {"q": selection.q or " ", "count": selection.count, "seen": selection.seen}
    selected = matching if selection.every else {"papers": selection.papers}
    return validate_form(BulkRequest, {**selected, **ACTS[selection.do], **_details(selection, reader)})


def _details(selection: BulkSelection, reader: int | None) -> dict[str, Any]:
    details = selection.said
    if selection.do in {"file", "unfile"}:
        return {"topics": {"add" if selection.do == "file" else "remove": [details["topic"]]}}
    if selection.do == "assign":
        assignment = {name: details[name] for name in ("due_on", "depth", "note") if details[name]}
        return {"assign": {"person": reader or 0, **assignment}}
    if selection.do == "propose":
        return {"propose": {"series": parse_int(details["series"]), "reason": details["reason"]}}
    return {"into": parse_int(details["into"])} if selection.do == "merge" else {}
