"""The team's import rules on sites, headings and columns, and the application of the first two to entries."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self
from urllib.parse import unquote, urlsplit

import sqlalchemy as sa
from pydantic import Field, model_validator
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, NotFound, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import PAPER_KINDS, ImportRule, Person
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize, urls
from readtrack.infra.validation import OneLine, TrimmedModel
from readtrack.ingest.imports.reasons import BY_RULE, RULE_COLUMNS, RULE_KINDS, RULE_NO_TOPIC, RULE_SKIP, RULE_TOPIC
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from readtrack.workspace.trash.restore import UndoData, restore_handler

RuleAction = Literal["kind", "topic", "no_topic", "skip"]
MAX_RULES = 500
MAX_VALUE_CHARS = 200
_LIST: sa.Select[*tuple[Any, ...]] = (
    sa.select(
        *map(col, (ImportRule.id, ImportRule.pattern, ImportRule.value, ImportRule.says, ImportRule.name)),
        col(ImportRule.columns),
        col(ImportRule.created_at),
        col(Person.name).label("person"),
    )
    .join(Person, col(Person.id) == col(ImportRule.created_by), isouter=True)
    .order_by(col(ImportRule.pattern).desc(), col(ImportRule.value_key))
    .limit(MAX_RULES)
)
_ON = {"host": {"kind", "skip"}, "heading": {"topic", "no_topic"}}  # the actions allowed for each pattern
_HOST = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}(?::\d{1,5})?")


class RuleCreate(TrimmedModel):
    """A rule on sites or headings.

    `host` matches a site or a part of it (`zenn.dev`, `zenn.dev/*/scraps`), `heading` the words of a heading. For a
    host, `kind` sets the kind of its papers to `name` (article, video, …) and `skip` leaves them out. For a heading,
    `no_topic` makes it no topic and `topic` maps it to the topic `name`.
    """

    pattern: Literal["host", "heading"]
    value: Annotated[str, Field(min_length=1, max_length=MAX_VALUE_CHARS), OneLine]
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
    """A rule in the form in which it is applied."""

    id: int
    pattern: str
    key: str
    action: str
    name: str
    sentence: str


@dataclass(frozen=True)
class RuleInput:
    """The fields of an entry that rules match.

    `address`: the paper's own address, not that of supplementary material.
    """

    kind: str
    paper_kind: str
    title: str
    topics: Sequence[str]
    address: str
    decision: str


def list_rules(tx: Read) -> Sequence[sa.Row[Any]]:
    """Return all rules, those on sites first."""
    return tx.rows(_LIST)


def add_rule(tx: Write, me: CurrentUser, new_rule: RuleCreate) -> int:
    """Store a rule. It replaces an earlier rule on the same site or heading."""
    permissions.require(me, "import")
    key = _rule_key(new_rule.pattern, new_rule.value)
    query = sa.select(ImportRule).where(col(ImportRule.pattern) == new_rule.pattern, col(ImportRule.value_key) == key)
    rule = tx.scalar(query)
    if rule is None:
        _check_rule_limit(tx)
        rule = ImportRule(pattern=new_rule.pattern, value=new_rule.value, value_key=key, says=new_rule.says)
        tx.add(rule)
    name = "" if new_rule.says in {"no_topic", "skip"} else new_rule.name
    if rule.id is None or (rule.says, rule.name) != (new_rule.says, name):
        rule.says, rule.name, rule.created_by = new_rule.says, name, me.id
        tx.flush()
        events.record_event(tx, me, "rule.kept", data={"rule": format_rule(rule)})
    return rule.id or 0


def add_column_rule(tx: Write, me: CurrentUser, columns: Mapping[str, str]) -> int:
    """Store what the columns of a header are read as. It replaces an earlier rule on the same header.

    `columns`: the field by the name of each column, "" for one that is not used.
    """
    permissions.require(me, "import")
    rule = _find_column_rule(tx, columns)
    if rule is None:
        _check_rule_limit(tx)
        value = normalize.clean(", ".join(columns))
        value = value if len(value) <= MAX_VALUE_CHARS else f"{value[: MAX_VALUE_CHARS - 1]}…"
        rule = ImportRule(pattern="header", value=value, value_key=_header_key(columns), says="columns")
        tx.add(rule)
    if rule.id is None or rule.columns != columns:
        rule.columns, rule.created_by = dict(columns), me.id
        tx.flush()
        events.record_event(tx, me, "rule.kept", data={"rule": format_rule(rule)})
    return rule.id or 0


def find_column_rule(tx: Read, names: Iterable[str]) -> tuple[int, Mapping[str, str]] | None:
    """Return the rule on the header with these names, in any order, and its fields by these names."""
    names = list(names)
    rule = _find_column_rule(tx, names)
    if rule is None:
        return None
    fields = {normalize.key(name): field for name, field in rule.columns.items()}
    return rule.id or 0, {name: fields[normalize.key(name)] for name in names}


def _find_column_rule(tx: Read, names: Iterable[str]) -> ImportRule | None:
    is_header = sa.and_(col(ImportRule.pattern) == "header", col(ImportRule.value_key) == _header_key(names))
    return tx.scalar(sa.select(ImportRule).where(is_header))


def _header_key(names: Iterable[str]) -> str:
    """Return a short key of a header, which may be longer than what an index can hold."""
    return hashlib.sha256("\n".join(sorted(map(normalize.key, names))).encode()).hexdigest()


def remove_rule(tx: Write, me: CurrentUser, rule_id: int) -> int:
    """Delete a rule and return the undo entry that restores it.

    Past imports keep its effects. Raise NotFound.
    """
    permissions.require(me, "import")
    rule = tx.get(ImportRule, rule_id)
    if rule is None:
        message = _("Rule {rule_id} not found.").format(rule_id=rule_id)
        raise NotFound(message)
    sentence = format_rule(rule)
    events.record_event(tx, me, "rule.removed", data={"rule": sentence})
    fields = rule.model_dump(include={"pattern", "value", "says", "name", "columns"})
    tx.delete(rule)
    return undo_log.record_undo_entry(tx, me, "rule.removed", {"title": sentence, "add": fields})


@restore_handler("rule.removed")
def _restore_rule(tx: Write, me: CurrentUser, undo_data: UndoData) -> str:
    fields = dict(undo_data["add"])
    columns = fields.pop("columns", None)
    if columns:
        if find_column_rule(tx, columns):
            raise Conflict(_("These columns have been chosen anew since. The newer choice stays."))
        add_column_rule(tx, me, columns)
    else:
        add_rule(tx, me, RuleCreate(**fields))
    return "/imports/rules"


def format_rule(rule: Any) -> str:  # noqa: ANN401 - a row of the table, or some of its columns
    """Return the rule in a few words."""
    templates = {"topic": RULE_TOPIC, "no_topic": RULE_NO_TOPIC, "skip": RULE_SKIP, "columns": RULE_COLUMNS}
    template = templates.get(rule.says) or RULE_KINDS[rule.name]
    return template.format(value=rule.value, name=rule.name)


def load_rules(tx: Read) -> list[Rule]:
    """Load the rules on sites and headings in the form in which they are applied."""
    return [
        Rule(row.id, row.pattern, _rule_key(row.pattern, row.value), row.says, row.name, format_rule(row))
        for row in list_rules(tx)
        if row.pattern != "header"
    ]


class Rules:
    """All rules of the team, applied to one entry at a time."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        rules = list(rules)
        self._headings = {rule.key: rule for rule in rules if rule.pattern == "heading"}
        hosts = [rule for rule in rules if rule.pattern == "host"]
        self._hosts: dict[str, list[Rule]] = {}
        for rule in sorted(hosts, key=lambda rule: -rule.key.count("/")):  # the most specific first
            self._hosts.setdefault(rule.key.partition("/")[0], []).append(rule)

    def __bool__(self) -> bool:
        return bool(self._headings or self._hosts)

    def changes(self, entry: RuleInput) -> dict[str, Any]:
        """Return the fields that the rules change in this entry, with the ids of these rules."""
        changes, rules = self._topic_changes(entry)
        if entry.kind == "topic":
            changes |= self._heading_changes(entry, rules)
        elif entry.kind in {"paper", "mention"}:
            changes |= self._address_changes(entry, rules)
        if unique_rules := list(dict.fromkeys(rules)):
            reason = BY_RULE.format(rules="”; “".join(rule.sentence for rule in unique_rules))
            changes |= {"rules": [rule.id for rule in unique_rules], "reason": reason}
        return changes

    def _topic_changes(self, entry: RuleInput) -> tuple[dict[str, Any], list[Rule]]:
        """Return the topics above the entry without headings that are no topics, and the rules used."""
        pairs = [(topic, self._headings.get(normalize.key(topic))) for topic in entry.topics]
        rules = [rule for _, rule in pairs if rule]
        if not rules:
            return {}, []
        topics = [rule.name if rule else topic for topic, rule in pairs if not rule or rule.action == "topic"]
        return {"topics": list(dict.fromkeys(topics))}, rules

    def _heading_changes(self, entry: RuleInput, rules: list[Rule]) -> dict[str, Any]:
        rule = self._headings.get(normalize.key(entry.title))
        if rule is None:
            return {}
        rules.append(rule)
        return {"title": rule.name} if rule.action == "topic" else {"kind": "snippet"}

    def _address_changes(self, entry: RuleInput, rules: list[Rule]) -> dict[str, Any]:
        rule = self._find_address_rule(entry.address) if entry.address else None
        if rule is None or (rule.action == "kind" and rule.name == (entry.paper_kind or "paper")):
            return {}
        rules.append(rule)
        return {"decision": "skip"} if rule.action == "skip" else {"paper_kind": rule.name}

    def _find_address_rule(self, address: str) -> Rule | None:
        site_path = normalize_address(address)
        host = site_path.partition("/")[0]
        parts = host.split(".")
        rule_lists = (self._hosts.get(".".join(parts[start:]), ()) for start in range(len(parts) - 1))
        return next((rule for rules in rule_lists for rule in rules if _is_under(site_path, rule.key)), None)


def normalize_address(address: str) -> str:
    """Return host and path for comparison: `example.org/blog` for `https://www.Example.org/Blog/`."""
    text = urls.canonicalize_url(address if "://" in address else f"https://{address}")
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    site = parts.netloc.casefold().rpartition("@")[2].removeprefix("www.")
    return normalize.clean(f"{site}{unquote(parts.path).casefold()}".rstrip("/"))


def entry_address(identifiers: Sequence[str], links: Sequence[str]) -> str:
    """Return the address of the entry's paper."""
    identifier = next((name for name in identifiers if not name.startswith("file:")), "")
    return sources.url(Ref.parse(identifier)) if identifier else next(iter(links), "")


def _is_under(address: str, key: str) -> bool:
    """Return True if an address lies in that part of its site. `*` matches one path segment."""
    steps, key_steps = address.split("/")[1:], key.split("/")[1:]
    return len(steps) >= len(key_steps) and all(
        key_step in {"*", step} for step, key_step in zip(steps, key_steps, strict=False)
    )


def _rule_key(pattern: str, value: str) -> str:
    return normalize_address(value) if pattern == "host" else normalize.key(value)


def has_room(tx: Read) -> bool:
    """Return True if the team may have another rule."""
    return (tx.scalar(sa.select(sa.func.count()).select_from(ImportRule)) or 0) < MAX_RULES


def describe_limit() -> str:
    """Return why the team may have no further rule."""
    return _("The team has reached the limit of {count} import rules. Remove one first.").format(count=MAX_RULES)


def _check_rule_limit(tx: Write) -> None:
    if not has_room(tx):
        raise invalid_field("/value", "too-many", describe_limit())
