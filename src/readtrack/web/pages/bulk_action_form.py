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
    """The action and its papers: the selected ones, or with `all_matching` all that match `q`."""

    action: str
    papers: Sequence[int] = ()
    q: str = ""
    all_matching: bool = False
    count: int | None = None
    fingerprint: str | None = None
    next: str = "/papers"
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """True if the required fields are present and, for all matches, their number was confirmed."""
        detail = self.action != EXPORT and self.details.get(NEEDED.get(self.action, ""), "-")
        return bool(detail) and (not self.all_matching or self.count is not None)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """The selection as query parameters or hidden fields."""
        selected = (
            [("q", self.q), ("every", "1")] if self.all_matching else [("paper", str(paper)) for paper in self.papers]
        )
        details = [(name, text) for name, text in self.details.items() if text]
        return [("do", self.action), *selected, ("next", self.next), *details]


def parse_selection(fields: Fields, next_path: str) -> BulkSelection:
    """Parse the selection from a form or a query string."""
    count = fields.get("count")
    return BulkSelection(
        action=fields.get("do"),
        papers=[number for number in map(parse_int, fields.lists.get("paper", ())) if number],
        q=fields.get("q"),
        all_matching=fields.get("every") == "1",
        count=parse_int(count) if count else None,
        fingerprint=fields.get("seen") or None,
        next=next_path,
        details={name: fields.get(name).strip() for name in DETAILS},
    )


def validate_selection(selection: BulkSelection, *, reader: int | None = None) -> FormResult[BulkRequest]:
    """Validate the input of the command. `reader`: id of the person named in the form."""
    matching = {"q": selection.q or " ", "count": selection.count, "seen": selection.fingerprint}
    selected = matching if selection.all_matching else {"papers": selection.papers}
    return validate_form(BulkRequest, {**selected, **ACTS[selection.action], **_details(selection, reader)})


def _details(selection: BulkSelection, reader: int | None) -> dict[str, Any]:
    details = selection.details
    if selection.action in {"file", "unfile"}:
        return {"topics": {"add" if selection.action == "file" else "remove": [details["topic"]]}}
    if selection.action == "assign":
        assignment = {name: details[name] for name in ("due_on", "depth", "note") if details[name]}
        return {"assign": {"person": reader or 0, **assignment}}
    if selection.action == "propose":
        return {"propose": {"series": parse_int(details["series"]), "reason": details["reason"]}}
    return {"into": parse_int(details["into"])} if selection.action == "merge" else {}
