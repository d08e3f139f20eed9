"""Ways in other than a password: a provider on loopback, and an application that knows it."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.conftest import ADDRESS, OWN_PAGES
from tests.provider import CLIENT, SECRET, ProviderStandIn


@pytest.fixture
def provider() -> Iterator[ProviderStandIn]:
    with ProviderStandIn() as standing:
        yield standing


@pytest.fixture
def known_to(settings, database):
    """`known_to(issuer)`: the application where people may sign in by that provider."""
    from readtrack.app import create_app  # noqa: PLC0415

    def application(issuer):
        given = {"oidc_issuer": issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
        return create_app(settings.model_copy(update=given), database)

    return application


@pytest.fixture
def app(known_to, provider):
    return known_to(provider.url)


@pytest.fixture
def browser(app):
    """Opens browsers in which nobody is signed in."""
    return lambda: TestClient(app, base_url=ADDRESS, headers=OWN_PAGES, follow_redirects=False)
