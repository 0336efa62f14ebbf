"""Hooks around the calls of kernels: in builds that ask for them, for every call, with its line."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from s2s import api
from s2s.emit.call_comments import KernelCall, placed_calls
from s2s.errors import CompilerBug
from support.c_compilers import WARNINGS, require, run
from support.trees import DIGITS
from support.varying_networks import model

CHAIN = """(float[1, 8, 8, 8] x) => (float[1, 8, 8, 8] y) <float[8,8,3,3] w = ?, float[8,8,3,3] v = ?> {
    a = Conv <pads = [1, 1, 1, 1]> (x, w) b = Conv <pads = [1, 1, 1, 1]> (a, v) y = Softmax (b) }"""
LOOP = """(float[5, 1, 4] x) => (float[5, 1, 1, 4] y) <float[1,12,4] w = ?, float[1,12,4] r = ?> {
    y, h = GRU <hidden_size = 4> (x, w, r) }"""
BRANCH = """(bool c, float[8] x) => (float[8] y) {
    y = If (c) <
        then_branch = yes () => (float[8] t) { t = Exp (x) },
        else_branch = no () => (float[8] e) { e = Abs (x) }
    > }"""
HOOKS = """
#include <stdio.h>
#include "s2s_trace.h"
void s2s_trace_enter(const char *kernel, uint32_t line) { (void)line; (void)kernel; }
void s2s_trace_leave(const char *kernel, uint32_t line) { printf("%s %lu\\n", kernel, (unsigned long)line); }
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(("text", "runs"), [(CHAIN, None), (LOOP, None), (BRANCH, 1)], ids=["chain", "loop", "branch"])
def test_every_call_tells_its_kernel_and_its_line(text: str, runs: int | None, compiler: str, tmp_path: Path):
    """In the order of a run: of a loop several times, of a branch that is not taken never."""
    tree = tmp_path / "net"
    api.compile(model(text, tmp_path), target="c", name="net").write(tree)
    (tmp_path / "hooks.c").write_text(HOOKS)
    told = traced_run(tree, tmp_path / "hooks.c", require(compiler))
    calls = json.loads((tree / "metadata.json").read_text())["calls"]
    lines = (tree / "src" / "net.c").read_text().splitlines()
    assert all(f"{call['kernel']}(" in lines[call["line"] - 1] for call in calls)
    spans = {(call["kernel"], line) for call in calls for line in span(lines, call["line"])}
    assert told
    assert set(told) <= spans
    if text == CHAIN:
        assert [kernel for kernel, _ in told] == [call["kernel"] for call in calls]
    if text == LOOP:
        assert max(told.count(each) for each in told) == 5
    if runs is not None:
        assert len(told) == runs < len(calls)


def span(lines: list[str], first: int) -> range:
    """The lines of the statement that begins in line `first`."""
    last = next(number for number in range(first, len(lines) + 1) if lines[number - 1].endswith(";"))
    return range(first, last + 1)


def traced_run(tree: Path, hooks: Path, compiler: str) -> list[tuple[str, int]]:
    """Build the self-test of a tree with hooks, run it on one set of inputs; return what the hooks print."""
    sources = [str(path) for folder in ("src", "runtime", "test") for path in sorted((tree / folder).rglob("*.c"))]
    folders = ("include", "src", "runtime/include", "test")
    flags = ["-std=c99", "-O1", *WARNINGS, "-DNET_TRACE=1", *(f"-I{tree / folder}" for folder in folders)]
    program = tree / "traced"
    run([compiler, *flags, *sources, str(hooks), "-o", str(program), "-lm"], tree)
    shown = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return [(kernel, int(line)) for kernel, line in re.findall(r"^(net_\w+) (\d+)$", shown, re.MULTILINE)]


def test_other_builds_hold_no_hooks(tmp_path: Path):
    tree = tmp_path / "digits"
    api.compile(DIGITS, target="c").write(tree)
    base = ["-std=c99", "-O2", "-c", "src/digits.c", "-Iinclude", "-Iruntime/include"]
    objects: dict[str, bytes] = {}
    for name, flags in {"plain": [], "off": ["-DDIGITS_TRACE=0"], "on": ["-DDIGITS_TRACE=1"]}.items():
        run([require("gcc"), *base, *flags, "-o", f"{name}.o"], tree)
        objects[name] = (tree / f"{name}.o").read_bytes()
    assert objects["plain"] == objects["off"]
    assert b"s2s_trace_enter" not in objects["plain"]
    assert b"s2s_trace_enter" in objects["on"]


def test_misra_trees_have_no_macros_of_variable_arguments():
    tree = api.compile(DIGITS, target="c", profile="misra").tree()
    assert not [path for path in tree if "trace" in path]
    assert "_TRACE" not in tree.text("src/digits.c")


def test_networks_of_one_tree_trace_the_kernels_that_they_share(tmp_path: Path):
    networks = [api.compile(model(CHAIN, tmp_path), target="c", name=name) for name in ("one", "two")]
    tree = api.together(networks, name="both").tree()
    record = json.loads(tree.text("metadata.json"))
    shared = record["shared"]["kernels"]
    assert shared
    for name in ("one", "two"):
        assert set(shared) & {call["kernel"] for call in record["networks"][name]["calls"]}
        assert all(f"#define {kernel}(...) S2S_TRACED(" in tree.text(f"src/{name}_trace.h") for kernel in shared)


def test_a_text_with_other_calls_is_an_error_of_ours():
    with pytest.raises(CompilerBug, match="are not the calls of the network"):
        placed_calls([KernelCall("net_a", "a")], "    net_b(x);\n")
