"""Description of user agents for display. No decision depends on it."""

BROWSERS = (  # in this order, because most user agents name other browsers too
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Vivaldi", "Vivaldi"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
MAX_CHARS = 40


def describe_browser(agent: str) -> str:
    """Return "Firefox on Linux" or the like, the beginning of an unknown user agent, or ""."""
    browser, system = _first_match(BROWSERS, agent), _first_match(SYSTEMS, agent)
    if browser and system:
        return f"{browser} on {system}"
    return browser or agent[:MAX_CHARS]


def _first_match(patterns: tuple[tuple[str, str], ...], agent: str) -> str:
    return next((name for pattern, name in patterns if pattern in agent), "")
