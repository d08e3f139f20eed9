"""How a search is read, and what is said when it cannot be."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readtrack.metadata.sources import all_sources
from readtrack.search import QUALIFIERS, QueryError, canonicalize_query, parse
from readtrack.search.ast import (
    And,
    AssignmentCondition,
    FieldFilter,
    Not,
    NumberRange,
    Or,
    PassFilter,
    Query,
    Sort,
    TextTerm,
)
from readtrack.search.canonical_text import queries_without_term
from readtrack.search.parser import MAX_NESTING, MAX_QUERY_CHARS, MAX_TERMS
from readtrack.search.scopes import resolve_scopes

A, B, C = TextTerm("a"), TextTerm("b"), TextTerm("c")


def year(*values):
    return FieldFilter("year", values)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("", None),
        ("  \n ", None),
        ('""', None),
        ("()", None),
        ("a", A),
        ("a b", And((A, B))),
        ("a b a", And((A, B))),
        ("a OR a", A),
        ("a AND b", And((A, B))),
        ("a and b", And((A, TextTerm("and"), B))),
        ("a OR b", Or((A, B))),
        ("a|b", Or((A, B))),
        ("a b OR c", Or((And((A, B)), C))),
        ("a (b OR c)", And((A, Or((B, C))))),
        ("(a b) c", And((A, B, C))),
        ("-a", Not(A)),
        ("NOT a b", And((Not(A), B))),
        ("-(a OR b)", Not(Or((A, B)))),
        ("--a", A),
        ('"a b"', TextTerm("a b", exact=True)),
        (r'"a \"b\" \\ \c"', TextTerm(r'a "b" \ \c', exact=True)),
        ('"never closed', TextTerm("never closed", exact=True)),
        ('a"b"', And((A, TextTerm("b", exact=True)))),
        ("zero-offload", TextTerm("zero-offload")),
        ("f(x)", And((TextTerm("f"), TextTerm("x")))),
        ("学習 并行", And((TextTerm("学習"), TextTerm("并行")))),
        ("title:a", TextTerm("a", fields=("title",))),
        ("TITLE:a", TextTerm("a", fields=("title",))),
        ('title:"a b",c', Or((TextTerm("a b", exact=True, fields=("title",)), TextTerm("c", fields=("title",))))),
        ("status:read,to_read", FieldFilter("status", ("read", "to_read"))),
        ("status:READ", FieldFilter("status", ("read",))),
        ("-status:none", Not(FieldFilter("status", ("none",)))),
        ('topic:"Distributed  Training",Ｍｏｅ', FieldFilter("topic", ("distributed training", "moe"))),
        ("id:arxiv:2305.15778", FieldFilter("id", ("arxiv:2305.15778",))),
        ("arxiv:2305.15778", FieldFilter("id", ("arxiv:2305.15778",))),
        ("doi:10.1145/1.2", FieldFilter("id", ("doi:10.1145/1.2",))),
        ("lang:zh-Hans,none", FieldFilter("lang", ("none", "zh-hans"))),
        ("year:2024", year(NumberRange(2024, 2024))),
        ("year:２０２４", year(NumberRange(2024, 2024))),
        ("year:2020..2024", year(NumberRange(2020, 2024))),
        ("year:*..2024", year(NumberRange(None, 2024))),
        ("year:2020..*", year(NumberRange(2020, None))),
        ("year:..2024", year(NumberRange(None, 2024))),
        ("year:2020..", year(NumberRange(2020, None))),
        ("year:>2020", year(NumberRange(2021, None))),
        ("year:>=2020", year(NumberRange(2020, None))),
        ("year:<2020", year(NumberRange(None, 2019))),
        ("year:<=2020", year(NumberRange(None, 2020))),
        ("year:none,2020", year(NumberRange(2020, 2020), "none")),
    ],
)
def test_a_query_is_parsed(text, condition):
    assert parse(text) == Query(condition)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("OR", TextTerm("OR", exact=True)),
        ("a OR", And((A, TextTerm("OR", exact=True)))),
        ("AND a", And((TextTerm("AND", exact=True), A))),
        ("a NOT", And((A, TextTerm("NOT", exact=True)))),
        ("(a OR)", And((A, TextTerm("OR", exact=True)))),
        ("-", TextTerm("-")),
        ("a - b", And((A, TextTerm("-"), B))),
        ("Parcae: a", And((TextTerm("Parcae:"), A))),
        ("https://arxiv.org/abs/1", TextTerm("https://arxiv.org/abs/1")),
        ("' OR 1--", Or((TextTerm("'"), TextTerm("1--")))),
    ],
)
def test_operators_without_operands_are_words(text, condition):
    assert parse(text) == Query(condition)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("status：read", "status:read"),
        ("STATUS：read，paused 分散学習", "status:read,paused 分散学習"),
        ("topic:a，b", "topic:a,b"),
        ("“data parallel” a", '"data parallel" a'),
        ("„data parallel“", '"data parallel"'),
        ("＂分散 学習＂", '"分散 学習"'),
        ('title：“a b” "say “a” b"', 'title:"a b" "say “a” b"'),
        ("by:@“Ken Sato” status:read", 'by:@"Ken Sato" status:read'),
    ],
)
def test_full_width_operators_are_accepted(written, meant):
    assert parse(written) == parse(meant)
    assert canonicalize_query(written) == canonicalize_query(meant)


@pytest.mark.parametrize("title", ["GPU：性能", "Parcae： a", "don”t", "a，b"])
def test_full_width_characters_inside_a_title_are_part_of_its_words(title):
    words = [TextTerm(word) for word in title.split()]
    assert parse(title).condition == (words[0] if len(words) == 1 else And(tuple(words)))


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("sort:year", Sort("year", descending=True)),
        ("sort:added", Sort("added", descending=True)),
        ("sort:title", Sort("title", descending=False)),
        ("sort:title-desc", Sort("title", descending=True)),
        ("sort:updated-asc", Sort("updated", descending=False)),
    ],
)
def test_a_query_may_contain_its_sort_order(text, sort):
    assert parse(text) == Query(None, sort)
    assert parse(f"a {text} OR b") == Query(Or((A, B)), sort)


@pytest.mark.parametrize(
    ("text", "message", "marked", "suggestion"),
    [
        ("a stats:read", "Unknown filter `stats:`. Did you mean `status:`?", "stats:", "status:"),
        ("Wow:x", "Unknown filter `Wow:`. To search for the text, put it in quotes.", "Wow:", None),
        ("status:red", "`status:` doesn't accept `red`. Did you mean `read`?", "red", "read"),
        ("status:read,x", "`status:` doesn't accept `x`. Use one of to_read, reading, paused", "x", None),
        ("is:yours", "`is:` doesn't accept `yours`.", "yours", None),
        ("added:2w", "`2w` is a duration. Use `added:<2w`", "2w", "<2w"),
        ("added:2024-13", "Invalid date `2024-13`.", "2024-13", None),
        ("read:2025..2024", "Invalid date `2025..2024`.", "2025..2024", None),
        ("due:>2w..3w", "Invalid date `>2w..3w`.", ">2w..3w", None),
        ("readers:many", "Invalid number `many`.", "many", None),
        ("by:@", "Invalid person `@`.", "@", None),
        ("host:a/b", "Invalid host `a/b`.", "a/b", None),
        ("a -in:title", "`in:` can't be excluded.", "-", None),
        ("year:soon", "Invalid year `soon`.", "soon", None),
        ("year:٢٠٢٤", "Invalid year `٢٠٢٤`.", "٢٠٢٤", None),
        ("year:>2020..2024", "Invalid year `>2020..2024`.", ">2020..2024", None),
        ("year:..", "Invalid year `..`.", "..", None),
        ("year:2020...", "Invalid year `2020...`.", "2020...", None),
        ("year:123456", "Invalid year `123456`.", "123456", None),
        ("year:2024..2020", "`2024..2020` is reversed. Did you mean `year:2020..2024`?", "2024..2020", None),
        ("lang:english", "Invalid language `english`.", "english", None),
        ("sort:id;drop", "`sort:` doesn't accept `id;drop`.", "id;drop", None),
        ("sort:year,title", "`sort:` takes only one value.", "title", None),
        ("sort:year sort:title", "Use `sort:` only once.", "sort", None),
        ("status: read", "`status:` needs a value without a space before it", " ", "status:to_read,reading"),
        ("(a b", "Unmatched `(`.", "(", None),
        ("a ) b", "Unmatched `)`.", ")", None),
    ],
)
def test_a_parse_error_has_its_position(text, message, marked, suggestion):
    with pytest.raises(QueryError) as raised:
        parse(text)
    error = raised.value
    assert error.message.startswith(message)
    assert (text[error.position : error.position + error.length], error.suggestion) == (marked, suggestion)
    assert (error.status, error.code) == (400, "invalid-query")


@pytest.mark.parametrize(
    ("allowed", "refused"),
    [
        ("a" * MAX_QUERY_CHARS, "a" * (MAX_QUERY_CHARS + 1)),
        ("a " * MAX_TERMS, "a " * (MAX_TERMS + 1)),
        ("topic:a" + ",a" * (MAX_TERMS - 1), "topic:a" + ",a" * MAX_TERMS),
        ("(" * MAX_NESTING + "a" + ")" * MAX_NESTING, "(" * (MAX_NESTING + 1) + "a" + ")" * (MAX_NESTING + 1)),
        ("-" * MAX_NESTING + "a", "-" * (MAX_NESTING + 1) + "a"),
        ("NOT " * MAX_NESTING + "a", "NOT " * 400 + "a"),
        ("a OR " * (MAX_TERMS - 1) + "a", "a OR " * 399 + "a"),
    ],
)
def test_a_query_just_above_a_limit_is_refused(allowed, refused):
    parse(allowed)
    with pytest.raises(QueryError):
        parse(refused)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  B   a ", "B a"),
        ("year:>=2020 a status:reading,read b", "a b status:read,reading year:2020..*"),
        ("kind:video -a b", "b -a kind:video"),
        ("b|a", "a OR b"),
        ("sort:year c (b OR a)", "c (a OR b) sort:year-desc"),
        ('title:c,"b"', 'title:"b",c'),
        ('topic:"a b",c', 'topic:"a b",c'),
        ("arxiv:2305.15778", "id:arxiv:2305.15778"),
        ("status:read status:read", "status:read"),
        ("a han:same han:all", "a han:all han:same"),
        ('"a \\"b\\""', '"a \\"b\\""'),
    ],
)
def test_equivalent_queries_have_one_canonical_text(text, expected):
    assert canonicalize_query(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", []),
        ("", []),
        ("a OR b", []),
        ("a topic:moe", [("a", "topic:moe"), ("topic:moe", "a")]),
        ("a (b OR c) sort:year", [("a", "b OR c sort:year-desc"), ("(b OR c)", "a sort:year-desc")]),
        (" ".join("abcdefg"), [(word, " ".join("abcdefg".replace(word, ""))) for word in "abcde"]),
    ],
)
def test_a_query_is_returned_without_each_of_its_terms(text, expected):
    assert queries_without_term(text) == expected


def unordered(node):
    """A condition in which the order of parts does not count."""
    match node:
        case And() | Or():
            return type(node), frozenset(map(unordered, node.parts))
        case Not():
            return Not, unordered(node.part)
        case PassFilter():
            return frozenset(node.people), frozenset(node.filters), node.finished
        case AssignmentCondition():
            return frozenset(node.filters)
        case TextTerm():
            return replace(node, fields=tuple(sorted(node.fields)))
        case _:
            return node


PIECES = st.sampled_from(
    [
        "a",
        "学習",
        " ",
        "(",
        ")",
        "-",
        "|",
        '"',
        "\\",
        " OR ",
        " AND ",
        "NOT ",
        ",",
        ":",
        "*",
        "..",
        "\0",
        "é",
        "ſtatus:read",
    ]
    + [qualifier.example for qualifier in QUALIFIERS.values()]
    + [f"{name}:" for name in QUALIFIERS]
    + ["han:same", "in:note,id", "by:@ken,@me", "status:none", "is:stale", "assignee:@me", "-("]
)

WORDS = ["a", '"b c"', "学習", "title:a", "-a", "year:2024", "by:@ken", "status:read", "depth:none", "due:<1w"]
LEAVES = st.sampled_from([*WORDS, "in:title", "in:note,id", "han:all", "han:same", "is:stale", "assignee:@me", "OR"])
WELL_FORMED = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda sign, joint, parts: f"{sign}({joint.join(parts)})",
        *(st.sampled_from(["", "-"]), st.sampled_from([" ", " OR ", " AND ", "|"])),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=9,
)
WRITTEN = st.lists(WELL_FORMED, max_size=4).map(" ".join)


@given(st.text() | st.lists(PIECES, max_size=20).map("".join) | WRITTEN)
@example("(a b OR c)(c OR a b)")
def test_any_text_is_a_query_or_a_parse_error_and_its_canonical_text_is_stable(text):
    try:
        query = parse(text)
    except QueryError as error:
        complaint = error
    else:
        assert canonicalize_query(canonicalize_query(text)) == canonicalize_query(text)
        assert unordered(parse(canonicalize_query(text)).condition) == unordered(query.condition)
        assert unordered(resolve_scopes(parse(canonicalize_query(text)).condition)) == unordered(
            resolve_scopes(query.condition)
        )
        assert parse(canonicalize_query(text)).sort == query.sort
        return
    assert complaint.message.endswith((".", "?"))
    assert 0 <= complaint.position <= len(text)


@pytest.mark.parametrize("qualifier", QUALIFIERS.values(), ids=QUALIFIERS)
def test_every_filter_has_a_help_text_and_a_working_example(qualifier):
    assert qualifier.help
    assert not qualifier.help.endswith(".")  # as labels
    assert qualifier.example.startswith(f"{qualifier.name}:")
    assert parse(qualifier.example) != Query()


def test_the_source_filter_lists_all_sources_in_order():
    assert QUALIFIERS["source"].allowed_words == tuple(known.name for known in all_sources())
