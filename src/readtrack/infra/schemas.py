"""Base models of what comes from outside: an unknown field is an error."""

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Input without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class TrimmedModel(StrictModel):
    """Input without unknown fields, whose texts are stripped of white space at both ends."""

    model_config = ConfigDict(str_strip_whitespace=True)
