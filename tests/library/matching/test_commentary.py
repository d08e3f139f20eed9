"""Which paper the title of an article or a talk names: many real forms, and as many that name none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.library.matching.commentary import DiscussedWork, find_discussed_work

WHOLE = {
    "精读《GPT4 Technical Report》": "GPT4 Technical Report",
    "论文阅读: ZeRO-Offload: Democratizing Billion-Scale Model Training": (
        "ZeRO-Offload: Democratizing Billion-Scale Model Training"
    ),
    "论文阅读: ZeRO-Offload: Democratizing Billion-Scale Model Training - 知乎": (
        "ZeRO-Offload: Democratizing Billion-Scale Model Training"
    ),
    "【论文阅读】FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness": (
        "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness"
    ),
    "Paper notes: Attention Is All You Need": "Attention Is All You Need",
    "「Attention Is All You Need」を読んだ": "Attention Is All You Need",
    "Attention Is All You Need（Transformer）论文精读【论文精读】": "Attention Is All You Need",
    "(26条消息) [论文阅读笔记17]A Survey on Knowledge Graph-Based Recommender Systems_happy的博客-CSDN博客": (
        "A Survey on Knowledge Graph-Based Recommender Systems"
    ),
    "论文笔记 | MegaScale: Scaling Large Language Model Training to More Than 10,000 GPUs": (
        "MegaScale: Scaling Large Language Model Training to More Than 10,000 GPUs"
    ),
    "[Paper Review] GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism": (
        "GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism"
    ),
    "【論文紹介】Just-in-Time Checkpointing: Low Cost Error Recovery from Deep Learning Training Failures": (
        "Just-in-Time Checkpointing: Low Cost Error Recovery from Deep Learning Training Failures"
    ),
    "論文読み: Ring Attention with Blockwise Transformers for Near-Infinite Context": (
        "Ring Attention with Blockwise Transformers for Near-Infinite Context"
    ),
    "DeepSeek-V3 Technical Report 论文精读": "DeepSeek-V3 Technical Report",
    "读论文《In Search of an Understandable Consensus Algorithm》": (
        "In Search of an Understandable Consensus Algorithm"
    ),
    "论文精读：Llama 2: Open Foundation and Fine-Tuned Chat Models【论文精读】": (
        "Llama 2: Open Foundation and Fine-Tuned Chat Models"
    ),
    "PyTorch FSDP 论文: Experiences on Scaling Fully Sharded Data Parallel": (
        "Experiences on Scaling Fully Sharded Data Parallel"
    ),
}
AT_A_VENUE = {
    "[SIGCOMM'24] RDMA over Ethernet for Distributed AI Training at Meta Scale": (
        DiscussedWork("RDMA over Ethernet for Distributed AI Training at Meta Scale", "SIGCOMM", 2024)
    ),
    "【OSDI'23】AlpaServe: Statistical Multiplexing with Model Parallelism for Deep Learning Serving": DiscussedWork(
        "AlpaServe: Statistical Multiplexing with Model Parallelism for Deep Learning Serving", "OSDI", 2023
    ),
    "NSDI '24 - Characterization of Large Language Model Development in the Datacenter": (
        DiscussedWork("Characterization of Large Language Model Development in the Datacenter", "NSDI", 2024)
    ),
    "OSDI 24 DistServe论文": DiscussedWork("DistServe", "OSDI", 2024, by_name=True),
    "NSDI24 Parcae：命运女神的智驭，驯服抢占实例，优化DNN训练，吞吐飙升10倍": (
        DiscussedWork("Parcae", "NSDI", 2024, by_name=True)
    ),
    "RecSys 2020论文解读-PURS模型-提升推荐新颖性": DiscussedWork("PURS", "RecSys", 2020, by_name=True),
    "ATC'21 ZeRO-Offload 阅读笔记": DiscussedWork("ZeRO-Offload", "ATC", 2021, by_name=True),
    "SOSP'23 vLLM: 大模型推理": DiscussedWork("vLLM", "SOSP", 2023, by_name=True),
}
BY_NAME = {
    "ZeRO-Offload論文解説": "ZeRO-Offload",
    "MegaScale 论文阅读笔记": "MegaScale",
    "FlashAttention-2 论文精读": "FlashAttention-2",
    "The FlashAttention paper explained": "FlashAttention",
    "DistServe论文解读：解耦prefill和decode": "DistServe",
}
NOTHING = (
    "万卡 GPU 集群互联：硬件配置和网络设计",
    "万卡 GPU 集群实战：探索 LLM 预训练的挑战",
    "PyTorch 分散学習入門",
    "阿里 C4：通信驱动加速大规模并行训练效率",
    "NSDI 2024 大型语言模型负载特征分析",
    "NSDI 2024 参会评述随笔 - 知乎",
    "LangChain: 大语言模型的新篇章",
    "cute 之 高效GEMM实现",
    "Project xDiT: 打造DiT并行推理的vLLM",
    "DiT并行推理引擎-xDiT的设计哲学",
    "序列并行做大模型训练，你需要知道的六件事",
    "论文解读系列第十六篇：IJCAI 2021--跨域推荐（Cross-Domain Recommendation）的最新综述",
    "KDD 21 工业界搜推广nlp论文整理",
    "Recsys2021 | 推荐系统论文分类整理和导读",
    "推荐系统工业界顶会论文总结——RecSys 2021",
    "Paper Reading:推荐系统评价指标综述",
    "【学习笔记】如何理解Raft中的ReadIndex？",
    "深度学习论文笔记（PyTorch）",
    "大模型论文阅读：Transformer",
    "GPT，GPT-2，GPT-3 论文精读【论文精读】",
    "2023年の論文まとめ",
    "如何阅读一篇论文",
    "EuroSys'24 论文列表",
    "Raft 论文翻译：寻找一种易于理解的一致性算法",
    "MLSys 2024 Best Paper: 大模型",
    "[MLSys'23] 论文速览",
    "arXiv 2024 论文速递",
    "vLLM 源码解析",
    "ICML 2023 Tutorial",
    "ACL 2023 论文分享会",
    "OSDI 2024 Keynote",
    "NeurIPS 2022 オンライン勉強会",
    "relational debugging",
    "",
    "论文",
    "《》",
)
PERHAPS_HERE = (
    "Reducing Model Checkpointing Times by Over 10x with PyTorch Distributed Asynchronous Checkpointing",
    "Lecture 5 - Automatic Differentiation Implementation",
)


@pytest.mark.parametrize(("title", "work"), WHOLE.items())
def test_a_title_that_says_it_is_about_a_paper_contains_the_full_title(title, work):
    assert find_discussed_work(title) == DiscussedWork(work)


@pytest.mark.parametrize(("title", "work"), AT_A_VENUE.items())
def test_a_title_with_a_venue_and_its_year_identifies_the_paper_there(title, work):
    assert find_discussed_work(title) == work


@pytest.mark.parametrize(("title", "name"), BY_NAME.items())
def test_the_only_name_next_to_the_word_paper_is_the_systems_name(title, name):
    assert find_discussed_work(title) == DiscussedWork(name, by_name=True)


@pytest.mark.parametrize("title", NOTHING)
def test_a_title_about_no_paper_or_several_gives_none(title):
    assert find_discussed_work(title) is None


@pytest.mark.parametrize("title", PERHAPS_HERE)
def test_a_title_that_does_not_say_so_can_only_match_a_paper_in_the_library(title):
    assert find_discussed_work(title) == DiscussedWork(title, is_explicit=False)


@pytest.mark.parametrize("end", ["…", "..."])
def test_a_truncated_title_is_treated_as_a_prefix(end):
    found = find_discussed_work(f"【论文阅读】FlashAttention: Fast and Memory-Efficient{end}")
    assert found == DiscussedWork("FlashAttention: Fast and Memory-Efficient", is_truncated=True)


@given(st.text(alphabet="论文精读《》【】「」Ab1 :-'…解説OSDI24", max_size=120))
def test_any_text_gives_one_work_or_none(text):
    found = find_discussed_work(text)
    assert found is None or found.title.strip()
