"""What a question is made of, as doors give it."""

from typing import Annotated, Literal

from pydantic import Field

from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text.input_types import OneLine

LONGEST = 2_000
Text = Annotated[str, Field(min_length=1, max_length=LONGEST), OneLine]
Number = Annotated[int, Field(ge=1, lt=2**31)]
State = Literal["open", "answered", "dropped"]


class QuestionCreate(TrimmedModel):
    """A question; the paper it is about, the slug of its topic, the person who looks for the answer."""

    text: Text
    paper: Number | None = None
    topic: str | None = None
    owner: Number | None = None


class QuestionUpdate(QuestionCreate):
    """The whole question as it shall be; `answer`: the comment that answers it, when it is answered."""

    state: State = "open"
    answer: Number | None = None
