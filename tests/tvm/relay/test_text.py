"""Relay's text format: what is printed reads back as the same module, and computes the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import Expr, Function, IRModule, nn
from s2s.types.dtypes import Array
from tests.tvm.relay import test_arguments, test_meanings


def both(formula: Callable[..., Expr], *arrays: Array) -> tuple[list[Array], list[Array], list[str]]:
    """What a network and the one read of its text compute, and both texts."""
    variables = [relay.var(f"x{at}", shape=each.shape, dtype=str(each.dtype)) for at, each in enumerate(arrays)]
    mod = IRModule.from_expr(Function(variables, formula(*variables)))
    again = tvm.parser.fromtext(mod.astext())
    results = [run_graph(each.module, list(arrays), each.weights) for each in (mod, again)]
    return results[0], results[1], [mod.astext(), again.astext()]


@pytest.mark.parametrize("name", [*test_meanings.CASES, *test_meanings.PAIRS])
def test_the_text_of_an_operator_reads_back(name: str):
    formula, arrays, _ = {**test_meanings.CASES, **test_meanings.PAIRS}[name]
    first, second, texts = both(formula, *arrays)
    assert texts[0] == texts[1]
    np.testing.assert_array_equal(first[0], second[0])


@pytest.mark.parametrize("name", test_arguments.CASES)
def test_the_text_of_arguments_reads_back(name: str):
    formula, array, _ = test_arguments.CASES[name]
    first, second, texts = both(formula, array)
    assert texts[0] == texts[1]
    np.testing.assert_array_equal(first[0], second[0])


def test_the_form_is_relays():
    x = relay.var("x", shape=(1, 2, 3, 4))
    y = nn.relu(nn.bias_add(x, relay.const(np.ones(2, np.float32))))
    mod = IRModule.from_expr(relay.split(y + 0.5, 2, axis=1)[1])
    assert mod.astext(show_meta_data=False).splitlines() == [
        '#[version = "0.0.5"]',
        "",
        "def @main(%x: Tensor[(1, 2, 3, 4), float32]) -> Tensor[(1, 1, 3, 4), float32] {",
        "  %0 = nn.bias_add(%x, meta[relay.Constant][0]);",
        "  %1 = nn.relu(%0);",
        "  %2 = add(%1, 0.5f);",
        "  %3 = split(%2, indices_or_sections=2, axis=1);",
        "  %3.1",
        "}",
    ]


TEXTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "operators between": ("free_var %x: Tensor[(2), float32]; %x + 2f * %x - -1f", lambda x: x + 2 * x + 1),
    "a scalar": ("free_var %x: Tensor[(2), float32]; let %s: float32 = 3f; %x / %s", lambda x: x / np.float32(3)),
    "a comment": ("free_var %x: Tensor[(2), float32]; /* one */ exp(%x) // two", np.exp),
    "a function": (
        "free_var %x: Tensor[(2), float32]; let %f = fn (%y: Tensor[(2), float32]) -> Tensor[(2), float32] {\n"
        "  %0 = tanh(%y); negative(%0)\n}; %f(%x)",
        lambda x: -np.tanh(x),
    ),
    "a choice": ("free_var %x: Tensor[(2), float32]; if (True) { %x } else { %0 = exp(%x); %0 }", lambda x: x),
    "a field": ("free_var %x: Tensor[(2), float32]; (%x, exp(%x)).1", np.exp),
    "a comparison": ("free_var %x: Tensor[(2), float32]; %x >= 0.5f", lambda x: x >= 0.5),
    "attributes": (
        "free_var %x: Tensor[(2), float32]; expand_dims(%x, axis=0, num_newaxis=2)",
        lambda x: x[None, None],
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_a_program_is_read(name: str):
    text, reference = TEXTS[name]
    array = np.array([0.25, 2], np.float32)
    mod = tvm.parser.fromtext(text)
    np.testing.assert_allclose(run_graph(mod.module, [array], mod.weights)[0], reference(array), rtol=1e-6)


def test_functions_of_a_module_call_each_other():
    text = """
    def @twice(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { add(%x, %x) }
    def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { @twice(%x) }
    """
    mod = relay.parse(text)
    assert run_graph(mod.module, [np.ones(2, np.float32)], mod.weights)[0].tolist() == [2, 2]
    assert tvm.ir.structural_equal(mod, relay.fromtext(mod.astext()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @main(%x: Tensor[(n), float32]) { %x }", "line 1: size 'n' is no number"),
        ("def @main() {\n %y }", "line 2: %y is not defined"),
        ("exp(1f", "line 1: 'the end' where '\\)' is wanted"),
        ("nothing(1f)", "no such operator"),
        ("meta[relay.Constant][2]", "there are 0 entries of metadata"),
        ("exp(1f, depth=2)", "exp: there is no attribute depth"),
        ("graph.conv(1f)", "graph.conv is an operation of the dialect graph"),
        ("1f $", r"'\$' is no part of the language"),
    ],
)
def test_a_text_that_means_nothing_is_refused(text: str, message: str):
    with pytest.raises(InputError, match=message):
        tvm.parser.fromtext(text)
