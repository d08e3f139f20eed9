"""Input of the question commands, for both forms and JSON."""

from typing import Annotated, Literal

from pydantic import Field

from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text.input_types import OneLine

MAX_QUESTION_CHARS = 2_000
Text = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS), OneLine]
Number = Annotated[int, Field(ge=1, lt=2**31)]
State = Literal["open", "answered", "dropped"]


class QuestionCreate(TrimmedModel):
    """A question, with its paper, the slug of its topic, and its owner."""

    text: Text
    paper: Number | None = None
    topic: str | None = None
    owner: Number | None = None


class QuestionUpdate(QuestionCreate):
    """The complete new values of a question.

    `answer`: the answering comment of an answered question.
    """

    state: State = "open"
    answer: Number | None = None
