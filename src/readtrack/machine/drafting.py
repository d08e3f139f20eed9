"""One draft from the wish to the answer: what is told is read, the budget taken, the model asked with no transaction
open, the budget put right.
"""

from dataclasses import dataclass

from readtrack.db import Database
from readtrack.errors import Invalid, ReadtrackError
from readtrack.languages import current
from readtrack.languages import gettext as _
from readtrack.machine import commands, prompts, queries
from readtrack.machine.model import Model
from readtrack.machine.prompts import MOST_TOKENS, PURPOSES, Purpose
from readtrack.outlines.queries import PARTS
from readtrack.policy import Visitor
from readtrack.summaries.commands import LONGEST_TLDR

LONGEST_TITLE = 500


@dataclass(frozen=True)
class Drafted:
    """What a model drafted, for a person to look at. `topics`: (slug, name) of those that it chose."""

    purpose: Purpose
    model: str
    text: str
    topics: tuple[tuple[str, str], ...] = ()


def draft(database: Database, model: Model, me: Visitor, *, paper_id: int, purpose: str, budget: int) -> Drafted:
    """A draft in the language of whoever asks. Raises Invalid for an unknown purpose, TooMany when the budget is used
    up, and what the model raises.
    """
    wish = _known(purpose)
    with database.write() as tx:
        facts, topics = queries.get_facts(tx, paper_id), queries.topic_names(tx) if wish == "topics" else {}
        use_id = commands.take(tx, me, wish, budget=budget)
    headings = ", ".join(f"## {_(part)}" for part in PARTS)
    sent = prompts.messages(wish, facts, language=current(), headings=headings, topics=[*topics])
    try:
        said = model.ask(sent, most=MOST_TOKENS[wish])
    except ReadtrackError:
        with database.write() as tx:
            commands.settle(tx, use_id, None)
        raise
    with database.write() as tx:
        commands.settle(tx, use_id, said.tokens)
    return Drafted(wish, model.name, _shaped(wish, said.text), tuple(prompts.chosen(said.text, topics)))


def _known(purpose: str) -> Purpose:
    for known in PURPOSES:
        if purpose == known:
            return known
    message = _("A model can draft these: {purposes}. Nothing was asked.").format(purposes=", ".join(PURPOSES))
    raise Invalid(message)


def _shaped(purpose: Purpose, text: str) -> str:
    longest = {"tldr": LONGEST_TLDR, "title": LONGEST_TITLE}.get(purpose)
    return prompts.line_of(text, longest) if longest else text
