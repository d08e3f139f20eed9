"""What the form of a topic says, checked against what only the library knows."""

from collections.abc import Mapping

from readtrack.infra.db import Read
from readtrack.library.topics import queries
from readtrack.library.topics.commands import TopicAdd, TopicEdit
from readtrack.web.dependencies.forms import Checked, Fields, check


def checked_topic(tx: Read, fields: Fields, topic_id: int | None) -> tuple[Checked[TopicEdit], Mapping[str, str]]:
    """The topic of a form with what is wrong by field, what only the library knows included."""
    parent = fields.get("parent").strip()
    aliases = [*(line for line in fields.get("aliases").splitlines() if line.strip()), *_old_name(fields)]
    slug = queries.find_slug(tx, parent) or parent
    checked = check(TopicEdit, {**fields.values, "aliases": aliases, "parent": slug})
    checked = Checked(checked.value, checked.errors, dict(fields.values))
    if checked.value is None:
        return checked, checked.errors
    return checked, _clashes(tx, checked.value, topic_id)


def _old_name(fields: Fields) -> list[str]:
    """What it was called when the form was opened, if that is to lead here still: as a further name."""
    was = fields.get("was").strip()
    return [was] if was and fields.get("keep_name") == "1" and was != fields.get("name").strip() else []


def _clashes(tx: Read, wanted: TopicAdd, topic_id: int | None) -> Mapping[str, str]:
    errors = {}
    if wanted.parent and (problem := queries.parent_problem(tx, wanted.parent, topic_id)):
        errors["parent"] = problem
    for taken in queries.find_taken(tx, [wanted.name], by_others_than=topic_id):
        errors["name"] = queries.taken_sentence(taken)
    for taken in queries.find_taken(tx, wanted.aliases, by_others_than=topic_id):
        errors["aliases"] = queries.taken_sentence(taken)
    return errors
