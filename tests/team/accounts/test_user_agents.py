"""What browsers say they are, as people call them."""

import pytest

from readtrack.team.accounts.user_agents import describe_browser

APPLE = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox on Linux"),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {APPLE} Chrome/142.0.0.0 Safari/537.36 Edg/142.0",
            "Edge on Windows",
        ),
        (f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {APPLE} Version/26.0 Safari/605.1.15", "Safari on macOS"),
        (f"Mozilla/5.0 (Linux; Android 16; Pixel 9) {APPLE} Chrome/142.0 Mobile Safari/537.36", "Chrome on Android"),
        (
            f"Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) {APPLE} CriOS/142.0 Safari/604.1",
            "Chrome on iPhone",
        ),
        ("curl/8.16.0", "curl/8.16.0"),
        ("Firefox", "Firefox"),
        ("x" * 200, "x" * 40),
        ("", ""),
    ],
)
def test_a_browser_is_described_by_name_and_system(agent, words):
    assert describe_browser(agent) == words
