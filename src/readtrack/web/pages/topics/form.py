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
    form_result = validate_form(TopicUpdate, {**fields.values, "aliases": aliases, "parent": slug})
    form_result = FormResult(form_result.value, form_result.errors, dict(fields.values))
    if form_result.value is None:
        return form_result, form_result.errors
    return form_result, _find_conflicts(tx, form_result.value, topic_id)


def _old_name(fields: Fields) -> list[str]:
    """Return the old name to keep as an alias, if the topic was renamed and the box is checked."""
    old_name = fields.get("was").strip()
    return [old_name] if old_name and fields.get("keep_name") == "1" and old_name != fields.get("name").strip() else []


def _find_conflicts(tx: Read, data: TopicCreate, topic_id: int | None) -> Mapping[str, str]:
    errors = {}
    if data.parent and (problem := queries.parent_problem(tx, data.parent, topic_id)):
        errors["parent"] = problem
    for name_conflict in queries.find_name_conflicts(tx, [data.name], except_topic_id=topic_id):
        errors["name"] = queries.format_name_conflict(name_conflict)
    for name_conflict in queries.find_name_conflicts(tx, data.aliases, except_topic_id=topic_id):
        errors["aliases"] = queries.format_name_conflict(name_conflict)
    return errors
