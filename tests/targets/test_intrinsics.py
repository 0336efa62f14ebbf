"""Intrinsics: what each computes and what its C function gives, and one that no file of the package knows."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from s2s.artifact import Artifact, compile_artifact
from s2s.emit.stream import pieces
from s2s.errors import InputError
from s2s.frontends.model import GraphModel
from s2s.interpret.graph import run_graph
from s2s.interpret.loop import run_loop
from s2s.options import CompileOptions
from s2s.pipeline import pipeline
from s2s.targets import get_target, print_target
from s2s.targets.intrinsic import Intrinsic
from s2s.targets.intrinsics import INTRINSICS
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from support.c_kernels import CompiledKernels, parse
from support.numbers import functions, results
from support.quantised_layers import Layer

HEADER = """#ifndef MY_CORE_H
#define MY_CORE_H
#include "s2s_lanes.h"

/* What the instruction of the core would do: lane c adds x[k] * w[k / 32][c][k % 32]. */
S2S_ALWAYS_INLINE s2s_i32x4 my_core_dot32(const int8_t *x, const int8_t *w, int32_t steps)
{
    int32_t sums[4] = {0, 0, 0, 0};

    for (int32_t k = 0; k < steps; k += 32) {
        for (int32_t c = 0; c < 4; c++) {
            for (int32_t i = 0; i < 32; i++) {
                sums[c] += (int32_t)x[k + i] * (int32_t)w[4 * k + 32 * c + i];
            }
        }
    }
    return s2s_i32x4_load(sums);
}
#endif
"""
INTRINSIC = """
[[intrinsic]]
name = "dot32"
description = "32 products of bytes in each of four lanes"
form = "dot_rows"
group = 32
lanes = [4]
function = "my_core_dot32"
header = "my_core.h"
"""
TARGET = f'name = "my-core"\nbase = "c"\n{INTRINSIC}'
LAYERS = {
    "in place": Layer((4, 5, 64), 8, input_zp=0),
    "copied, with a zero point": Layer((4, 5, 64), 8),
    "padded": Layer((6, 6, 8), 4, (3, 3), pads=(1, 1, 1, 1)),
    "one pixel, part of a group": Layer((1, 1, 40), 12),
}
SIZES = {"i8": "i8", "u8": "i8", "i16": "i16"}


@pytest.fixture
def my_core(tmp_path: Path) -> Path:
    """The target file, its header beside it."""
    (tmp_path / "my_core.h").write_text(HEADER)
    path = tmp_path / "my_core.toml"
    path.write_text(TARGET)
    return path


def compiled(layer: Layer, target: Path) -> tuple[Artifact, Array, Array]:
    """A layer compiled for a target file, an input, and what the graph makes of it."""
    ctx, module, x = layer.build()
    (expected,) = run_graph(module, [x], ctx.weights)
    arrays = {name: ctx.weights.get(name) for name in ctx.weights.names()}
    return compile_artifact(GraphModel(module, arrays, "net"), CompileOptions(target=str(target))), x, expected


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_an_instruction_from_outside_is_called_and_right(layer: Layer, my_core: Path):
    artifact, x, expected = compiled(layer, my_core)
    files = {name: b"".join(pieces(content)).decode("latin-1") for name, content in artifact.tree().files.items()}
    assert files["runtime/include/my_core.h"] == HEADER
    kernels = next(text for text in files.values() if "my_core_dot32(" in text and text != HEADER)
    assert '#include "my_core.h"' in kernels
    with artifact:
        np.testing.assert_array_equal(artifact.run({"x": x})["y"], expected)


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_the_interpreter_knows_what_it_computes(layer: Layer, my_core: Path):
    ctx, module, x = layer.build()
    (expected,) = run_graph(module, [x], ctx.weights)
    target = get_target(str(my_core))
    ctx.targets[target.name] = target
    passes = pipeline(CompileOptions(target=target))
    for level in ("graph", "tensor", "loop"):
        for each in passes[level]:
            each.apply(ctx, module)
    module.verify()
    assert 'loop.intrinsic_rows <"dot32", dot_rows(i8, i8) by 32, ' in str(module)
    np.testing.assert_array_equal(run_loop(module, [x], ctx.weights)[0].reshape(expected.shape), expected)


def test_a_printed_target_carries_its_headers(my_core: Path, tmp_path: Path):
    target = get_target(str(my_core))
    alone = tmp_path / "elsewhere" / "copy.toml"
    alone.parent.mkdir()
    alone.write_text(print_target(target), encoding="utf-8")
    assert get_target(str(alone)) == target


def test_what_a_file_defines_comes_before_what_its_base_has(tmp_path: Path):
    (tmp_path / "my_core.h").write_text(HEADER)
    path = tmp_path / "mine.toml"
    path.write_text(f'name = "mine"\nbase = "cortex-m55"\n{INTRINSIC}')
    names = [each.name for each in get_target(str(path)).intrinsics]
    assert names == ["dot32", *(each.name for each in get_target("cortex-m55").intrinsics)]


def test_a_file_lists_what_it_prefers(tmp_path: Path):
    (tmp_path / "my_core.h").write_text(HEADER)
    path = tmp_path / "mine.toml"
    path.write_text(f'name = "mine"\nintrinsics = ["mve-i8-by-8", "dot32"]\n{INTRINSIC}')
    assert [each.name for each in get_target(str(path)).intrinsics] == ["mve-i8-by-8", "dot32"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("group = 32", "grup = 32"), "[[intrinsic]]: 'grup': there is no such key; did you mean group? "),
        (("group = 32", ""), "[[intrinsic]]: there is no key group; add a whole number from 1 to 128"),
        (
            ("group = 32", "group = 33"),
            "[[intrinsic]] dot32: group = 33: form dot_rows takes 1, 2, 4, 8, 16, 32, 64, 128",
        ),
        (
            ('form = "dot_rows"', 'form = "matmul"'),
            "[[intrinsic]]: form = 'matmul': is not one of dot, dot_pairs, dot_points, dot_taps, dot_next,",
        ),
        (("lanes = [4]", "lanes = [8]"), "[[intrinsic]] dot32: lanes = (8,): form dot_rows has 4"),
        (
            ("lanes = [4]", 'x = "u8"'),
            "[[intrinsic]] dot32: x = u8, w = i8: form dot_rows multiplies x = i8, w = i8 or ",
        ),
        (
            ("lanes = [4]", "lanes = [4]\nalign = 64"),
            "[[intrinsic]] dot32: align = 64: does not divide the bytes of a group",
        ),
        (
            ("my_core_dot32", "f(); system"),
            "[[intrinsic]]: function = 'f(); system': is not text: the name of a C function",
        ),
        (("my_core.h", "../my_core.h"), "[[intrinsic]]: header = '../my_core.h': is not text: the name of a header"),
        (("my_core.h", "/etc/passwd"), "[[intrinsic]]: header = '/etc/passwd': is not text: the name of a header"),
        (("my_core.h", "other.h"), "header = other.h: cannot be read (No such file or directory); put it beside"),
        (
            ('header = "my_core.h"', 'header = "s2s_simd.h"\nsource = "int x;"'),
            "[[intrinsic]] dot32: header = s2s_simd.h: ",
        ),
        (
            ('name = "my-core"', 'name = "my-core"\nintrinsics = ["smlat"]'),
            "intrinsics: there is no intrinsic 'smlat'; did you mean smlad? ",
        ),
        (('name = "my-core"', 'name = "my-core"\nintrinsics = ["dot32", "dot32"]'), "intrinsics = "),
        (
            ('name = "my-core"', 'name = "my-core"\nintrinsics = "dot32"'),
            "intrinsics = 'dot32': is not a list of names",
        ),
        ((INTRINSIC, INTRINSIC + INTRINSIC), "[[intrinsic]] dot32: is defined twice; rename one"),
        ((INTRINSIC, "intrinsic = 4"), "intrinsic = 4: is not a list of tables; write [[intrinsic]] above each"),
        ((INTRINSIC, "intrinsic = [4]"), "[[intrinsic]] = 4: is no table; write its keys under [[intrinsic]]"),
    ],
)
def test_wrong_intrinsics_are_refused(change: tuple[str, str], said: str, my_core: Path):
    my_core.write_text(TARGET.replace(*change, 1))
    with pytest.raises(InputError) as raised:
        get_target(str(my_core))
    assert str(raised.value).startswith(f"{my_core}: {said}")


def test_headers_that_are_no_text_are_refused(my_core: Path):
    my_core.with_name("my_core.h").write_bytes(b"\xff\xfe")
    with pytest.raises(
        InputError, match=r"header = my_core.h: cannot be read \(it is no text in UTF-8\); put it beside"
    ):
        get_target(str(my_core))


# what the entries of the package compute, and what C makes of them


def kernel_of(each: Intrinsic, lanes: int) -> tuple[ModuleOp, list[Array]]:
    """A kernel that calls an intrinsic once, and factors for it at the ends of their ranges."""
    rng, facts = np.random.default_rng(0), f'"{each.name}", {each.form}({each.x}, {each.w}) by {each.group}'
    intrinsic = f'<{facts}, "{each.function}" in "{each.header}">'
    at = "affine_map<() -> (0)>()"
    match each.form:
        case "dot_rows" | "dot_half_rows":
            steps = 2 * each.group * (2 if each.form == "dot_half_rows" else 1)
            counts = (steps, 2 * each.group * lanes)
            x, w, y = f"memref<{counts[0]}x{SIZES[each.x]}>", f"memref<{counts[1]}xi8>", f"{lanes}xi32"
            body = f"""%s = loop.intrinsic_rows {intrinsic}(%x, %w[affine_map<() -> (0, 0)>()])
                {{steps = {steps} : i64}} : {x}, {w} -> vector<{y}>"""
            stored = f"vector<{y}>"
        case "dot_group":
            counts, y, stored = (each.group, lanes * each.group), f"{lanes}xi32", f"vector<{lanes}xi32>"
            x, w = (f"memref<{count}xi8>" for count in counts)
            rows = [f"vector<{count}xi8>" for count in counts]
            body = f"""%a = loop.load %x[{at}] : {x} -> {rows[0]}
                %b = loop.load %w[{at}] : {w} -> {rows[1]}
                %acc = loop.load %y[{at}] : memref<{y}> -> {stored}
                %s = loop.intrinsic {intrinsic}(%acc, %a, %b) : {stored}, {rows[0]}, {rows[1]} -> {stored}"""
        case "dot_lanes":
            x = w = f"memref<{each.group * lanes}x{SIZES[each.x]}>"
            y, stored = f"{lanes}xi32", f"vector<{lanes}xi32>"
            groups = f"{{lane_stride = {each.group} : i64, stride = 1 : i64, count = {each.group} : i64}}"
            body = f"""%a = loop.load_groups %x[{at}] {groups} : {x} -> {stored}
                %b = loop.load_groups %w[{at}] {groups} : {w} -> {stored}
                %acc = loop.load %y[{at}] : memref<{y}> -> {stored}
                %s = loop.intrinsic {intrinsic}(%acc, %a, %b) : {stored}, {stored}, {stored} -> {stored}"""
            counts = (each.group * lanes, each.group * lanes)
        case _:
            steps = each.group // (2 if each.form in ("dot_points", "dot_two") else 1)
            x = w = f"memref<{steps}x{SIZES[each.x]}>"
            y, stored, vector = "1xi32", "i32", f"vector<{steps}x{SIZES[each.x]}>"
            body = f"""%a = loop.load %x[{at}] : {x} -> {vector}
                %b = loop.load %w[{at}] : {w} -> {vector}
                %acc = loop.load %y[{at}] : memref<{y}> -> i32
                %s = loop.intrinsic {intrinsic}(%acc, %a, %b) : i32, {vector}, {vector} -> i32"""
            counts = (steps, steps)
    text = f"""func.func private @k(%y: memref<{y}>, %x: {x}, %w: {w}) {{
        {body}
        loop.store %s, %y[{at}] : {stored}, memref<{y}>
        func.return
    }}"""
    factors = [
        rng.choice(np.array([-128, -127, -1, 0, 1, 35, 126, 127], np.int8), count).astype(
            np.int16 if kind == "i16" else np.int8
        )
        for count, kind in zip(counts, (each.x, each.w), strict=True)
    ]
    return parse(text), factors


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("name", "lanes"), [(each.name, lanes) for each in INTRINSICS.values() for lanes in each.lanes]
)
@pytest.mark.parametrize("flags", [("-O2",), ("-O2", "-march=native")], ids=["portable", "native"])
def test_c_computes_what_the_interpreter_does(name: str, lanes: int, flags: tuple[str, ...], tmp_path: Path):
    module, factors = kernel_of(INTRINSICS[name], lanes)
    (expected,) = results(functions(module)[0], factors, WeightStore())
    found = np.zeros(lanes, np.int32)
    CompiledKernels(module, tmp_path, flags).run("k", [found, *factors])
    np.testing.assert_array_equal(found, expected)
    assert expected.any()
