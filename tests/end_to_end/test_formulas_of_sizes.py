# pyright: reportUnknownMemberType=false
"""Inputs whose sizes are formulas of others, `x [1, 4*q]` and `y [q + 1]`: the caller gives `q`."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from s2s import api
from s2s.errors import InputError
from s2s.frontends import torch as frontend
from s2s.packagings.formats import export
from s2s.types.sizes import SizeRange
from support.c_compilers import require, run
from support.onnx_text import onnx_model

GROUPS = """(float[2,A] x, float[B] y) => (float[2,C] z)
<int64[3] shape = {2, -1, 4}, int64[1] last = {2}, int64[1] one = {1}, int64[1] end = {9999}> {
  r = Reshape (x, shape) m = ReduceSum <keepdims = 0> (r, last) t = Slice (y, one, end) z = Add (m, t)
}"""
PAST = """(float[A,3] old, float[B,3] new, float[C] mask) => (float[C,3] y) <int64[1] one = {1}> {
  c = Concat <axis = 0> (old, new) m = Unsqueeze (mask, one) y = Mul (c, m)
}"""
PLAIN = "(float[A] x, float[B] y) => (float[A] z) { z = Relu (x) }"
USER = """#include <stdio.h>
#include <net.h>
#include <s2s_arena.h>
S2S_ARENA(arena, NET_ARENA_SIZE, NET_ARENA_ALIGN);
static float x[NET_X_SIZE], y[NET_Y_SIZE], z[NET_Z_SIZE];
int main(void)
{
    for (int32_t q = NET_Q_MIN - 1; q <= NET_Q_MAX + 1; q++) {
        const net_dims dims = {q};
        for (int32_t at = 0; at < (int32_t)NET_X_SIZE; at++) {
            x[at] = (float)at;
        }
        for (int32_t at = 0; at < (int32_t)NET_Y_SIZE; at++) {
            y[at] = (float)(100 * at);
        }
        printf("%d:", (int)net_run(arena, &dims, x, y, z));
        printf(" %g %g\\n", (double)z[0], (double)z[q - 1]);
    }
    return 0;
}
"""


class Groups(nn.Module):
    """The sums of groups of four columns, and of the elements behind the first."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x.reshape(2, x.shape[1] // 4, 4).sum(-1) + y[1:]


def named(text: str, **names: str) -> onnx.ModelProto:
    """A model whose open dimensions have other names than its text form allows."""
    model = onnx_model(text)
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in names:
                dim.dim_param = names[dim.dim_param]
    return model


def groups() -> onnx.ModelProto:
    return named(GROUPS, A="4*q", B="q + 1")


def expected_groups(x: Any, y: Any) -> Any:
    return x.reshape(2, -1, 4).sum(-1) + y[1:]


def check_groups(loaded: Any) -> None:
    random = np.random.default_rng(0)
    for q in (2, 3, 4):
        x, y = (random.standard_normal(shape).astype(np.float32) for shape in ((2, 4 * q), (q + 1,)))
        (actual,) = loaded.run({"x": x, "y": y}).values()
        np.testing.assert_allclose(actual, expected_groups(x, y), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_a_model_of_onnx_takes_dimensions_that_are_formulas(executor: Any):
    with api.compile(groups(), target="c", dims={"q": (2, 4)}, executor=executor) as artifact:
        check_groups(artifact)
        assert artifact.verify().passed


def program() -> Any:
    q = Dim("q", min=2, max=4)
    return frontend.export(
        Groups().eval(), (torch.randn(2, 12), torch.randn(4)), None, {"x": {1: 4 * q}, "y": {0: q + 1}}
    )


def test_a_program_in_memory_has_the_names_of_its_dims():
    with api.compile(program(), target="c", name="net") as artifact:
        assert artifact.info.sizes == {"q": SizeRange(2, 4)}
        header = artifact.tree().text("include/net.h")
        assert "/* input: x, float[2][16 at most: q * 4] */" in header
        assert "/* input: y, float[5 at most: q + 1] */" in header
        check_groups(artifact)
        assert artifact.verify(against="torch").passed


def test_a_program_of_a_file_names_the_first_multiple(tmp_path: Path):
    torch.export.save(program(), tmp_path / "net.pt2")
    with api.compile(tmp_path / "net.pt2", target="c") as artifact:
        assert artifact.info.sizes == {"x_dim1": SizeRange(8, 16, step=4)}
        check_groups(artifact)
        assert artifact.verify(against="torch").passed
    with api.compile(tmp_path / "net.pt2", target="c", dims={"x_dim1": "8..12:+4"}) as artifact:
        assert artifact.info.inputs[1].shape == (4,)


def gcc(tree: Path) -> list[str | Path]:
    folders = [f"-I{tree / folder}" for folder in ("include", "runtime/include")]
    return [require("gcc"), "-std=c99", "-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror", *folders]


def sources(tree: Path) -> list[str]:
    return [*map(str, tree.glob("src/*.c")), *map(str, tree.glob("runtime/src/*.c"))]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("first", "second"),
    [("x", "arena"), ("dims", "a"), ("int", "4*"), ("Batch", "batch"), ("a b", "a_b"), ("i", "z"), ("net", "??/*/")],
)
def test_names_of_sizes_are_the_fields_of_the_run_function(first: str, second: str, tmp_path: Path):
    model = named(
        "(float[A,B] x, float[B,A] y) => (float[A,B] z) { t = Transpose (y) z = Add (x, t) }", A=first, B=second
    )
    with api.compile(model, target="c", name="net", dims={first: (1, 4), second: (1, 5)}) as artifact:
        artifact.write(tmp_path)
        run([*gcc(tmp_path), "-fsyntax-only", *sources(tmp_path)], tmp_path)
        (z,) = artifact.run({"x": np.ones((3, 2), "f"), "y": np.ones((2, 3), "f")}).values()
        np.testing.assert_array_equal(z, np.full((3, 2), 2))


def test_the_run_function_takes_the_size_and_refuses_another(tmp_path: Path):
    api.compile(groups(), target="c", dims={"q": (2, 4)}, name="net").write(tmp_path)
    (tmp_path / "user.c").write_text(USER)
    run([*gcc(tmp_path), "user.c", *sources(tmp_path), "-o", "user", "-lm"], tmp_path)
    refused, *lines, beyond = run([tmp_path / "user"], tmp_path).splitlines()
    assert refused.startswith("-8:")
    assert beyond.startswith("-8:")
    assert lines == ["0: 106 222", "0: 106 338", "0: 106 454"]


def test_a_sum_of_two_sizes_is_their_sum():
    model = named(PAST, A="past", B="new", C="past + new")
    with api.compile(model, target="c", dims={"past": (1, 6), "new": (1, 3)}) as artifact:
        for past, new in ((1, 1), (6, 3), (2, 3)):
            old, rows, mask = (np.random.rand(*shape).astype("f") for shape in ((past, 3), (new, 3), (past + new,)))
            (actual,) = artifact.run({"old": old, "new": rows, "mask": mask}).values()
            np.testing.assert_allclose(actual, np.concatenate([old, rows]) * mask[:, None])
        with pytest.raises(
            InputError, match=r"mask: axis 0 has size 4, and past \+ new is 3 with past = 1 and new = 2"
        ):
            artifact.run({"old": np.ones((1, 3), "f"), "new": np.ones((2, 3), "f"), "mask": np.ones(4, "f")})


def test_a_size_that_is_one_of_a_sum_is_told_by_the_other():
    model = named(PLAIN, A="past + new", B="new")
    with api.compile(model, target="c", dims={"past": (1, 6), "new": (1, 3)}) as artifact:
        assert artifact.run({"x": np.ones(5, "f"), "y": np.ones(2, "f")})["z"].shape == (5,)


def test_axes_that_the_user_names_may_be_formulas():
    shapes, dims = ["x=2,4*q", "y=q+1"], ["q=2..4"]
    with api.compile(onnx_model(GROUPS), target="c", shapes=shapes, dims=dims) as artifact:
        check_groups(artifact)
    with pytest.raises(InputError, match="--shape x: the axis q has no size; give it one, --dim q=4"):
        api.compile(onnx_model(GROUPS), target="c", shapes=shapes)


def test_a_constant_size_makes_its_formulas_constant():
    with api.compile(groups(), target="c", dims={"q": 3}) as artifact:
        assert [port.shape for port in artifact.info.inputs] == [(2, 12), (4,)]
        assert not artifact.info.sizes


WRONG: Mapping[str, tuple[tuple[int, int], str]] = {
    "another size": ((8, 4), r"y: axis 0 has size 4, and q \+ 1 is 3 with q = 2; make them agree"),
    "no multiple": ((7, 3), r"x: axis 1 has size 7, and q \* 4 is 8 with q = 2; make them agree"),
    "beyond the bounds": ((20, 6), r"x: axis 1 has size 20, and q \* 4 is 16 with q = 4; make them agree"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_shapes_that_contradict_the_formulas_are_refused(kind: str):
    (x, y), reason = WRONG[kind]
    with api.compile(groups(), target="c", dims={"q": (2, 4)}) as artifact, pytest.raises(InputError, match=reason):
        artifact.run({"x": np.zeros((2, x), "f"), "y": np.zeros(y, "f")})


@pytest.mark.parametrize(
    ("names", "dims", "reason"),
    [
        ({"A": "8 - q", "B": "q"}, {"q": (1, 4)}, r"input x: axis 0: is q \* -1 \+ 8, which falls while q rises"),
        ({"A": "q - 2", "B": "q"}, {"q": (1, 4)}, "input x: axis 0: is q - 2, which is below 1 at some sizes"),
        ({"A": "a + b", "B": "4"}, {"a": (1, 4), "b": (1, 3)}, r"--dim a=1\.\.4: no shape of an input tells it"),
        ({"A": "4*q", "B": "q"}, {}, "or the size of each name, as in --dim q=1$"),
        ({"A": "4*q", "B": "q"}, {"p": 3}, "no dimension of an input has this name; the open ones are 'q'"),
    ],
)
def test_formulas_that_no_run_could_follow_are_refused(names: dict[str, str], dims: Any, reason: str):
    with pytest.raises(InputError, match=reason):
        api.compile(named(PLAIN, **names), target="c", dims=dims)


@pytest.mark.parametrize("name", ["batch-size", "4*q", "floor(h/8)"])
def test_a_formula_of_unknown_names_is_a_name(name: str):
    with api.compile(named(PLAIN, A=name, B="n"), target="c", dims={name: (1, 9), "n": 2}) as artifact:
        assert artifact.run({"x": np.ones(5, "f"), "y": np.ones(2, "f")})["z"].shape == (5,)


def test_a_wheel_tells_the_size_by_the_formulas(tmp_path: Path):
    artifact = api.compile(groups(), target="host", dims={"q": (2, 4)}, name="sized")
    export(artifact.write(tmp_path / "tree"), ["wheel"], tmp_path / "project")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    run([*pip, "--no-build-isolation", "--target", tmp_path / "site", tmp_path / "project"], tmp_path)
    user = "import numpy as np, sized\nfor a, b in ((8, 3), (16, 5), (12, 5)):\n"
    user += "  print(sized.Network().run({'x': np.ones((2, a), 'f'), 'y': np.ones(b, 'f')})['z'].shape)\n"
    command = ["env", f"PYTHONPATH={tmp_path / 'site'}", sys.executable, "-c", user]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "(2, 2)\n(2, 4)\n"
    assert "ValueError: y: axis 0 has size 5, and q + 1 is 4" in done.stderr
