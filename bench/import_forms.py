"""Long notes of every form, for measuring: made of numbered papers, the same each time."""

from collections.abc import Callable
from itertools import islice

_WORDS = """
Adaptive Asynchronous Attention Balanced Batching Caches Checkpoints Clusters Communication Compilers
Compressed Consistent Datacenter Decoding Deep Disaggregated Distributed Dynamic Efficient Elastic Fast
Fault-Tolerant Federated Gradients Graphs Heterogeneous Inference Kernels Language Large Latency Learning Load
Locality Memory Mixtures Models Networks Optimal Overlap Parallel Pipelines Placement Policies Prediction
Quantized Queries Replication Routing Scalable Scheduling Sequence Serving Sharding Sparse Speculative Storage
Streams Tail Tensors Throughput Training Transactions Transformers Unified Video
""".split()  # noqa: SIM905 - a list of words
_VENUES = ("OSDI'22", "NSDI 24", "ICML 2023", "SOSP'23", "MLSys 2024", "arXiv")


def written(form: str, lines: int) -> str:
    """A note of that form with so many lines, some hundred bytes each."""
    head, items = FORMS[form]
    found: list[str] = head.splitlines()
    number = 0
    while len(found) < lines:
        number += 1
        found += items(number).splitlines() or [""]
    return "\n".join(islice(found, lines)) + "\n"


def repeated(form: str, count: int) -> str:
    """A note of that form with so many papers or records."""
    head, items = FORMS[form]
    return "\n".join([*head.splitlines(), *(items(number) for number in range(1, count + 1))]) + "\n"


def _title(number: int) -> str:
    """Another one for each number, as long as titles are, and like most of them without any figure."""
    size = len(_WORDS)
    words = [_WORDS[(number // size**power + number * step) % size] for power, step in enumerate((0, 7, 11, 17))]
    return f"{words[0]}: {words[1]} {words[2]} for {_WORDS[number % size]} and {words[3]} Systems at Scale"


def _id(number: int) -> str:
    return f"{20 + number // 120_000:02}{number // 10_000 % 12 + 1:02}.{number % 10_000:05}"


def _venue(number: int) -> str:
    return _VENUES[number % len(_VENUES)]


def _bullet(number: int) -> str:
    if number % 25 == 0:
        return f"\n## Topic {number // 25}\n"
    return f"- [{_title(number)}](https://arxiv.org/abs/{_id(number)}) ({_venue(number)})"


def _roles(number: int) -> str:
    if number % 30 == 0:
        return f"\n### Topic {number // 30}\n"
    return (
        f"- {_title(number)} [[Paper](https://arxiv.org/pdf/{_id(number)}.pdf)] "
        f"[[Code](https://github.com/o{number}/r{number})]\n  - Authors of Many, A. Person, B. Other\n  - a remark"
    )


def _table(number: int) -> str:
    cells = (f"2023-{number % 12 + 1:02}", f"**{_title(number)}**", f"[Paper](https://arxiv.org/abs/{_id(number)})")
    return f"| {' | '.join(cells)} | {_venue(number)} | ✅ |"


def _prose(number: int) -> str:
    if number % 9 == 0:
        return ""
    return (
        f"The point of this one is how caches of it are filled, as in https://arxiv.org/abs/{_id(number)}, and\n"
        f"the rest of it is what we talked about at length last week, without any address or name at all."
    )


def _tabs(number: int) -> str:
    end = "\n" if number % 20 == 0 else ""
    return f"https://site-{number % 50}.example.org/posts/{number}?utm_source=x | {_title(number)} - Site{end}"


def _titled(number: int) -> str:
    return f"{_title(number)}\nhttps://arxiv.org/abs/{_id(number)}\n\n"


def _org(number: int) -> str:
    return (
        f"* TODO [[https://arxiv.org/abs/{_id(number)}][{_title(number)}]] :caches:\n"
        f"  :PROPERTIES:\n  :YEAR: 2023\n  :END:\n  some remark of ours about number {number}"
    )


def _bibtex(number: int) -> str:
    return (
        f"@inproceedings{{key{number},\n  title = {{{_title(number)}}},\n  author = {{Person, A. and Other, B.}},\n"
        f"  year = {{2023}},\n  eprint = {{{_id(number)}}},\n  archivePrefix = {{arXiv}},\n}}\n"
    )


def _bibtex_full(number: int) -> str:
    """As digital libraries and reference managers write them, with an abstract: a kilobyte and more."""
    title, doi = _title(number), f"10.1145/{number}.{number + 7}"
    return (
        f"@inproceedings{{key{number},\n  title = {{{title}}},\n"
        f'  author = {{Person{number % 97}, Ada B. and Other, Bob and M{{\\"u}}ller, Carla and Nguyen, Duc}},\n'
        f"  booktitle = {{Proceedings of the {number % 40 + 1}th Symposium on Operating Systems Principles}},\n"
        f"  year = {{{2000 + number % 25}}},\n  month = oct,\n  pages = {{{number}--{number + 15}}},\n"
        f"  publisher = {{Association for Computing Machinery}},\n  address = {{New York, NY, USA}},\n"
        f"  doi = {{{doi}}},\n  url = {{https://doi.org/{doi}}},\n  isbn = {{978-1-4503-{number % 9999:04}-1}},\n"
        f"  abstract = {{We present the design of {title}. It keeps what is read often near to where it is read, moves "
        f"the rest, and recovers from the loss of any machine within {number % 60} seconds. Measurements on "
        f"{number % 500} machines show that it is {number % 9 + 1} times faster than what is used today.}},\n"
        f"  keywords = {{caching, distributed systems, area {number % 60}}},\n}}\n"
    )


def _ris(number: int) -> str:
    doi = f"10.1145/{number}.{number + 7}"
    return f"TY  - CONF\nTI  - {_title(number)}\nAU  - Person, A.\nPY  - 2023\nDO  - {doi}\nER  - \n"


def _csv(number: int) -> str:
    told = f'K{number},preprint,2023,"Person, A.; Other, B.","{_title(number)}",10.1145/{number}.5'
    return f'{told},https://arxiv.org/abs/{_id(number)},2024-01-01,"a; b"'


def _bookmarks(number: int) -> str:
    if number % 50 == 0:
        return f"    </DL><p>\n    <DT><H3>Folder {number // 50}</H3>\n    <DL><p>"
    address = f"https://arxiv.org/abs/{_id(number)}"
    return f'        <DT><A HREF="{address}" ADD_DATE="1695000000" TAGS="a,b">{_title(number)}</A>'


def _cjk(number: int) -> str:
    if number % 12 == 0:
        return f"\n## 第{number}章 分散学習の話\n"
    return f"- 大规模模型的训练与推理，{_title(number)}（https://arxiv.org/abs/{_id(number)}），很值得读。"


def _plain(number: int) -> str:
    return (
        "\n" if number % 6 == 0 else f"some words of a diary that name nothing at all, line {number}, and go on and on"
    )


FORMS: dict[str, tuple[str, Callable[[int], str]]] = {
    "bullets": ("# Papers", _bullet),
    "roles": ("# Papers", _roles),
    "table": ("| Date | Title | Link | Venue | Read |\n|---|---|---|---|---|", _table),
    "prose": ("# Diary", _prose),
    "tabs": ("", _tabs),
    "titled": ("", _titled),
    "org": ("#+TITLE: Papers", _org),
    "bibtex": ("", _bibtex),
    "bibtex_full": ("", _bibtex_full),
    "ris": ("", _ris),
    "csv": ("Key,Item Type,Publication Year,Author,Title,DOI,Url,Date Added,Manual Tags", _csv),
    "bookmarks": ("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Bookmarks</H1>\n<DL><p>\n    <DL><p>", _bookmarks),
    "cjk": ("# 論文", _cjk),
    "plain": ("", _plain),
}
