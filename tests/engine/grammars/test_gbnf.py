"""Grammars in GBNF and lists of texts: what answers they allow, and what is refused."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llguidance import LLMatcher, LLTokenizer

from engine.errors import GrammarNotUsable
from engine.grammars.checks import check_grammar
from engine.grammars.gbnf import LARGEST_GBNF
from engine.grammars.grammar import Grammar, choice_of, written_grammar

BYTES = LLTokenizer("byte")
# As llama.cpp's own converter writes a schema of an object with an integer.
FROM_A_SCHEMA = r"""
a-kv ::= "\"a\"" space ":" space integer
integer ::= ("-"? integral-part) space
integral-part ::= [0] | [1-9] [0-9]{0,15}
root ::= "{" space a-kv "}" space
space ::= | " " | "\n"{1,2} [ \t]{0,20}
"""
# That of JSON in llama.cpp's folder of grammars.
JSON = r"""
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::=
  "{" ws (
            string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws
array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::=
  "\"" (
    [^"\\\x7F\x00-\x1F] |
    "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) # escapes
  )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws ::= | " " | "\n" [ \t]{0,20}
"""
# Another of them.
ARITHMETIC = r"""
root  ::= (expr "=" ws term "\n")+
expr  ::= term ([-+*/] term)*
term  ::= ident | num | "(" ws expr ")" ws
ident ::= [a-z] [a-z0-9_]* ws
num   ::= [0-9]+ ws
ws    ::= [ \t\n]*
"""
SQL = """
    root ::= select
    select ::= "SELECT " column " from t"
    column ::= "a" | "b"
"""


def allows(grammar: Grammar, text: str) -> bool:
    """Whether the text is a whole answer."""
    matcher = LLMatcher(BYTES, grammar.as_lark(), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return allows_here(matcher, text)


def allows_here(matcher: LLMatcher, text: str) -> bool:
    written = list(text.encode())
    return matcher.try_consume_tokens(written) == len(written) and matcher.is_accepting()


@pytest.mark.parametrize(
    ("source", "taken", "refused"),
    [
        ('root ::= "yes" | "no"', ["yes", "no"], ["", "ye", "yesno", "maybe"]),
        (FROM_A_SCHEMA, ['{"a":1}', '{ "a": -20}\n'], ['{"a":01}', "{}", '{"b":1}']),
        (JSON, ['{"a": [1.5e3, "\\n", {}, null]}', "{}"], ["[1]", '{"a" 1}', '{"a": "\n"}']),
        (SQL, ["SELECT a from t"], ["SELECT c from t"]),
        # A text may begin as what stands before it goes on.
        ('root ::= word "end"\nword ::= [a-z]+', ["fooend", "endend"], ["foo", "end"]),
        ('root ::= .* "end"', ["a\n end", "end"], ["a"]),
        # Lines that go on with an alternative, as XGrammar has them, after a comment, and with line ends of Windows.
        ('root ::= "a" # ::= "x"\r\n  | "b"\r\n  | c\r\nc ::= "c"', ["a", "b", "c"], ["x"]),
        (r'root ::= "\x41\u00e9\U0001F600" [\u4e00-\u9fff]', ["Aé😀中"], ["Aé😀a"]),
        (r'root ::= [\[\]\-a^/"] "\"\\/\]#.\t"', ['["\\/]#.\t', '-"\\/]#.\t', '^"\\/]#.\t'], ['b"\\/]#.\t']),
        # What means sets of characters to llguidance.
        ("root ::= [a&&b~~] [+--]", ["a+", "&-", "~,"], ["c+", "a*"]),
        (r'root ::= [^a-c\n] "!"', ["d!", "\t!"], ["a!", "\n!"]),
        ('root ::= "" | "a"', ["", "a"], ["aa"]),
        ('root ::= "a" root?', ["a", "aaa"], ["", "b"]),
        # The space before the last line end is also that after a number.
        (ARITHMETIC, ["a=1\n", "(a+b*2) = 3\nx=y\n"], ["a=1", "=1\n"]),
        ('root ::= "(" root ")" | Word "end"\nWord ::= [a-zA-Z]+', ["(fooend)", "((endenend))"], ["(foo)", "(end)"]),
        ('root ::= "(" root ")" | [a] [ab] | "ab" "c"', ["(abc)", "(ab)"], ["(ac)", "(abc"]),
        ("root ::= [é-ü]{2,3}", ["éü", "ééé"], ["é", "éééé", "ée"]),
        ('start: "a" | "b"', ["a", "b"], ["c"]),
        ('start: /[a::=]+/', ["a:"], ["b"]),
    ],
)  # fmt: skip
def test_answers_follow_a_written_grammar(source: str, taken: list[str], refused: list[str]) -> None:
    grammar = written_grammar(source)
    assert [text for text in taken if not allows(grammar, text)] == []
    assert [text for text in refused if allows(grammar, text)] == []


@pytest.mark.parametrize(
    ("source", "detail"),
    [
        ("root ::= foo", "Rule 'foo' not found"),
        ('foo ::= "a"', "No 'root' rule found"),
        ('root ::= "a', "does not end"),
        ("root ::= [a", "does not end"),
        ('root ::= "a\\"', "does not end"),
        ("root ::= []", "is empty"),
        (r'root ::= "\d"', r"the escape \d is not known"),
        (r'root ::= "\ud800"', r"\ud800 is no character"),
        (r'root ::= "\U00110000"', r"\U00110000 is no character"),
        ('root ::= <think> "x"', "Expected name at line 1"),
        ('root ::= "a" }', "Expected name"),
        ('root ::= T root? | t-t\nt-t ::= root "b"\nT ::= "a"', "Rule 't_t' already exists"),
        ("root ::= " + "(" * 5000 + '"a"' + ")" * 5000, "nests too deep"),
    ],
)
def test_a_grammar_that_cannot_be_converted_is_refused_with_the_reason(source: str, detail: str) -> None:
    with pytest.raises(GrammarNotUsable) as refused:
        check_grammar(written_grammar(source))
    assert refused.value.reason == "invalid"
    assert detail in str(refused.value.arguments["detail"])


def test_a_grammar_beyond_the_limit_is_refused() -> None:
    with pytest.raises(GrammarNotUsable) as refused:
        check_grammar(written_grammar(f'root ::= "{"a" * LARGEST_GBNF}"'))
    assert refused.value.reason == "too-large"


@dataclass(frozen=True)
class Expression:
    """An expression in GBNF and as a pattern of Python."""

    gbnf: str
    pattern: str


LEAVES = st.sampled_from(
    [
        Expression('"a"', "a"), Expression('"ab"', "ab"), Expression("[ab]", "[ab]"), Expression("[^a]", "[^a]"),
        Expression(".", "(?s:.)"), Expression('""', ""),
    ]
)  # fmt: skip


def _joined(parts: list[Expression]) -> Expression:
    return Expression(" ".join(one.gbnf for one in parts), "".join(one.pattern for one in parts))


def _either(parts: list[Expression]) -> Expression:
    gbnf, pattern = (" | ".join(one.gbnf for one in parts), "|".join(one.pattern for one in parts))
    return Expression(f"({gbnf})", f"(?:{pattern})")


def _repeated(part: Expression, count: str) -> Expression:
    return Expression(f"({part.gbnf}){count}", f"(?:{part.pattern}){count}")


EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(_joined)
        | st.lists(inner, min_size=2, max_size=3).map(_either)
        | st.builds(_repeated, inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}"]))
    ),
    max_leaves=6,
)
TEXTS = ["".join(letters) for length in range(4) for letters in itertools.product("abc", repeat=length)]


@settings(max_examples=60)
@given(EXPRESSIONS, EXPRESSIONS)
def test_a_grammar_without_recursion_allows_what_the_same_pattern_does(first: Expression, second: Expression) -> None:
    grammar = written_grammar(f"root ::= one {second.gbnf}\none ::= {first.gbnf}")
    pattern = re.compile(f"(?:{first.pattern})(?:{second.pattern})")
    matcher = LLMatcher(BYTES, grammar.as_lark(), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    for text in TEXTS:
        assert allows_here(matcher.deep_copy(), text) == (pattern.fullmatch(text) is not None), text


@settings(max_examples=30)
@given(EXPRESSIONS, EXPRESSIONS)
def test_a_recursive_grammar_allows_what_the_same_pattern_does_in_parentheses(
    first: Expression, second: Expression
) -> None:
    grammar = written_grammar(f'root ::= "<" root ">" | one {second.gbnf}\none ::= {first.gbnf}')
    pattern = re.compile(f"(?:{first.pattern})(?:{second.pattern})")
    matcher = LLMatcher(BYTES, grammar.as_lark(), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    for text in TEXTS:
        whole = pattern.fullmatch(text) is not None
        assert allows_here(matcher.deep_copy(), text) == whole, text
        within = whole or pattern.fullmatch(f"<{text}>") is not None
        assert allows_here(matcher.deep_copy(), f"<{text}>") == within, text


@pytest.mark.parametrize("texts", [["a"], ["a", "ab"], ["yes", "no"], ["", "x"], ['a\n"\\/', "é😀", "%", "{}", "'"]])
def test_a_choice_allows_its_texts_alone(texts: list[str]) -> None:
    grammar = choice_of(texts)
    check_grammar(grammar)
    assert all(allows(grammar, text) for text in texts)
    assert not any(allows(grammar, text) for text in ("b", "aa", "ye", '"a"') if text not in texts)
