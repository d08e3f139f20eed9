"""Invented titles, authors and abstracts in three languages; the same for the same random numbers. Pure."""

from random import Random
from typing import NamedTuple

COMMON = "training"  # in about two papers of five
RARE = "quicksilver"  # in one of RARE_ONE_IN
RARE_ONE_IN = 2_500
PAIR = "通信"  # two characters, found as a bigram

_SPOKEN = {
    "en": """pipeline parallel attention memory checkpoint elastic scheduler tensor sparse expert cache inference
        latency throughput failure recovery network compiler gradient optimizer sharding offload quantised decoding
        cluster placement fairness trace straggler communication collective topology bandwidth diffusion multimodal long
        context sequence micro batch bubble schedule cost energy storage streaming replay graph kernel fusion""",
    "ja": "分散学習 推論 高速化 通信 障害 復旧 並列 計算 資源 配置 遅延 圧縮 記憶 階層 評価 設計 手法 大規模 モデル",
    "zh": """分布式 训练 推理 通信 容错 调度 显存 优化 流水线 检查点 吞吐 系统 集群 模型 大规模 方法 研究 稀疏 专家""",
    "given": "Ada Ben Chen Dara Emi Farid Goro Hana Ivo Jun Kofi Lena Mei Nour Oto Priya Qiu Rosa Sato Tala",
    "family": "Abe Brandt Costa Dai Endo Fuchs Garcia Huang Ito Jansen Kim Lund Mori Nkosi Okada Pham Rossi Sun Wu",
}
_WORDS = {name: text.split() for name, text in _SPOKEN.items()}


class Invented(NamedTuple):
    title: str
    authors: list[str]
    abstract: str
    language: str


def invented(random: Random, number: int) -> Invented:
    """The paper of that number."""
    language = random.choices(("en", "ja", "zh"), (6, 2, 2))[0]
    authors = [
        f"{random.choice(_WORDS['given'])} {random.choice(_WORDS['family'])}" for _ in range(random.randint(1, 8))
    ]
    rare = f" {RARE}" if number % RARE_ONE_IN == 0 else ""
    abstract = f"{_sentence(random, 90)}{rare}. {COMMON if random.random() < 0.3 else ''}"
    return Invented(_title(random, language, number), authors, abstract, language)


def _title(random: Random, language: str, number: int) -> str:
    if language == "en":
        said = _sentence(random, random.randint(4, 9)).title()
        return f"{said} for {COMMON.title()} {number}" if random.random() < 0.2 else f"{said} {number}"
    joint = "の" if language == "ja" else ""
    return joint.join(random.sample(_WORDS[language], 4)) + f" {number}"


def _sentence(random: Random, words: int) -> str:
    return " ".join(random.choices(_WORDS["en"], k=words))
