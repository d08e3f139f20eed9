"""What is wrong with an input is said for people, never in the words of the library that found it."""

from datetime import datetime
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from readtrack.infra.validation import validation_message


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: Annotated[int, Field(ge=1, le=9)] = 1
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    word: Annotated[str, Field(min_length=1, max_length=3, pattern="^[a-z]*$")] = "a"
    role: Literal["viewer", "member"] = "viewer"
    names: Annotated[list[str], Field(min_length=1, max_length=2)] = []
    shown: bool = True
    since: datetime | None = None


@pytest.mark.deep
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"count": 0}, "This should be 1 or more."),
        ({"count": 10}, "This should be 9 or less."),
        ({"count": "many"}, "This should be a whole number."),
        ({"count": 1.5}, "This should be a whole number."),
        ({"count": None}, "This should be a whole number."),
        ({"share": 0}, "This should be more than 0."),
        ({"share": 1}, "This should be less than 1."),
        ({"share": "half"}, "This should be a number."),
        ({"word": ""}, "Please fill this in."),
        ({"word": "abcd"}, "This may have at most 3 characters."),
        ({"word": "A"}, "This has a form that cannot be used."),
        ({"word": 7}, "This should be a text."),
        ({"role": "king"}, "This should be one of viewer or member."),
        ({"names": []}, "This should have 1 items or more."),
        ({"names": ["a", "b", "c"]}, "This may have at most 2 items."),
        ({"names": "a"}, "This should be a list."),
        ({"shown": "perhaps"}, "This should be true or false (1 or 0)."),
        ({"since": "soon"}, "This should be a moment like 2026-03-31T09:30:00Z."),
        ({"since": []}, "This should be a moment like 2026-03-31T09:30:00Z."),
        ({"colour": "red"}, "There is no such field."),
        ([], "This should be an object with named fields."),
    ],
)
def test_an_invalid_value_is_explained_in_plain_words(given, said):
    with pytest.raises(ValidationError) as wrong:
        Given.model_validate(given)
    assert [validation_message(problem) for problem in wrong.value.errors()] == [said]


@pytest.mark.parametrize(
    ("message", "said"),
    [("Value error, Choose at least one.", "Choose at least one."), ("Odd input", "Odd input.")],
)
def test_custom_messages_stay_and_unknown_ones_become_sentences(message, said):
    assert validation_message({"type": "new", "msg": message}) == said
