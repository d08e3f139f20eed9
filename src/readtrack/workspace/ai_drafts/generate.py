"""Generation of a draft within the team's daily token budget.

The steps are: read the facts, reserve tokens, call the model outside of a transaction, settle the usage.
"""

from dataclasses import dataclass

from readtrack.infra.db import Database
from readtrack.infra.errors import Invalid, ReadtrackError
from readtrack.infra.http.llm import LanguageModel
from readtrack.infra.i18n import current_language
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.summaries.commands import MAX_TLDR_CHARS
from readtrack.reading.text_templates.queries import PARTS
from readtrack.workspace.ai_drafts import prompts
from readtrack.workspace.ai_drafts.prompts import MAX_TOKENS, PURPOSES, Purpose
from readtrack.workspace.ai_drafts.token_budget import finalize_usage, reserve_tokens

MAX_TITLE_CHARS = 500


@dataclass(frozen=True)
class AiDraft:
    """A model's draft for a person to review. `topics`: (slug, name) of the topics it chose."""

    purpose: Purpose
    model: str
    text: str
    topics: tuple[tuple[str, str], ...] = ()


def generate_draft(
    database: Database, model: LanguageModel, me: CurrentUser, *, paper_id: int, purpose: str, budget: int
) -> AiDraft:
    """Return a draft in the current user's language.

    Raise Invalid for an unknown purpose, TooManyRequests if the budget is used up, or any error of the model.
    """
    checked_purpose = _validate_purpose(purpose)
    with database.write() as tx:
        facts, topics = (
            prompts.get_prompt_facts(tx, paper_id),
            prompts.find_topic_names(tx) if checked_purpose == "topics" else {},
        )
        use_id = reserve_tokens(tx, me, checked_purpose, budget=budget)
    headings = ", ".join(f"## {_(heading)}" for heading in PARTS)
    messages = prompts.build_messages(
        checked_purpose, facts, language=current_language(), headings=headings, topics=[*topics]
    )
    try:
        completion = model.complete(messages, max_tokens=MAX_TOKENS[checked_purpose])
    except ReadtrackError:
        with database.write() as tx:
            finalize_usage(tx, use_id, None)
        raise
    with database.write() as tx:
        finalize_usage(tx, use_id, completion.tokens)
    return AiDraft(
        checked_purpose,
        model.name,
        _format_answer(checked_purpose, completion.text),
        tuple(prompts.parse_topics(completion.text, topics)),
    )


def _validate_purpose(purpose: str) -> Purpose:
    for valid_purpose in PURPOSES:
        if purpose == valid_purpose:
            return valid_purpose
    message = _("Unknown purpose. Use one of: {purposes}.").format(purposes=", ".join(PURPOSES))
    raise Invalid(message)


def _format_answer(purpose: Purpose, text: str) -> str:
    max_length = {"tldr": MAX_TLDR_CHARS, "title": MAX_TITLE_CHARS}.get(purpose)
    return prompts.parse_line(text, max_length) if max_length else text
