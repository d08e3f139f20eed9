"""Validation of the topic form, including checks against the database."""

from collections.abc import Mapping

from readtrack.infra.db import Read
from readtrack.library.topics import queries
from readtrack.library.topics.commands import TopicCreate, TopicUpdate
from readtrack.web.dependencies.forms import Fields, FormResult, validate_form


def validate_topic(tx: Read, fields: Fields, topic_id: int | None) -> tuple[FormResult[TopicUpdate], Mapping[str, str]]:
    """Validate the form, and return it with errors by field, including name conflicts and the parent."""
    parent = fields.get("parent").strip()
    aliases = [*(line for line in fields.get("aliases").splitlines() if line.strip()), *_old_name(fields)]
    slug = queries.find_slug(tx, parent) or parent
    checked = validate_form(TopicUpdate, {**fields.values, "aliases": aliases, "parent": slug})
    checked = FormResult(checked.value, checked.errors, dict(fields.values))
    if checked.value is None:
        return checked, checked.errors
    return checked, _find_conflicts(tx, checked.value, topic_id)


def _old_name(fields: Fields) -> list[str]:
    """Return the old name to keep as an alias, if the topic was renamed and the box is checked."""
    was = fields.get("was").strip()
    return [was] if was and fields.get("keep_name") == "1" and was != fields.get("name").strip() else []


def _find_conflicts(tx: Read, wanted: TopicCreate, topic_id: int | None) -> Mapping[str, str]:
    errors = {}
    if wanted.parent and (problem := queries.parent_problem(tx, wanted.parent, topic_id)):
        errors["parent"] = problem
    for taken in queries.find_name_conflicts(tx, [wanted.name], except_topic_id=topic_id):
        errors["name"] = queries.format_name_conflict(taken)
    for taken in queries.find_name_conflicts(tx, wanted.aliases, except_topic_id=topic_id):
        errors["aliases"] = queries.format_name_conflict(taken)
    return errors
