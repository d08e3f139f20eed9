"""An invented library in which some papers are there twice, spoilt as real ones are. The same for the same seed."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random

from readtrack.library.duplicates.blocking import ComparedPaper, DuplicateCandidate
from readtrack.metadata.types import Ref

_WRITTEN = {
    "qualities": (
        "Adaptive|Scalable|Efficient|Robust|Elastic|Asynchronous|Decentralised|Hierarchical|Speculative"
        "|Sparse|Fault-Tolerant|Energy-Aware|Low-Latency|High-Throughput|Memory-Efficient|Bandwidth-Aware"
        "|Heterogeneous|Multi-Tenant|Locality-Aware|Deadline-Driven|Lock-Free|Verified|Incremental|Provable"
        "|Federated|Quantised|Learned|Disaggregated|Topology-Aware|Cost-Effective|Near-Optimal"
        "|Privacy-Preserving|Serverless|Geo-Distributed|Workload-Aware"
    ),
    "things": (
        "Scheduling|Checkpointing|Caching|Sharding|Replication|Prefetching|Compression|Routing|Placement"
        "|Batching|Offloading|Debugging|Tracing|Recovery|Consensus|Logging|Migration|Load-Balancing|Tiering"
        "|Pipelining|Preemption|Autoscaling|Quantisation|Pruning|Distillation|Decoding|Retrieval|Indexing"
        "|Provisioning|Profiling|Fuzzing|Isolation|Serialisation|Deduplication|Admission-Control"
        "|Congestion-Control|Garbage-Collection|Query-Planning|Gradient-Synchronisation|Kernel-Fusion"
        "|Operator-Placement|Straggler-Mitigation|Failure-Detection|Model-Parallelism"
        "|Tensor-Rematerialisation"
    ),
    "fields": (
        "Large Language Models|Graph Neural Networks|Recommendation Models|Diffusion Transformers"
        "|Mixture-of-Experts Models|Key-Value Stores|GPU Clusters|Persistent Memory|Stream Processing"
        "|Data Centre Networks|Object Storage|Deep Learning Jobs|Serverless Functions"
        "|Reinforcement Learning|Vector Databases|Video Analytics|Edge Devices|Multimodal Agents"
        "|Microservices|Time-Series Databases|Distributed Transactions|Wide-Area Networks|RDMA Fabrics"
        "|File Systems|Sparse Attention|Long-Context Inference|Spot Instances|Programmable Switches"
        "|Genome Assembly|Weather Simulation|Speech Recognition|Search Engines|Blockchain Ledgers"
        "|Satellite Constellations|Robot Fleets|Confidential Computing"
    ),
    "places": (
        "Cloud|Mobile|Hospital|In-Vehicle|Campus|Shared|Orbital|On-Device|Public|Wide-Scale|Banking|Arctic|Industrial"
    ),
    "causes": (
        "Tail Latency|Silent Data Corruption|Stragglers|Fragmentation|Network Jitter|Skewed Workloads"
        "|Node Failures|Cold Starts|Memory Pressure|Hot Spots|Cache Interference|Power Capping|Clock Drift"
        "|Bursty Arrivals|Bit Flips|Stale Replicas"
    ),
    "ends": ("Performance|Utilisation|Goodput|Availability|Fairness|Predictability|Consistency|Energy Proportionality"),
    "generic": "Introduction|Preface|Attention|Distributed Systems|Editorial|A Survey of Deep Learning|Pegasus",
    "parts": "II|III|IV|V|VI|VII|VIII",
    "syllables": ("lo|mi|ra|ve|ku|zen|tor|pil|gar|fex|dra|nim|sol|bri|que|hal|vix|jor|tam|wel|ost|ery|umb|pax|syn|cor"),
    "families": (
        "Wang|Li|Zhang|Liu|Chen|Yang|Huang|Zhao|Wu|Zhou|Xu|Sun|Ma|Zhu|Hu|Guo|He|Lin|Kim|Lee|Park|Choi|Sato"
        "|Suzuki|Tanaka|Yamamoto|Ito|Nakamura|Kumar|Sharma|Gupta|Singh|Patel|Rao|Iyer|Smith|Johnson|Brown"
        "|Miller|Garcia|Martinez|Lopez|Rossi|Ferrari|Müller|Schmidt|Weber|Hoffmann|Novák|Dvořák|Kowalski"
        "|Nowak|Erdős|Nagy|Ivanov|Petrov|Jansen|Visser|Andersson|Nyström|Hansen|Sørensen|Dubois|Lefèvre"
        "|Moreau|Silva|Gonçalves|Yılmaz|Şahin|Okafor|Mensah|Haddad|Cohen|O'Brien"
    ),
    "given": (
        "Wei|Jun|Ming|Hao|Yan|Xin|Lei|Yu|Jie|Min|Hana|Ken|Yuki|Akira|Soo-Jin|Ji-Hoon|Arjun|Priya|Rahul"
        "|Ananya|John|Mary|David|Sarah|Michael|Laura|James|Emily|Carlos|María|José|Lucía|Marco|Giulia"
        "|Jürgen|Anke|Tomáš|Zuzana|Piotr|Agnieszka|Dmitri|Olga|Lars|Ingrid|Søren|Élodie|François|João|Ayşe"
        "|Emre|Chidi|Ama|Omar|Noa|Siobhán|Xiaoming|Zhiyuan|Yifan"
    ),
    "cjk qualities": (
        "高効率な|適応的な|分散型|階層的な|耐故障性を持つ|低遅延の|省電力な|面向大规模集群的|弹性|异步"
        "|可扩展的|基于学习的"
    ),
    "cjk things": (
        "スケジューリング|チェックポイント|キャッシュ管理|通信圧縮|負荷分散|障害復旧|推論基盤|資源割り当て"
        "|並列学習|调度方法|缓存管理|容错训练|梯度压缩|流水线并行|显存优化|故障诊断|推理加速|数据分片"
        "|日志分析"
    ),
    "cjk fields": (
        "大規模言語モデル|画像認識|検索エンジン|自動運転|音声対話|气象预报|推荐系统|大语言模型|图神经网络"
        "|联邦学习|边缘计算|数据库"
    ),
    "cjk families": "山田|鈴木|佐藤|高橋|田中|渡辺|伊藤|中村|小林|加藤|王|李|张|刘|陈|杨|赵|黄|周|吴|徐|孙",
    "cjk given": "花子|一郎|健|美咲|翔|直樹|葵|大輔|结衣|健太|伟|娜|敏|洋|静|帆|磊|丽|杰|昊|子涵|志远|雨桐|建国",
}
_WORDS = {name: written.split("|") for name, written in _WRITTEN.items()}
_OTHER_FORM = {"efficient": "effective", "scalable": "large-scale", "robust": "reliable", "adaptive": "dynamic"} | {
    "towards": "toward",
    "for": "in",
    "with": "through",
    "using": "via",
    "under": "despite",
    "improving": "raising",
}
_NAMED = re.compile(r"^[A-Za-z]+: ")
_VARIANTS = str.maketrans("练调显优图习压负", "練調顯優圖習壓負")


@dataclass
class Library:
    """Papers, and the number of the work that each is (in the same order): copies have that of their original."""

    papers: list[ComparedPaper] = field(default_factory=list)
    works: list[int] = field(default_factory=list)

    def add(self, paper: ComparedPaper, *, copy_of: ComparedPaper | None = None) -> ComparedPaper:
        number = len(self.papers) + 1
        self.papers.append(replace(paper, id=number))
        self.works.append(self.works[copy_of.id - 1] if copy_of else number)
        return self.papers[-1]

    def spoil(self, random: Random, papers: Iterable[ComparedPaper]) -> None:
        """Adds a copy of each, as another hand or another index would have written it."""
        for paper in papers:
            self.add(random.choice(_HANDS)(random, paper), copy_of=paper)

    def twice(self) -> set[tuple[int, int]]:
        """All pairs that are one work."""
        together = defaultdict(list)
        for paper, work in zip(self.papers, self.works, strict=True):
            together[work].append(paper.id)
        return {pair for same in together.values() for pair in combinations(same, 2)}

    def measured(self, found: Iterable[DuplicateCandidate]) -> tuple[float, float]:
        """Recall and precision."""
        pairs, right = {(pair.one, pair.other) for pair in found}, self.twice()
        return len(pairs & right) / len(right), len(pairs & right) / max(1, len(pairs))


def library(papers: int, *, seed: int, share: float = 0.03) -> Library:
    """So many papers, of which this share are copies of others."""
    random, made = Random(seed), Library()
    groups = [_people(random, 9) for _ in range(max(3, papers // 8))]
    copies = round(papers * share)
    while len(made.papers) < papers - copies:
        made.add(invented(random, random.choice(groups), made.papers))
    made.spoil(random, random.sample(made.papers, copies))
    return made


def invented(random: Random, group: Sequence[str], before: Sequence[ComparedPaper]) -> ComparedPaper:
    """A paper of this group; some are the hard ones: namesakes, sequels, titles that many works have."""
    year, authors = random.randint(2008, 2026), tuple(random.sample(group, random.randint(1, 7)))
    if " " not in group[0]:
        return ComparedPaper(0, _cjk_title(random), authors, year, refs=_refs(random, year))
    paper = ComparedPaper(0, _title(random), authors, year, refs=_refs(random, year))
    chance = random.random()
    if chance < 0.01:
        return replace(paper, title=_pick(random, "generic"))
    named = [
        known
        for known in random.sample(before, min(9, len(before)))
        if _NAMED.match(known.title) and "Part" not in known.title
    ]
    if named and chance < 0.06:
        return _namesake(paper, named[0])
    if named and chance < 0.10:
        return _sequel(random, named[0])
    return paper


def _namesake(paper: ComparedPaper, known: ComparedPaper) -> ComparedPaper:
    """Another system of other people under a name that is taken."""
    name, rest = known.title.partition(": ")[0], paper.title.partition(": ")[2] or paper.title
    return replace(paper, title=f"{name}: {rest}")


def _sequel(random: Random, known: ComparedPaper) -> ComparedPaper:
    """The same people go on: a second part, the same system for something else, another system in the same field."""
    year = (known.year or 2020) + random.randint(0, 2)
    name, _, rest = known.title.partition(": ")
    quality, thing = _pick(random, "qualities"), _pick(random, "things")
    titles = (
        f"{known.title}, Part {_pick(random, 'parts')}",
        f"{name}: {_title(random)}",
        f"{_name(random)}: {quality} {thing}{rest[rest.find(' for ') :]}",
    )
    return replace(known, title=random.choice(titles), year=year, refs=_refs(random, year))


def _title(random: Random) -> str:
    quality, thing, other = _pick(random, "qualities"), *random.sample(_WORDS["things"], 2)
    where = f"{_pick(random, 'places')} {_pick(random, 'fields')}".strip()
    cause, end = _pick(random, "causes"), _pick(random, "ends")
    said = random.choice(
        [
            f"{quality} {thing} for {where} with {_pick(random, 'qualities')} {other}",
            f"{quality} {thing} and {other} in {where} under {cause}",
            f"Improving {end} of {where} with {quality} {thing} and {other}",
            f"Towards {quality} {thing} for {where} despite {cause} and {_pick(random, 'causes')}",
            f"Understanding {cause} in {where}: A Study of {thing} and {other}",
            f"On the {end} of {thing} in {where} under {cause}",
            f"Taming {cause} of {where} using {thing} and {other}",
            f"A Survey of {thing} for {where} facing {cause}",
        ]
    ).replace("-", random.choice(["-", "-", " "]))
    return f"{_name(random)}: {said}" if random.random() < 0.5 and ":" not in said else said


def _cjk_title(random: Random) -> str:
    quality, thing, where = (_pick(random, f"cjk {words}") for words in ("qualities", "things", "fields"))
    end = random.choice(["の設計と評価", "に関する研究", "：実運用の経験", "研究", "综述", "设计与实现"])
    return f"{where}における{quality}{thing}{end} {_pick(random, 'syllables')}{_pick(random, 'syllables')}"


def _name(random: Random) -> str:
    return "".join(random.choices(_WORDS["syllables"], k=random.randint(2, 3))).capitalize()


def _pick(random: Random, words: str) -> str:
    return random.choice(_WORDS[words])


def _people(random: Random, number: int) -> list[str]:
    if random.random() < 0.12:
        return [_pick(random, "cjk families") + _pick(random, "cjk given") for _ in range(number)]
    return [f"{_pick(random, 'given')} {_pick(random, 'families')}" for _ in range(number)]


def _refs(random: Random, year: int) -> tuple[Ref, ...]:
    preprint, published = _arxiv(random, year), Ref("doi", f"10.1145/{year}.{random.randint(10**6, 10**7)}")
    return random.choice([(), (preprint,), (preprint,), (published,), (preprint, published)])


def _arxiv(random: Random, year: int) -> Ref:
    return Ref("arxiv", f"{year % 100:02}{random.randint(1, 12):02}.{random.randint(0, 99999):05}")


# How others write a title


def _cut(random: Random, title: str) -> str:
    least = min(len(title), 12 if not title.isascii() else 34)
    return title[: random.randint(least, max(least, len(title) - 4))].rstrip() + random.choice(["…", "...", ""])


def _without_subtitle(_random: Random, title: str) -> str:
    head, _, rest = title.partition(": ")
    return rest if rest and " " not in head else head


def _in_other_case(random: Random, title: str) -> str:
    return random.choice([str.upper, str.lower, str.capitalize])(title)


def _mistyped(random: Random, title: str) -> str:
    letters = list(title)
    for _ in range(random.randint(1, 2)):
        at = random.randrange(len(letters) - 1)
        letters[at : at + 2] = random.choice([letters[at : at + 1], letters[at : at + 2][::-1], ["e", letters[at + 1]]])
    return "".join(letters)


def _in_markup(random: Random, title: str) -> str:
    words = title.split(" ")
    at = random.randrange(len(words))
    word = words[at]
    words[at] = random.choice(
        [f"<i>{word}</i>", f"\\textit{{{word}}}", f"{{{word[:1]}}}{word[1:]}", f"$\\textbf{{{word}}}$"]
    )
    return " ".join(words).replace(" and ", random.choice([" and ", " &amp; ", " \\& "]))


def _in_other_width(random: Random, title: str) -> str:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in title)
    return random.choice([wide, title.replace(":", "："), title.replace("-", " "), title.replace(" ", "\u3000")])


def _in_variants(_random: Random, title: str) -> str:
    return title.translate(_VARIANTS).replace("の", "之", 1)


def _reworded(random: Random, title: str) -> str:
    """As titles change between the preprint and its publication."""
    words = [_OTHER_FORM.get(word.lower(), word) if random.random() < 0.7 else word for word in title.split(" ")]
    return random.choice(
        [
            " ".join(words),
            " ".join(words).replace(" for ", f" and {_pick(random, 'things')} for "),
            re.sub(
                r"^(\w+: )?",
                lambda found: (found[1] or "") + random.choice(["Towards ", "Practical ", ""]),
                " ".join(words),
            ),
            _NAMED.sub(f"{_name(random)}: ", title),
            f"{title.partition(': ')[0]}: {' '.join(words[:1:-1])}" if ": " in title else " ".join(words),
        ]
    )


# How others write people


def _with_initials(name: str) -> str:
    given, _, family = name.rpartition(" ")
    return f"{given[:1]}. {family}" if given else name


def _family_first(name: str) -> str:
    given, _, family = name.rpartition(" ")
    return f"{family}, {given}" if given else name


def _without_accents(name: str) -> str:
    return name.translate(str.maketrans("üřáőöøèçıŞíéñã", "uraoooeciSiena"))


def _in_latex(name: str) -> str:
    return (
        name.replace("ü", '{\\"u}')
        .replace("á", "\\'a")
        .replace("ř", "\\v{r}")
        .replace("ø", "{\\o}")
        .replace("é", "\\'{e}")
    )


_NAMES: Sequence[Callable[[str], str]] = (str, _with_initials, _family_first, _without_accents, _in_latex)


def _people_of(random: Random, authors: tuple[str, ...]) -> tuple[str, ...]:
    written = [random.choice(_NAMES)] * len(authors)
    people = [form(name) for form, name in zip(written, authors, strict=True)]
    if len(people) > 2 and random.random() < 0.2:
        people = random.choice([people[:2], people[:-1], [people[1], people[0], *people[2:]], [people[0], "et al."]])
    return tuple(people)


# Who wrote the copy


def _typed(random: Random, paper: ComparedPaper) -> ComparedPaper:
    """A person, into notes: the title as remembered, seldom more."""
    way = random.choice([_cut, _without_subtitle, _in_other_case, _mistyped, _in_other_width, _cut])
    authors = random.choice([(), (), paper.authors[:1], _people_of(random, paper.authors)])
    if way is _without_subtitle and len(paper.title.partition(": ")[0].split()) < 3:
        authors = paper.authors[:1]
    if len(paper.title.split()) < 4 and paper.title.isascii():
        authors, way = paper.authors, _in_other_case
    return replace(paper, title=way(random, paper.title), authors=authors, year=None, kind="paper", refs=())


def _indexed(random: Random, paper: ComparedPaper) -> ComparedPaper:
    """An index: markup, case, initials, another year, another identifier."""
    title = paper.title
    for way in random.sample([_in_other_case, _in_markup, _mistyped, _in_other_width, _in_variants], 2):
        title = way(random, title)
    return replace(
        paper,
        title=title,
        authors=_people_of(random, paper.authors),
        year=random.choice([None, paper.year, (paper.year or 0) + random.choice([-1, 1])]),
        kind=random.choice(["paper", "paper", "page"]),
        refs=(Ref("url", f"https://example.org/{random.randrange(10**9)}"),),
    )


def _published(random: Random, paper: ComparedPaper) -> ComparedPaper:
    """The publisher, of what was a preprint; or the other way round."""
    was_preprint = any(ref.scheme == "arxiv" for ref in paper.refs)
    year = (paper.year or 0) + random.choice([0, 0, 1, -1])
    ref = Ref("doi", f"10.1109/{random.randrange(10**8)}") if was_preprint else _arxiv(random, year)
    if any(known.scheme == ref.scheme for known in paper.refs):
        return replace(paper, year=year, authors=_people_of(random, paper.authors), refs=(ref,))
    title = _reworded(random, paper.title) if len(paper.title.split()) > 3 else paper.title
    return replace(paper, title=title, authors=_people_of(random, paper.authors), year=year, refs=(ref,))


_HANDS = (_typed, _indexed, _published)
