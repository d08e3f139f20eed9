"""Topic aliases in two languages: `分散学習 (Distributed Training)`, or 训练 and later Training.

They are offered to the user but not applied.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS
from readtrack.ingest.parser.entry import ParsedEntry

_LATIN = re.compile("[A-Za-z]{2}")
_TWO = re.compile(
    r"(?P<one>[^()（）/／|｜]{2,80}?)\s*(?:[(（](?P<inner>[^()（）]{2,80})[)）]|[/／|｜]\s*(?P<other>[^()（）/／|｜]{2,80}))"
)
_SIDE_BY_SIDE = re.compile(
    rf"(?P<one>[{CJK_LETTERS}・ー]{{2,40}})[\s:：—–-]+(?P<other>[A-Za-z][A-Za-z &/'-]{{3,80}})|"
    rf"(?P<latin>[A-Za-z][A-Za-z &/'-]{{3,80}}?)[\s:：—–-]+(?P<cjk>[{CJK_LETTERS}・ー]{{2,40}})",
)
# One subject per line: English first, then Japanese and Chinese names.
_SAME = """
training | 訓練 | 学習 | 训练
distributed training | 分散学習 | 分散训练 | 分布式训练
inference | 推論 | 推理
serving | サービング | 推論サービング | 服务 | 推理服务
parallelism | 並列化 | 并行 | 并行策略
data parallelism | データ並列 | 数据并行
tensor parallelism | テンソル並列 | 张量并行
pipeline parallelism | パイプライン並列 | 流水线并行 | 流水并行
sequence parallelism | シーケンス並列 | 序列并行
scheduling | スケジューリング | 调度
communication | 通信
networking | network | networks | ネットワーク | 网络
storage | ストレージ | 存储
memory | メモリ | メモリー | 内存 | 显存
cache | caching | キャッシュ | 缓存
checkpoint | checkpointing | チェックポイント | 检查点
fault tolerance | 耐障害性 | 障害耐性 | 容错
quantization | 量子化 | 量化
pruning | 枝刈り | プルーニング | 剪枝
compression | model compression | 圧縮 | モデル圧縮 | 压缩 | 模型压缩
distillation | knowledge distillation | 蒸留 | 知識蒸留 | 蒸馏 | 知识蒸馏
compiler | compilers | コンパイラ | 编译器
operating systems | operating system | オペレーティングシステム | 操作系统
database | databases | データベース | 数据库
distributed systems | distributed system | 分散システム | 分布式系统
machine learning | 機械学習 | 机器学习
deep learning | 深層学習 | ディープラーニング | 深度学习
reinforcement learning | 強化学習 | 强化学习
large language models | large language model | llm | llms | 大規模言語モデル | 大语言模型 | 大模型
language models | 言語モデル | 语言模型
recommendation | recommender systems | recommendation systems | 推薦 | 推薦システム | 推荐系统 | 推荐
computer vision | コンピュータビジョン | 画像認識 | 计算机视觉
natural language processing | nlp | 自然言語処理 | 自然语言处理
graph neural networks | graph neural network | gnn | グラフニューラルネットワーク | 图神经网络
optimization | 最適化 | 优化
evaluation | 評価 | 评估 | 评测
benchmark | benchmarks | ベンチマーク | 基准测试
dataset | datasets | データセット | 数据集
survey | surveys | サーベイ | 综述
security | セキュリティ | 安全
privacy | プライバシー | 隐私
federated learning | 連合学習 | 联邦学习
speech recognition | 音声認識 | 语音识别
image generation | 画像生成 | 图像生成
diffusion models | diffusion model | 拡散モデル | 扩散模型
attention | 注意機構 | アテンション | 注意力 | 注意力机制
mixture of experts | moe | 混合専門家 | 混合专家
retrieval augmented generation | retrieval-augmented generation | rag | 検索拡張生成 | 检索增强生成
rlhf | reinforcement learning from human feedback
prompting | prompt engineering | プロンプトエンジニアリング | 提示工程
fine-tuning | finetuning | fine tuning | ファインチューニング | 微调
pretraining | pre-training | 事前学習 | 预训练
kv cache | kv caching | kvキャッシュ | kv缓存
speculative decoding | 投機的デコーディング | 投机解码
embeddings | embedding | 埋め込み | 嵌入
transformers | transformer | トランスフォーマー
agents | agent | エージェント | 智能体
multimodal | マルチモーダル | 多模态
robotics | ロボット | 机器人
cloud computing | クラウド | 云计算
hardware | ハードウェア | 硬件
software engineering | ソフトウェア工学 | 软件工程
programming languages | プログラミング言語 | 编程语言
architecture | アーキテクチャ | 架构 | 体系结构
time series | 時系列 | 时间序列
causal inference | 因果推論 | 因果推断
"""


def _squeeze_name(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


_SUBJECT = {
    _squeeze_name(name): number for number, line in enumerate(_SAME.strip().splitlines()) for name in line.split("|")
}


def is_known_subject(name: str) -> bool:
    """Return True for the name of a subject of research, which is no name of a work."""
    return _squeeze_name(name) in _SUBJECT


def mark_aliases(entries: Iterable[ParsedEntry]) -> list[ParsedEntry]:
    """Add possible aliases to topic entries. An earlier name is offered to the later topic."""
    titles_by_subject: dict[int, dict[str, str]] = {}
    return [
        _offer_aliases(entry, titles_by_subject) if entry.kind == "topic" and entry.title else entry
        for entry in entries
    ]


def names_in(heading: str) -> tuple[str, ...]:
    """Return both names of a heading with one CJK and one Latin name, otherwise ()."""
    two_match, side_match = _TWO.fullmatch(heading), _SIDE_BY_SIDE.fullmatch(heading)
    match = two_match or side_match
    names = [name.strip() for name in match.groups() if name] if match else []
    if not two_match and not any(_squeeze_name(name) in _SUBJECT for name in names):  # "Megatron 的实现" is one name
        return ()
    if bool(CJK.search(names[0])) == bool(CJK.search(names[1])):
        return ()
    latin = names[1] if CJK.search(names[0]) else names[0]
    return tuple(names) if _LATIN.search(latin) else ()


def _offer_aliases(entry: ParsedEntry, titles_by_subject: dict[int, dict[str, str]]) -> ParsedEntry:
    names = names_in(entry.title)
    aliases = dict.fromkeys(names)
    for name in names or (entry.title,):
        subject = _SUBJECT.get(_squeeze_name(name))
        if subject is not None:
            titles = titles_by_subject.setdefault(subject, {})
            aliases |= dict.fromkeys(title for key, title in titles.items() if key != _squeeze_name(entry.title))
            titles.setdefault(_squeeze_name(entry.title), entry.title)
    return replace(entry, aliases=tuple(aliases)) if aliases else entry
