"""One draft from the wish to the answer: what is told is read, the budget taken, the model asked with no transaction
open, the budget put right.
"""

from dataclasses import dataclass

from readtrack.infra.db import Database
from readtrack.infra.errors import Invalid, ReadtrackError
from readtrack.infra.http.llm import Model
from readtrack.infra.i18n import current
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import Visitor
from readtrack.reading.summaries.commands import LONGEST_TLDR
from readtrack.reading.text_templates.queries import PARTS
from readtrack.workspace.ai_drafts import prompts, queries, token_budget
from readtrack.workspace.ai_drafts.prompts import MOST_TOKENS, PURPOSES, Purpose

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
        use_id = token_budget.take(tx, me, wish, budget=budget)
    headings = ", ".join(f"## {_(part)}" for part in PARTS)
    sent = prompts.messages(wish, facts, language=current(), headings=headings, topics=[*topics])
    try:
        said = model.ask(sent, most=MOST_TOKENS[wish])
    except ReadtrackError:
        with database.write() as tx:
            token_budget.settle(tx, use_id, None)
        raise
    with database.write() as tx:
        token_budget.settle(tx, use_id, said.tokens)
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
