"""What services call the places where papers appear: rarely what people call them."""

from dataclasses import dataclass

from tests.outside.facts import Fact

_WORDS = {2024: "Nineteenth", 2025: "Twentieth", 2026: "Twenty-First"}  # EuroSys writes its number out


@dataclass(frozen=True)
class Series:
    """`name`: in full; `before`: the year before the first one, when they are counted; `dblp`: its folder there."""

    name: str
    before: int = 0
    dblp: str = ""
    form: str = "Proceedings of the {nth} {name}"


SERIES = {
    "ASPLOS": Series(
        "ACM International Conference on Architectural Support for Programming Languages and Operating Systems",
        1995,
        form="Proceedings of the {nth} {name}, Volume 2",
    ),
    "ATC": Series("USENIX Annual Technical Conference", dblp="usenix"),
    "EuroSys": Series("European Conference on Computer Systems", 2005, form="Proceedings of the {word} {name}"),
    "FAST": Series("USENIX Conference on File and Storage Technologies", 2002),
    "HPCA": Series(
        "IEEE International Symposium on High-Performance Computer Architecture (HPCA)", form="{year} {name}"
    ),
    "ICPP": Series("International Conference on Parallel Processing", 1971),
    "KDD": Series("ACM SIGKDD International Conference on Knowledge Discovery & Data Mining", 1994),
    "NSDI": Series("USENIX Symposium on Networked Systems Design and Implementation", 2003),
    "NeurIPS": Series("Advances in Neural Information Processing Systems", 1987, "nips", "{name} {number}"),
    "OSDI": Series("USENIX Symposium on Operating Systems Design and Implementation", 2006),
    "PODC": Series("ACM Symposium on Principles of Distributed Computing", 1981),
    "PPoPP": Series("ACM SIGPLAN Symposium on Principles and Practice of Parallel Programming", 1995),
    "SC": Series(
        "International Conference for High Performance Computing, Networking, Storage and Analysis",
        form="Proceedings of the {name}",
    ),
    "SIGCOMM": Series("ACM SIGCOMM {year} Conference", form="Proceedings of the {name}"),
    "SOSP": Series(
        "ACM SIGOPS {nth} Symposium on Operating Systems Principles", 1994, form="Proceedings of the {name}"
    ),
    "TQC": Series("Conference on the Theory of Quantum Computation, Communication and Cryptography", 2005),
    "SYSTOR": Series("ACM International Conference on Systems and Storage", 2007),
}


def container(fact: Fact) -> str:
    """The book in which it stands."""
    series = SERIES.get(fact.series)
    return _filled(series.form, series, fact) if series else fact.venue


def event(fact: Fact) -> str:
    """The conference, with the number that it had; blank for a journal."""
    series = SERIES.get(fact.series)
    return _filled("{nth} {name}" if series.before else "{name}", series, fact) if series else ""


def usenix_event(fact: Fact) -> str:
    """As USENIX writes it: with the letters and the year in brackets."""
    year = f"{fact.printed_in % 100:02}"
    if fact.series == "ATC":
        return f"{fact.printed_in} {event(fact)} (USENIX ATC {year})"
    return f"{event(fact)} ({fact.series} {year})"


def _filled(form: str, series: Series, fact: Fact) -> str:
    year = fact.printed_in
    number = _number(fact.series, series, year)
    counted = {"year": year, "number": number, "nth": _nth(number), "word": _WORDS.get(year, "")}
    return form.format(name=series.name.format(**counted), **counted)


def _number(letters: str, series: Series, year: int) -> int:
    if letters == "OSDI" and year < 2020:  # every second year until then
        return 14 - (2020 - year) // 2
    return year - series.before


def _nth(number: int) -> str:
    last = 0 if number % 100 in {11, 12, 13} else number % 10
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(last, "th")
