"""What no address can hold is asked of nobody."""

import pytest

from readtrack.metadata.sources import all_services
from tests.tables import cases


class Nowhere:
    """A way out that must not be taken."""

    def get(self, url, headers=None):
        raise AssertionError(f"{url!r} was asked for")

    post = get

    def base(self, name):
        return f"https://{name}.example.org"


@pytest.mark.parametrize("service", all_services(), ids=lambda service: service.name)
@pytest.mark.parametrize("key", ["\ud800", "a\0b", "p/\ud800"])
def test_a_key_no_url_can_contain_is_refused_without_a_request(service, key):
    said = service.fetch(Nowhere(), [key])
    assert set(said.errors) == {key}
    assert not said.records
    assert not said.missing


@cases("service", all_services(), ids=lambda service: service.name)
def test_an_empty_list_of_keys_makes_no_request(service):
    said = service.fetch(Nowhere(), [])
    assert (said.records, said.missing, said.errors) == ({}, frozenset(), {})
