"""Old addresses of pages lead to the new ones."""

import pytest

from readtrack.web.pages.moved import MOVED

THERE = {"code": "q3rT_9xK-Zb7w2LmPf", "lead_id": 7, "paper_id": 12}


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_page_url_redirects_to_the_new_one(client, old, new):
    answer = client.get(f"{old.replace(':int', '').format(**THERE)}?state=all&q=a%20b", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (301, f"{new.format(**THERE)}?state=all&q=a%20b")


def test_parameters_of_an_old_url_stay_inside_the_path(client):
    for typed in ("%2E%2E%3Fx", "a%23b", "..%5C", "%0D%0Ax"):
        address = client.get(f"/join/{typed}", follow_redirects=False).headers["location"]
        assert address == f"/invitations/accept/{typed}".replace("%2E", ".")
