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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"count": 0}, "Must be at least 1."),
        ({"count": 10}, "Must be at most 9."),
        ({"count": "many"}, "Enter a whole number."),
        ({"count": 1.5}, "Enter a whole number."),
        ({"count": None}, "Enter a whole number."),
        ({"share": 0}, "Must be more than 0."),
        ({"share": 1}, "Must be less than 1."),
        ({"share": "half"}, "Enter a number."),
        ({"word": ""}, "This field is required."),
        ({"word": "abcd"}, "Use at most 3 characters."),
        ({"word": "A"}, "Invalid format."),
        ({"word": 7}, "Must be text."),
        ({"role": "king"}, "Must be one of viewer or member."),
        ({"names": []}, "Must not be empty."),
        ({"names": ["a", "b", "c"]}, "Use at most 2 items."),
        ({"names": "a"}, "Must be a list."),
        ({"shown": "perhaps"}, "Must be true or false."),
        ({"since": "soon"}, "Enter a date and time like 2026-03-31T09:30:00Z."),
        ({"since": []}, "Enter a date and time like 2026-03-31T09:30:00Z."),
        ({"colour": "red"}, "Unknown field."),
        ([], "Must be a JSON object."),
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
