"""Names in a model are text of strangers: whatever they are, the C compiles, runs, and differs in names alone."""

import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx
from hypothesis import example, given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from s2s import api
from s2s.c_syntax.identifiers import c_identifier
from s2s.emit.files import Tree
from support.c_compilers import WARNINGS, require
from support.compiled import run_c

X = np.linspace(-1, 1, 12).astype(np.float32).reshape(1, 3, 4)
W = np.arange(8).astype(np.float32).reshape(4, 2)
B = np.array([[-3.0, 0.5]], np.float32)

HOSTILE = (
    *("*/ int x; /*", "??/", "a\\", "\n#include <nosuch.h>\n", '"; abort(); "', "%s%n", "int", "_Bool", "run", "arena"),
    *(
        "名前",
        "ÄÖ",
        "\u202e",
        "x" * 300,
        "s2s_run",
        "main",
        "//",
        "/*",
        "\r\v\0",
        "1",
        "",
        " ",
        "net",
        "NULL",
        "errno",
        "a?b",
    ),
)
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.lists(st.sampled_from(["*/", "/*", "??", "/", "\\", "\n", "'", '"', "#", "%", "a"]), max_size=8).map("".join),
)


def model(names: tuple[str, ...]) -> onnx.ModelProto:
    """`relu(x @ w + b)`, under six different names: x, y, w, b, the nodes and the graph."""
    x, y, w, b, node, graph = (f"{name}{mark}" for name, mark in zip(names, "xywbng", strict=True))
    nodes = [
        helper.make_node("MatMul", [x, w], [f"{node}0"], name=f"{node}0"),
        helper.make_node("Add", [f"{node}0", b], [f"{node}1"], name=f"{node}1"),
        helper.make_node("Relu", [f"{node}1"], [y], name=f"{node}2"),
    ]
    ports = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in ((x, X.shape), (y, (1, 3, 2)))
    ]
    weights = [numpy_helper.from_array(W, w), numpy_helper.from_array(B, b)]
    body = helper.make_graph(nodes, graph, ports[:1], ports[1:], weights)
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def check_syntax(tree: Tree) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        tree.write(root)
        sources = [path for path in tree if path.endswith(".c")]
        includes = ["-Iinclude", "-Isrc", "-Iruntime/include"]
        command = [require("gcc"), *WARNINGS, "-fsyntax-only", *includes, *sources]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def code_of(tree: Tree) -> list[str]:
    """The C of the sources without comments, strings, blanks and words: what names cannot change."""
    texts = [tree.text(path) for path in sorted(tree) if path.startswith("src/") and path.endswith(".c")]
    bare = [re.sub(r'/\*.*?\*/|"[^"\n]*"', "", text, flags=re.DOTALL) for text in texts]
    return [re.sub(r"[A-Za-z_]\w*|\s+", "", text) for text in bare]


@given(names=st.tuples(*[texts] * 6))
@example(names=("*/", "??/", "a\\", "int", "\n#include <nosuch.h>", '"'))
@example(names=("", "", "", "", "", ""))
@example(names=("x" * 300, "x" * 301, "名前", "名", "%s", "\u202e"))
@settings(max_examples=15, derandomize=True)
def test_any_names_compile_and_differ_in_names_alone(names: tuple[str, ...]):
    trees = [
        api.compile(model(each), target="c", name="net").tree() for each in (names, ("p", "q", "r", "s", "t", "u"))
    ]
    check_syntax(trees[0])
    assert code_of(trees[0]) == code_of(trees[1])


@given(names=st.tuples(*[texts] * 6))
@example(names=("*/", "??/", "a\\", "int", "\n#include <nosuch.h>", '"'))
@settings(max_examples=3, derandomize=True)
def test_any_names_run(names: tuple[str, ...]):
    with api.compile(model(names), target="c") as artifact:
        assert artifact.name == c_identifier(artifact.name)
        [found] = run_c(artifact, [X])
        np.testing.assert_allclose(found, np.maximum(X @ W + B, 0), rtol=1e-5)


@given(names=st.tuples(*[texts] * 6))
@example(names=("*/", "??/", "a\\", "int", "\n#include <nosuch.h>", '"'))
@settings(max_examples=5, derandomize=True)
def test_any_names_compile_as_tables(names: tuple[str, ...]):
    check_syntax(api.compile(model(names), target="c", executor="graph").tree())
