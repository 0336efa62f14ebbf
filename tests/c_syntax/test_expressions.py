"""Random expressions: written with few parentheses, they compute what they compute with all of them."""

import subprocess
import tempfile
from pathlib import Path
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from s2s.c_syntax.expressions import written
from s2s.dialects import c
from s2s.dialects.c.conversions import binary_type
from support.c_compilers import require, run

NAMES = ("a", "b", "d")
OPERATORS = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">=", "==", "!=", "&&", "||")

Tree: TypeAlias = "str | int | tuple[Tree, ...]"
LEAVES: st.SearchStrategy[Tree] = st.one_of(st.sampled_from(NAMES), st.integers(-3, 3))


def larger(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.one_of(
        st.tuples(st.sampled_from(OPERATORS), inner, inner),
        st.tuples(st.sampled_from(("neg", "not", "inv")), inner),
        st.tuples(st.just("?"), inner, inner, inner),
        st.tuples(st.just("f"), inner, inner),
    )


TREES = st.recursive(LEAVES, larger, max_leaves=12)
PROGRAM = """
#include <stdint.h>
#include <stdio.h>
#include <stdbool.h>
static int32_t f(int32_t x, int32_t y) {{ return x - y; }}
int main(void)
{{
    const int32_t a = 7, b = -5, d = 2;
    (void)f;
    printf("%lld %lld\\n", (long long)({short}), (long long)({full}));
    return 0;
}}
"""


class Build:
    """The operations of a tree, and the same text with every parenthesis."""

    def __init__(self) -> None:
        self.block = Block(arg_types=[i32] * len(NAMES))

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def make(self, tree: Tree) -> tuple[SSAValue, str]:
        match tree:
            case str():
                return self.block.args[NAMES.index(tree)], tree
            case int():
                return self.add(c.LiteralOp(IntegerAttr(tree, i32))), f"({tree})"
            case ("neg" | "not" | "inv" as word, operand):
                operator = {"neg": "-", "not": "!", "inv": "~"}[word]
                value, text = self.make(operand)
                return self.add(c.UnaryOp(operator, value)), f"({operator}{text})"
            case ("?", *parts):
                (condition, one), (chosen, two), (otherwise, three) = map(self.make, parts)
                sides = [self.as_int(chosen), self.as_int(otherwise)]
                return self.add(c.ConditionalOp(condition, *sides)), f"({one} ? (int32_t){two} : (int32_t){three})"
            case ("f", left, right):
                (lhs, one), (rhs, two) = self.make(left), self.make(right)
                arguments = [self.as_int(lhs), self.as_int(rhs)]
                return self.add(c.CallOp("f", arguments, i32, pure=True)), f"f({one}, {two})"
            case (str() as operator, left, right):
                (lhs, one), (rhs, two) = self.make(left), self.make(right)
                if operator in ("/", "%", "<<", ">>"):
                    rhs, two = self.make(3)
                assert binary_type(operator, lhs.type, rhs.type) is not None
                return self.add(c.BinaryOp(operator, lhs, rhs)), f"({one} {operator} {two})"
            case _:
                raise AssertionError(tree)

    def name(self, value: SSAValue) -> str | None:
        return NAMES[value.index] if isinstance(value, BlockArgument) else None

    def as_int(self, value: SSAValue) -> SSAValue:
        return value if value.type == i32 else self.add(c.CastOp(value, i32))


@given(TREES)
@settings(max_examples=40)
def test_few_parentheses_mean_what_all_of_them_mean(tree: Tree) -> None:
    build = Build()
    value, full = build.make(tree)
    short = written(value, build.name).flat
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "unit.c").write_text(PROGRAM.format(short=short, full=full))
        command: list[str | Path] = [require("gcc"), "-std=c99", "-fwrapv", "-Wparentheses", "-Werror"]
        run([*command, "unit.c", "-o", "unit"], Path(folder))
        found = subprocess.run([Path(folder, "unit")], capture_output=True, text=True, check=True).stdout.split()
    assert found[0] == found[1], f"{short}\n{full}"


def text_of(tree: Tree) -> str:
    build = Build()
    value, _ = build.make(tree)
    return written(value, build.name).flat


def test_parentheses_stand_where_a_reader_would_pause() -> None:
    assert text_of(("+", "a", ("*", "b", "d"))) == "a + b * d"
    assert text_of(("*", ("+", "a", "b"), "d")) == "(a + b) * d"
    assert text_of(("-", "a", ("-", "b", "d"))) == "a - (b - d)"
    assert text_of(("-", ("-", "a", "b"), "d")) == "a - b - d"
    assert text_of(("*", ("/", "a", 3), "d")) == "(a / 3) * d"
    assert text_of(("<<", ("+", "a", "b"), 3)) == "(a + b) << 3"
    assert text_of(("&", ("==", "a", "b"), "d")) == "(a == b) & d"
    assert text_of(("||", ("&&", "a", "b"), "d")) == "(a && b) || d"
    assert text_of(("==", ("<", "a", "b"), ("<", "b", "d"))) == "(a < b) == (b < d)"


def test_two_minus_signs_do_not_meet() -> None:
    assert text_of(("-", "a", -1)) == "a - (-1)"
    assert text_of(("neg", ("neg", "a"))) == "-(-a)"
    assert text_of(("neg", -1)) == "-(-1)"
