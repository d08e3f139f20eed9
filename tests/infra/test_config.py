"""Settings: every mistake is named in a sentence, secrets come from files, and nothing insecure is taken silently."""

import stat
import traceback
from pathlib import Path

import pytest

from readtrack.infra import resources
from readtrack.infra.config import Settings, is_loopback, load
from readtrack.infra.errors import SettingNotUsableYet, SettingsError

SECRET = "0123456789" * 4
WRONG = [  # environment, what the sentence says
    ({"READTRACK_COLOUR": "red"}, "READTRACK_COLOUR is not a setting of readtrack"),
    ({"READTRACK_BASE_URL": "reading.example.org"}, "BASE_URL"),
    ({"READTRACK_BASE_URL": "ftp://reading.example.org"}, "BASE_URL"),
    ({"READTRACK_BASE_URL": "https://reading.example.org/?a=1"}, "BASE_URL"),
    ({"READTRACK_BASE_URL": "http://reading.example.org"}, "INSECURE_HTTP"),
    ({"READTRACK_DATABASE_URL": "postgresql+psycopg://a@b/c"}, "SECRET_KEY is needed with PostgreSQL"),
    ({"READTRACK_SECRET_KEY": "short"}, "32 characters"),
    ({"READTRACK_ARXIV_INTERVAL": "-1"}, "READTRACK_ARXIV_INTERVAL: Must be at least 0."),
    ({"READTRACK_ARXIV_INTERVAL": "soon"}, "READTRACK_ARXIV_INTERVAL: Enter a number."),
    ({"READTRACK_LOG_FORMAT": "xml"}, "READTRACK_LOG_FORMAT: Must be one of console or json."),
    ({"READTRACK_OFFLINE": "perhaps"}, "READTRACK_OFFLINE: Must be true or false."),
    ({"READTRACK_TRUSTED_PROXIES": "*"}, "TRUSTED_PROXIES"),
    ({"READTRACK_TRUSTED_PROXIES": "0.0.0.0/0"}, "TRUSTED_PROXIES"),
    ({"READTRACK_TRUSTED_PROXIES": "10.0.0.1,::/0"}, "TRUSTED_PROXIES"),
    ({"READTRACK_TRUSTED_PROXIES": "proxy.example.org"}, "TRUSTED_PROXIES"),
    ({"READTRACK_DATABASE_URL": "mysql://a@b/c"}, "DATABASE_URL"),
    ({"READTRACK_DATABASE_URL": "nonsense"}, "DATABASE_URL"),
    ({"READTRACK_DATABASE_URL": "sqlite:///"}, "DATABASE_URL must be like"),
    ({"READTRACK_DATABASE_URL": "sqlite:///:memory:"}, "DATABASE_URL must be like"),
    ({"READTRACK_DATABASE_URL": "postgresql+psycopg://a@b:port/c", "READTRACK_SECRET_KEY": SECRET}, "has a port"),
    ({"READTRACK_DATABASE_URL": "postgresql://a@b/c", "READTRACK_SECRET_KEY": SECRET}, "DATABASE_URL"),
    ({"READTRACK_ARXIV_URL": "export.arxiv.org"}, "ARXIV_URL must be an http or https address"),
    ({"READTRACK_CROSSREF_URL": "file:///etc/passwd"}, "CROSSREF_URL must be an http or https address"),
    ({"READTRACK_DBLP_URL": "https://dblp.org?q=1"}, "DBLP_URL must be an http or https address"),
    ({"READTRACK_OEMBED_URL": "https://ada:pw@example.org"}, "OEMBED_URL must be an http or https address"),
    ({"READTRACK_INTERNAL_HOSTS": "wiki.example.org, http://x"}, "INTERNAL_HOSTS has 'http://x'"),
    ({"READTRACK_PROXY": "proxy.example.org:3128"}, "PROXY must be like http://proxy.example.org:3128"),
    ({"READTRACK_PROXY": "socks5://proxy.example.org:1080"}, "PROXY must be like"),
    ({"READTRACK_PROXY": "http://proxy.example.org:port"}, "PROXY must be like"),
    ({"READTRACK_SMTP_URL": "mail.example.org"}, "SMTP_URL must be like smtp://mail.example.org"),
    ({"READTRACK_SMTP_URL": "http://mail.example.org"}, "SMTP_URL must be like"),
    ({"READTRACK_SMTP_URL": "smtp://mail.example.org:port"}, "SMTP_URL must be like"),
    ({"READTRACK_SMTP_URL": "smtp://mail.example.org"}, "MAIL_FROM is needed with SMTP_URL"),
    (
        {"READTRACK_SMTP_URL": "smtp://mail.example.org", "READTRACK_MAIL_FROM": "reading@example.org"},
        "BASE_URL is needed with SMTP_URL",
    ),
    ({"READTRACK_MAIL_FROM": "nobody"}, "MAIL_FROM must be like"),
    ({"READTRACK_MAIL_FROM": "a@example.org, b@example.org"}, "MAIL_FROM must be like"),
    ({"READTRACK_MAIL_FROM": "a@example.org\nBcc: b@example.org"}, "MAIL_FROM must be like"),
    ({"READTRACK_BASE_URL": "https://[::1"}, "BASE_URL"),
    ({"READTRACK_OIDC_ISSUER": "https://[::1", "READTRACK_OIDC_CLIENT_ID": "rt"}, "OIDC_ISSUER"),
    ({"READTRACK_OIDC_ISSUER": "id.example.org", "READTRACK_OIDC_CLIENT_ID": "rt"}, "OIDC_ISSUER"),
    ({"READTRACK_OIDC_ISSUER": "http://id.example.org", "READTRACK_OIDC_CLIENT_ID": "rt"}, "OIDC_ISSUER"),
    ({"READTRACK_OIDC_ISSUER": "https://id.example.org"}, "OIDC_CLIENT_ID"),
    (
        {
            "READTRACK_OIDC_ISSUER": "https://id.example.org",
            "READTRACK_OIDC_CLIENT_ID": "rt",
            "READTRACK_OFFLINE": "1",
        },
        "OIDC_ISSUER",
    ),
    ({"READTRACK_OIDC_CLIENT_SECRET": SECRET}, "OIDC_ISSUER is missing"),
    ({"READTRACK_SECRET_KEY_FILE": "/nowhere/secret"}, "READTRACK_SECRET_KEY_FILE names /nowhere/secret"),
]


@pytest.mark.parametrize(("environment", "said"), WRONG)
def test_a_mistake_is_reported_with_the_name_of_the_setting(environment, said):
    with pytest.raises(SettingsError) as wrong:
        load(environment)
    assert said in str(wrong.value)
    assert str(wrong.value).endswith(".")


def test_an_unset_setting_has_its_default():
    given = load({"XDG_DATA_HOME": "/elsewhere", "READTRACK_CONTACT": "", "OTHER": "x"})
    assert (given.url.startswith("sqlite:///"), given.offline, given.arxiv_interval, given.contact) == (
        True,
        False,
        3.0,
        "",
    )


def test_any_setting_can_be_read_from_a_file(tmp_path):
    (tmp_path / "key").write_text(f"{SECRET}\n", encoding="utf-8")
    (tmp_path / "contact").write_text("ada@example.org\n", encoding="utf-8")
    given = load(
        {"READTRACK_SECRET_KEY_FILE": str(tmp_path / "key"), "READTRACK_CONTACT_FILE": str(tmp_path / "contact")}
    )
    assert (given.secret_key, given.contact) == (SECRET, "ada@example.org")


def test_a_secret_is_generated_once_and_readable_by_its_owner_only(tmp_path):
    folder = tmp_path / "new" / "data"
    first, second = load({}, data=folder).ready(), load({}, data=folder).ready()
    assert first.secret_key == second.secret_key
    assert len(first.secret_key) == 64
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"\xff" * 40], ids=["empty", "not text"])
def test_a_damaged_secret_is_reported_and_not_used(tmp_path, content):
    (tmp_path / "secret_key").write_bytes(content)
    with pytest.raises(SettingsError, match="holds no usable secret key"):
        load({}, data=tmp_path).ready()


def test_a_setting_in_a_file_that_is_not_text_is_wrong_and_not_shown(tmp_path):
    (tmp_path / "key").write_bytes(b"\xff" + SECRET.encode())
    with pytest.raises(SettingsError, match="isn't text in UTF-8") as wrong:
        load({"READTRACK_SECRET_KEY_FILE": str(tmp_path / "key")})
    assert not isinstance(wrong.value, SettingNotUsableYet)
    assert SECRET not in "".join(traceback.format_exception(wrong.value))


def test_a_secret_is_never_shown():
    assert SECRET not in repr(load({"READTRACK_SECRET_KEY": SECRET}))


@pytest.mark.parametrize(
    ("address", "more", "secure"),
    [
        ("https://reading.example.org", {}, True),
        ("http://127.0.0.1:8000", {}, False),
        ("http://localhost:8000/", {}, False),
        ("http://[::1]:8000", {}, False),
        ("http://reading.example.org", {"READTRACK_INSECURE_HTTP": "1"}, False),
    ],
)
def test_cookies_are_secure_only_with_https(address, more, secure):
    assert load({"READTRACK_BASE_URL": address, **more}).secure is secure


def test_trusted_proxies_are_a_list_of_addresses_and_networks():
    assert load({"READTRACK_TRUSTED_PROXIES": "10.0.0.1, 192.168.0.0/16,"}).proxies == ["10.0.0.1", "192.168.0.0/16"]


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("example.org", False),
    ],
)
def test_loopback_addresses_are_recognised(host, loopback):
    assert is_loopback(host) is loopback


def test_every_setting_has_a_description():
    assert all(field.description for field in Settings.model_fields.values())


def test_every_service_has_a_base_url_setting_and_oembed_has_none():
    bases = load({"READTRACK_DBLP_URL": "http://10.0.0.7:8080/dblp/"}).bases
    assert bases["dblp"] == "http://10.0.0.7:8080/dblp"
    assert bases["oembed"] == ""
    assert all(base.startswith("https://") for name, base in bases.items() if name not in {"dblp", "oembed"})


def test_blocked_hosts_are_read_in_any_spelling():
    given = load({"READTRACK_INTERNAL_HOSTS": "Wiki.Example.org, *.corp.example.com ,.lab.example.com,,x.example.net."})
    assert given.closed_hosts == {"wiki.example.org", "corp.example.com", "lab.example.com", "x.example.net"}


def test_the_proxy_password_is_never_shown():
    assert SECRET not in repr(load({"READTRACK_PROXY": f"http://ada:{SECRET}@proxy.example.org:3128"}))


@pytest.mark.parametrize(
    "environment",
    [
        {"READTRACK_OIDC_ISSUER": "https://id.example.org", "READTRACK_OIDC_CLIENT_ID": "rt"},
        {"READTRACK_OIDC_ISSUER": "http://127.0.0.1:9000", "READTRACK_OIDC_CLIENT_ID": "rt"},
        {"READTRACK_AUTH_HEADER": "Remote-User", "READTRACK_TRUSTED_PROXIES": "10.0.0.1"},
        {"READTRACK_LLM_URL": "http://127.0.0.1:11434/v1", "READTRACK_LLM_MODEL": "small"},
        {"READTRACK_ALLOWED_HOSTS": "reading.example.org, [::1]"},
    ],
)
def test_settings_that_belong_together_are_taken_as_they_are(environment):
    given = load(environment)
    assert {name: getattr(given, name.removeprefix("READTRACK_").lower()) for name in environment} == environment


def test_a_folder_that_the_installation_lacks_is_named():
    assert resources.find("locale").is_dir()
    with pytest.raises(FileNotFoundError, match="colours"):
        resources.find("colours")


def test_a_user_without_a_home_needs_none_with_a_data_folder(monkeypatch, tmp_path):
    def find_no_home(_class):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", classmethod(find_no_home))
    assert load({"READTRACK_DATA": str(tmp_path)}).data == tmp_path
