"""What the commands about people are given; forms and JSON fill the same models."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator

from readtrack import names
from readtrack.people import naming, passwords

Role = Literal["viewer", "member", "editor", "admin"]
Scope = Literal["read", "write", "import", "admin", "feed"]
Theme = Literal["system", "light", "dark", "contrast"]
PersonName = Annotated[str, AfterValidator(naming.person_name)]
Email = Annotated[str, AfterValidator(lambda text: naming.email(text) if text else "")]
TokenName = Annotated[str, StringConstraints(min_length=1, max_length=80), AfterValidator(naming.label)]
AnyPassword = StringConstraints(strip_whitespace=False, max_length=passwords.LONGEST)
TypedPassword = Annotated[str, AnyPassword, Field(repr=False)]


def _long_enough(password: str) -> str:
    if len(password) < passwords.SHORTEST:
        raise ValueError(f"A password has {passwords.SHORTEST} characters or more; some words in a row are a good one.")
    return password


def _some(scopes: list[Scope]) -> list[Scope]:
    if not scopes:
        raise ValueError("Choose at least one.")
    return scopes


NewPassword = Annotated[TypedPassword, AfterValidator(_long_enough)]


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class PasswordSet(Input):
    """A new password for the person of that name and address, which it must not be."""

    name: str = ""
    email: str = ""
    password: NewPassword

    @field_validator("password")
    @classmethod
    def _is_no_name(cls, password: str, others: ValidationInfo) -> str:
        known = {names.key(others.data.get(field, "")) for field in ("name", "email")}
        if names.key(password) in known:
            raise ValueError("This password is the name or address itself; choose another.")
        return password


class PersonSetUp(PasswordSet):
    """Somebody who comes in with a link and is new."""

    name: PersonName
    email: Email = ""


class PasswordChange(PasswordSet):
    current: TypedPassword


class SignInTry(Input):
    name: Annotated[str, StringConstraints(min_length=1, max_length=naming.LONGEST_EMAIL)]
    password: TypedPassword


class Profile(Input):
    """What others call a person."""

    name: PersonName
    email: Email = ""


class PersonAdd(Profile):
    """A person whom the operator makes at the command line."""

    role: Role = "member"


class Invite(Input):
    role: Role = "member"


class MeEdit(Input):
    """What people may change about themselves. Only what is given is changed."""

    name: PersonName = ""
    email: Email = ""
    theme: Theme = "system"
    single_keys: bool = True


class TokenCreate(Input):
    """A new API token. `days` is None for one without an end."""

    name: TokenName
    scopes: Annotated[list[Scope], AfterValidator(_some)]
    days: Annotated[int, Field(ge=1, le=3650)] | None = 90
