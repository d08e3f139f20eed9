"""Input of the account commands, for both forms and JSON."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo, field_validator

from readtrack.infra import clock
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text import normalize
from readtrack.infra.validation import TrimmedModel
from readtrack.team.accounts import names as accounts_names
from readtrack.team.accounts import passwords

Role = Literal["viewer", "member", "editor", "admin"]
Scope = Literal["read", "write", "import", "admin", "feed"]
Theme = Literal["system", "light", "dark", "contrast"]
Language = Literal["", "en", "ja", "zh-Hans"]  # "": as requested by the browser
PersonName = Annotated[str, AfterValidator(accounts_names.normalize_person_name)]
Email = Annotated[str, AfterValidator(lambda text: accounts_names.normalize_email(text) if text else "")]
TokenName = Annotated[
    str, StringConstraints(min_length=1, max_length=80), AfterValidator(accounts_names.normalize_label)
]
AnyPassword = StringConstraints(strip_whitespace=False, max_length=passwords.MAX_LENGTH)
TypedPassword = Annotated[str, AnyPassword, Field(repr=False)]


def _check_password_length(password: str) -> str:
    if len(password) < passwords.MIN_LENGTH:
        message = _("Use at least {min_length} characters.").format(min_length=passwords.MIN_LENGTH)
        raise ValueError(message)
    return password


def _require_scopes(scopes: list[Scope]) -> list[Scope]:
    if not scopes:
        message = _("Choose at least one.")
        raise ValueError(message)
    return scopes


def _validate_time_zone(zone: str) -> str:
    if zone and zone not in clock.zones():
        message = _("Unknown time zone: {zone}. Use a name like Asia/Tokyo or UTC.").format(zone=zone[:60])
        raise ValueError(message)
    return zone


TimeZone = Annotated[str, AfterValidator(_validate_time_zone)]
# As the browser reports it, which may know other names than this server.
BrowserTimeZone = Annotated[str, AfterValidator(lambda zone: zone if zone in clock.zones() else "")]
Start = Annotated[str, Field(pattern=r"^(?:home|queue|view:[1-9][0-9]{0,8})?$")]  # the start page; "" for home
NewPassword = Annotated[TypedPassword, AfterValidator(_check_password_length)]


class Confirmable(TrimmedModel):
    """A change that may need confirmation, by the password and the code of a second factor."""

    current: TypedPassword = ""
    code: Annotated[str, Field(repr=False)] = ""


class PasswordSet(TrimmedModel):
    """A new password, which must differ from the person's name and address."""

    name: str = ""
    email: str = ""
    password: NewPassword

    @field_validator("password")
    @classmethod
    def _is_no_name(cls, password: str, info: ValidationInfo) -> str:
        personal_texts = [info.data.get(field, "") for field in ("name", "email")]
        if normalize.key(password) in {normalize.key(text) for text in personal_texts}:
            message = _("This password is your name or email address. Choose another.")
            raise ValueError(message)
        if passwords.is_easy_to_guess(password, personal_texts):
            message = _("This password is too easy to guess. Try several unrelated words.")
            raise ValueError(message)
        return password


class PersonSetUp(PasswordSet):
    """A new person who follows a link."""

    name: PersonName
    email: Email = ""
    time_zone: BrowserTimeZone = ""


class PasswordChange(PasswordSet):
    current: TypedPassword


class SignInTry(TrimmedModel):
    name: Annotated[str, StringConstraints(min_length=1, max_length=accounts_names.MAX_EMAIL_CHARS)]
    password: TypedPassword


class PersonDetails(TrimmedModel):
    """A person's name and address."""

    name: PersonName
    email: Email = ""


class Profile(PersonDetails):
    """A person's own profile."""

    language: Language = ""
    time_zone: TimeZone = ""


class PersonCreate(PersonDetails):
    """A person added at the command line."""

    role: Role = "member"


class InvitationCreate(TrimmedModel):
    """A link for a new person, a member unless `role` says otherwise. With an address, it is mailed and not shown."""

    role: Role = "member"
    email: Email = ""


class PasswordLinkCreate(Confirmable):
    """A link to set a password, shown to the admin or mailed to the person."""

    mail: bool = False


class PersonUpdate(TrimmedModel):
    """An admin's changes to a person. Only given fields are changed."""

    role: Role = "member"
    disabled: bool = False


class PasswordResetRequest(TrimmedModel):
    """A request to reset a forgotten password."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=accounts_names.MAX_EMAIL_CHARS)]


class MeUpdate(Confirmable):
    """A person's changes to their own account.

    Only given fields are changed; `email` needs the password.
    """

    name: PersonName = ""
    email: Email = ""
    theme: Theme = "system"
    single_keys: bool = True
    language: Language = ""
    time_zone: TimeZone = ""
    density: Literal["", "airy", "dense"] = ""
    reading_limit: Annotated[int, Field(ge=0, le=99)] = 3
    start: Start = ""
    variants: bool = False
    hide_checklist: bool = False


class TokenCreate(Confirmable):
    """A new API token. It expires after 90 days, or after `days`; never if that is null."""

    name: TokenName
    scopes: Annotated[list[Scope], AfterValidator(_require_scopes)]
    days: Annotated[int, Field(ge=1, le=3650)] | None = 90
