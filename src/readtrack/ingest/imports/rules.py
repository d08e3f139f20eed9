"""What the team said once of a site or a heading: kept, listed, and worked out for each entry of an import."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self
from urllib.parse import unquote, urlsplit

import sqlalchemy as sa
from pydantic import Field, model_validator
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import NotFound, invalid_field
from readtrack.infra.models import PAPER_KINDS, ImportRule, Person
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text import normalize, urls
from readtrack.infra.text.input_types import OneLine
from readtrack.metadata import registry
from readtrack.metadata.types import Ref
from readtrack.workspace.trash.restore import UndoData, restore_handler

RuleAction = Literal["kind", "topic", "no_topic", "skip"]
MOST_RULES = 500
_ON = {"host": {"kind", "skip"}, "heading": {"topic", "no_topic"}}  # what can be said of what
_HOST = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}(?::\d{1,5})?")


class RuleCreate(TrimmedModel):
    """A rule. `host` takes a site, or part of one: `zenn.dev`, `zenn.dev/*/scraps`; `heading` the words of a heading.

    It says of what kind such an address is (`name`: article, video …) or that it is left out (`skip`); and that a
    heading is no topic (`no_topic`), or another one (`topic`, with its `name`).
    """

    pattern: Literal["host", "heading"]
    value: Annotated[str, Field(min_length=1, max_length=200), OneLine]
    says: RuleAction
    name: Annotated[str, Field(max_length=120), OneLine] = ""

    @model_validator(mode="after")
    def _validate_rule(self) -> Self:
        if self.says not in _ON[self.pattern]:
            message = f"a rule on a {self.pattern} says {' or '.join(sorted(_ON[self.pattern]))}"
            raise ValueError(message)
        if self.says == "kind" and self.name not in PAPER_KINDS:
            message = f"name one of the kinds {', '.join(PAPER_KINDS)}"
            raise ValueError(message)
        if self.says == "topic" and not self.name:
            message = "name the topic that the heading stands for"
            raise ValueError(message)
        if self.pattern == "host" and not _HOST.fullmatch(normalize_address(self.value).partition("/")[0]):
            message = "name a site, as example.org or example.org/blog"
            raise ValueError(message)
        return self


@dataclass(frozen=True)
class Rule:
    """A rule as it is applied."""

    id: int
    pattern: str
    key: str
    says: str
    name: str
    sentence: str


@dataclass(frozen=True)
class RuleInput:
    """What a rule looks at of an entry. `address`: its own, not that of an extra."""

    kind: str
    paper_kind: str
    title: str
    topics: Sequence[str]
    address: str
    decision: str


def list_rules(tx: Read) -> Sequence[sa.Row[Any]]:
    """All rules, those on sites first."""
    columns = (ImportRule.id, ImportRule.pattern, ImportRule.value, ImportRule.says, ImportRule.name)
    query = (
        sa.select(*map(col, columns), col(ImportRule.created_at), col(Person.name).label("person"))
        .join(Person, col(Person.id) == col(ImportRule.created_by), isouter=True)
        .order_by(col(ImportRule.pattern).desc(), col(ImportRule.value_key))
        .limit(MOST_RULES)
    )
    return tx.execute(query).all()


def add_rule(tx: Write, me: CurrentUser, wanted: RuleCreate) -> int:
    """Keeps a rule; what was said of the same site or heading before is replaced."""
    permissions.require(me, "import")
    key = _rule_key(wanted.pattern, wanted.value)
    mine = sa.select(ImportRule).where(col(ImportRule.pattern) == wanted.pattern, col(ImportRule.value_key) == key)
    rule = tx.scalar(mine)
    if rule is None:
        _check_rule_limit(tx)
        rule = ImportRule(pattern=wanted.pattern, value=wanted.value, value_key=key, says=wanted.says)
        tx.add(rule)
    name = "" if wanted.says in {"no_topic", "skip"} else wanted.name
    if rule.id is None or (rule.says, rule.name) != (wanted.says, name):
        rule.says, rule.name, rule.created_by = wanted.says, name, me.id
        tx.flush()
        events.record_event(tx, me, "rule.kept", data={"rule": format_rule(rule)})
    return rule.id or 0


def remove_rule(tx: Write, me: CurrentUser, rule_id: int) -> int:
    """Forgets a rule; what it did to earlier imports stays. The deed that brings it back. Raises NotFound."""
    permissions.require(me, "import")
    rule = tx.get(ImportRule, rule_id)
    if rule is None:
        message = f"There is no rule {rule_id}."
        raise NotFound(message)
    sentence = format_rule(rule)
    events.record_event(tx, me, "rule.removed", data={"rule": sentence})
    said = rule.model_dump(include={"pattern", "value", "says", "name"})
    tx.delete(rule)
    return undo_log.record_undo_entry(tx, me, "rule.removed", {"title": sentence, "add": said})


@restore_handler("rule.removed")
def _restore_rule(tx: Write, me: CurrentUser, kept: UndoData) -> str:
    add_rule(tx, me, RuleCreate(**kept["add"]))
    return "/imports/rules"


def format_rule(rule: Any) -> str:  # noqa: ANN401 - a row of the table, or some of its columns
    """The rule in a few words."""
    said = {"kind": rule.name, "topic": f"topic {rule.name}", "no_topic": "no topic", "skip": "left out"}
    return f"{rule.value}: {said[rule.says]}"


def load_rules(tx: Read) -> list[Rule]:
    """The rules, ready to be applied."""
    return [
        Rule(row.id, row.pattern, _rule_key(row.pattern, row.value), row.says, row.name, format_rule(row))
        for row in list_rules(tx)
    ]


class Rules:
    """All rules of the team, asked of one entry after the other. Pure."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        rules = list(rules)
        self._headings = {rule.key: rule for rule in rules if rule.pattern == "heading"}
        hosts = [rule for rule in rules if rule.pattern == "host"]
        self._hosts: dict[str, list[Rule]] = {}
        for rule in sorted(hosts, key=lambda rule: -rule.key.count("/")):  # the most exact first
            self._hosts.setdefault(rule.key.partition("/")[0], []).append(rule)

    def __bool__(self) -> bool:
        return bool(self._headings or self._hosts)

    def changes(self, seen: RuleInput) -> dict[str, Any]:
        """What the rules make of this entry otherwise, with the rules that say so."""
        changed, used = self._topic_changes(seen)
        if seen.kind == "topic":
            changed |= self._heading_changes(seen, used)
        elif seen.kind in {"paper", "mention"}:
            changed |= self._address_changes(seen, used)
        if once := list(dict.fromkeys(used)):
            reason = "; ".join(f"“{rule.sentence}”" for rule in once)
            changed |= {"rules": [rule.id for rule in once], "reason": f"By the rule {reason}."}
        return changed

    def _topic_changes(self, seen: RuleInput) -> tuple[dict[str, Any], list[Rule]]:
        """The topics above it, without those that are none."""
        found = [(topic, self._headings.get(normalize.key(topic))) for topic in seen.topics]
        used = [rule for _, rule in found if rule]
        if not used:
            return {}, []
        kept = [rule.name if rule else topic for topic, rule in found if not rule or rule.says == "topic"]
        return {"topics": list(dict.fromkeys(kept))}, used

    def _heading_changes(self, seen: RuleInput, used: list[Rule]) -> dict[str, Any]:
        rule = self._headings.get(normalize.key(seen.title))
        if rule is None:
            return {}
        used.append(rule)
        return {"title": rule.name} if rule.says == "topic" else {"kind": "snippet"}

    def _address_changes(self, seen: RuleInput, used: list[Rule]) -> dict[str, Any]:
        rule = self._find_address_rule(seen.address) if seen.address else None
        if rule is None or (rule.says == "kind" and rule.name == (seen.paper_kind or "paper")):
            return {}
        used.append(rule)
        return {"decision": "skip"} if rule.says == "skip" else {"paper_kind": rule.name}

    def _find_address_rule(self, address: str) -> Rule | None:
        place = normalize_address(address)
        host = place.partition("/")[0]
        parts = host.split(".")
        tried = (self._hosts.get(".".join(parts[at:]), ()) for at in range(len(parts) - 1))
        return next((rule for rules in tried for rule in rules if _is_under(place, rule.key)), None)


def normalize_address(address: str) -> str:
    """Site and path of an address, to be compared: `https://www.Example.org/Blog/` is `example.org/blog`."""
    text = urls.canonicalize_url(address if "://" in address else f"https://{address}")
    try:
        found = urlsplit(text)
    except ValueError:
        return ""
    site = found.netloc.casefold().rpartition("@")[2].removeprefix("www.")
    return normalize.clean(f"{site}{unquote(found.path).casefold()}".rstrip("/"))


def entry_address(identifiers: Sequence[str], links: Sequence[str]) -> str:
    """Where an entry itself can be opened."""
    named = next((name for name in identifiers if not name.startswith("file:")), "")
    return registry.url(Ref.parse(named)) if named else next(iter(links), "")


def _is_under(place: str, key: str) -> bool:
    """Whether an address lies in that part of its site; `*` stands for one step of a path."""
    steps, wanted = place.split("/")[1:], key.split("/")[1:]
    return len(steps) >= len(wanted) and all(want in {"*", step} for step, want in zip(steps, wanted, strict=False))


def _rule_key(pattern: str, value: str) -> str:
    return normalize_address(value) if pattern == "host" else normalize.key(value)


def _check_rule_limit(tx: Write) -> None:
    count = tx.scalar(sa.select(sa.func.count()).select_from(ImportRule)) or 0
    if count >= MOST_RULES:
        detail = f"The team has {MOST_RULES} rules, which is the most. Remove one first."
        raise invalid_field("/value", "too-many", detail)
