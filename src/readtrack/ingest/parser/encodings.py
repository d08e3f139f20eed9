"""Decoding of notes. Never raises: undecodable bytes become replacement characters.

The encoding is detected by the most frequent characters of papers and notes in each.
"""

import codecs
import re
from collections.abc import Iterator
from typing import IO

_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小"
    "部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回"
    "特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指"
    "克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔读论文模型"
    "训练推优化算法网络学习数据系统并行缓存调度显内存语言视觉图像注意机制深度强注释链接参考资料综述评测参数梯度分布式通信集群服务异构编译器存储容错检查稀疏量化压缩蒸馏微调预生成检索增智体"
    "写阅览总结章节篇版源码库载组合周末补充记录未完待续专栏博客问答怎吗呢吧"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她"
    "本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次"
    "度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展"
    "馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運筆讀模型訓練推優化演算網路學習資料系統平行快"
    "取排程記憶語言視覺圖像注意機制深度參考連結綜述評測參數梯度分散式通訊叢集服務編譯器儲存容錯檢查點嗎呢吧"
)
_JAPANESE = (
    "日一人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会国同事自社発者地業方新"
    "場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住無真有口少町料工建空急止送切転研足究楽起着店病質待試"
    "族銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢論訓練推並列最適化分散機械深層量子圧縮調査要約手法提案実装"
    "性能比較評価参考資料記録整理内部構造仕組確認設定環境結果方式処理並列通信集約層単位状態計算資源割当障害耐検査点保存復元連続遅延帯域接続線形関数表現次元系列型数値精解説紹介関連違対応向直感例題"
    "込取決定選択必要良点入力出力全部的化場合現在特徴情報技術"
)
_KOREAN = (
    "이다의는에고하을가은로기지사한어나를시아있들인대것자서과해그도일리정전수안스게장주부여제상소우보만라위성원국등년구적조무공화으와신물요유생학관동모경면선문연중분때없오방말계내되비세마같실러체거교론"
    "논습산습량델추훈련처병렬형규모언처리음악더할습니까네며까진된던됩목록읽링크메최환징표발재결단치작간각강개건검격결차통트타테토파프포호회후히"
)
_MATHEMATICS = "×÷±≤≥≠∞∑√αβγδεθλμπστφω°"

FREQUENT = {
    "gb18030": frozenset(_SIMPLIFIED + _MATHEMATICS),
    "big5": frozenset(_TRADITIONAL + _MATHEMATICS),
    "cp932": frozenset(_JAPANESE + _MATHEMATICS),
    "euc_jp": frozenset(_JAPANESE + _MATHEMATICS),
    "cp949": frozenset(_KOREAN + _MATHEMATICS),
    "": frozenset(_SIMPLIFIED + _TRADITIONAL + _JAPANESE + _KOREAN),
}


_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 65_536
_PIECE_BYTES = 262_144
_ESCAPES = (b"\x1b$@", b"\x1b$B", b"\x1b(J", b"\x1b$(D")  # shift sequences of ISO-2022-JP
# Most common first: it wins if two encodings fit equally well.
_CANDIDATES = ("gb18030", "cp932", "euc_jp", "big5", "cp949")
_WITHOUT_MARK = ("utf-16-le", "utf-16-be")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_LONE_BYTES = 0.8
_RARE = re.compile("[\u0080-\u009f\ue000-\uf8ff\uff61-\uff9f\u0400-\u04ff\u2500-\u257f\U00010000-\U0010ffff]")
_WIDE = re.compile("[^\x00-\x7f]")
_MARKS = frozenset("、。，！？：；（）「」『』【】《》“”・ー〜～…　—％／＋＝＆｜←→①②③④⑤")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HAN = re.compile("[\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_WITHOUT_KANA = frozenset({"gb18030", "big5", "cp949"})  # encodings that include kana but are not used for Japanese
_COMMON, _KNOWN_LETTER, _RARE_LETTER = 1.0, 0.25, -1.0
_GOOD_ENOUGH = 0.5


def decode(data: bytes) -> str:
    """Decode UTF-8, UTF-16 or UTF-32, else the most likely East Asian encoding."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            body = data[len(mark) :] if encoding == "utf-8" else data
            return body.decode(encoding, errors="replace")
    for guess in (_unmarked_utf16(data), _escaped(data), "utf-8", *_legacy(data)):
        text = _strict(data, guess)
        if text is not None:
            return text
    return "".join(map(_decode_line, data.splitlines(keepends=True)))


def _decode_line(line: bytes) -> str:
    """Decode a line of a text in several encodings. Bytes that make no sense become replacement characters."""
    text = _strict(line, "utf-8")
    if text is None:
        guesses = ((guess, _strict(line, guess)) for guess in _legacy(line)[:1])
        text = next((text for guess, text in guesses if text and _is_plausible(text, guess)), None)
    return line.decode("utf-8", errors="replace") if text is None else text


def _is_plausible(text: str, encoding: str) -> bool:
    return encoding == "cp1252" or _sense(text, encoding) > _GOOD_ENOUGH


def detect(file: IO[bytes], size: int) -> str:
    """Return the encoding of a file of `size` bytes as `decode` would choose it, without reading it at once."""
    file.seek(0)
    sample = file.read(min(size, 8 * _SAMPLE_BYTES))
    mark = next((encoding for mark, encoding in _BOMS if sample.startswith(mark)), "")
    if mark:
        return "utf-8-sig" if mark == "utf-8" else mark
    even_sample = sample[: len(sample) - len(sample) % 2] if size % 2 == 0 else b"x"
    guesses = (_unmarked_utf16(even_sample), _escaped(sample), "utf-8", *_legacy(sample))
    return next((guess for guess in guesses if guess and _can_decode(file, guess)), "utf-8")


def read_pieces(file: IO[bytes], encoding: str) -> Iterator[str]:
    """Yield the text of a file in pieces. Undecodable bytes become replacement characters."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    file.seek(0)
    while data := file.read(_PIECE_BYTES):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def _can_decode(file: IO[bytes], encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    file.seek(0)
    try:
        while data := file.read(_PIECE_BYTES):
            decoder.decode(data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_utf16(data: bytes) -> str:
    """Return the UTF-16 variant of data without a byte order mark, or "".

    Latin text has a NUL in every other byte, CJK text one in each line end and space.
    """
    sample = data[:_SAMPLE_BYTES]
    if len(data) % 2 or not sample:
        return ""
    half, even, odd = len(sample) / 2, sample[::2].count(0), sample[1::2].count(0)
    guess = "utf-16-le" if odd > even else "utf-16-be"
    if max(even, odd) > half * 0.6:
        return guess
    return guess if even + odd and _makes_sense(sample, guess) else ""


def _makes_sense(sample: bytes, encoding: str) -> bool:
    return (_score(sample, encoding) or 0.0) > _GOOD_ENOUGH


def _escaped(data: bytes) -> str:
    return "iso2022_jp_ext" if any(escape in data[:_SAMPLE_BYTES] for escape in _ESCAPES) else ""


def _legacy(data: bytes) -> list[str]:
    high_lines = b"\n".join(line for line in data[: 8 * _SAMPLE_BYTES].splitlines() if not line.isascii())[
        :_SAMPLE_BYTES
    ]
    scores = [(score, name) for name in _CANDIDATES if (score := _score(high_lines, name)) is not None]
    scores += [(score, name) for name in _WITHOUT_MARK if (score := _wide_score(data, name)) > _GOOD_ENOUGH]
    ranking = [name for _, name in sorted(scores, key=lambda pair: -pair[0])]
    runs = _HIGH_RUN.findall(high_lines)
    has_lone_bytes = bool(runs) and sum(len(run) == 1 for run in runs) / len(runs) >= _LONE_BYTES
    if has_lone_bytes and max((score for score, _ in scores), default=0.0) < _COMMON / 2:
        return ["cp1252", *ranking]
    return [*ranking, *_CANDIDATES]


def _score(sample: bytes, encoding: str) -> float | None:
    """Return a plausibility score.

    Up to three bytes are dropped, as the last character of the sample may be cut.
    """
    for cut in range(4):
        text = _strict(sample[: len(sample) - cut], encoding)
        if text is not None:
            return _sense(text, encoding)
    return None


def _wide_score(data: bytes, encoding: str) -> float:
    """Return the score for UTF-16 without a byte order mark, which needs an even number of bytes."""
    return (_score(data[:_SAMPLE_BYTES], encoding) or 0.0) if len(data) % 2 == 0 else 0.0


def _sense(text: str, encoding: str) -> float:
    """Return the share of wide characters that are frequent in the language, minus rare ones."""
    wide = _WIDE.findall(text)
    if not wide:
        return 0.0
    frequent = FREQUENT.get(encoding, FREQUENT[""])
    kana = len(_KANA.findall(text)) if encoding not in _WITHOUT_KANA else 0
    hangul = len(_HANGUL.findall(text)) * _KNOWN_LETTER
    common = sum(letter in frequent or letter in _MARKS for letter in wide)
    han = len(_HAN.findall(text)) * _KNOWN_LETTER
    return (common * _COMMON + kana + hangul + han + len(_RARE.findall(text)) * _RARE_LETTER) / len(wide)


def _strict(data: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
