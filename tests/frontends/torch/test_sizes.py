# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
"""`dynamic_shapes` with bounds: one tree for all sizes within them, against torch at several."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import torch as frontend
from s2s.inspection import inspect_model
from s2s.tvm.relay import frontend as faces
from s2s.tvm.relay.factory import build
from s2s.types.sizes import SizeRange


class Encoder(nn.Module):
    """A layer of a transformer over tokens with places, whose mean is classified."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = self.layer(x + torch.arange(x.size(1))[:, None])
        return y, self.head(y.mean(1))


class Pair(nn.Module):
    """Two inputs with one size."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.relu(x) + y


class Images(nn.Module):
    """Convolutions over images of any number and width."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(2, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x).mean((2, 3))


def exported(module: nn.Module, inputs: list[Tensor], dynamic: Any) -> Any:
    torch.manual_seed(4)
    return frontend.export(module.eval(), inputs, None, dynamic)


def encoder(least: int = 1, most: int | None = 21) -> Any:
    return exported(Encoder(), [torch.randn(1, 5, 8)], ({1: Dim("tokens", min=least, max=most)},))


def wanted(program: Any, *inputs: Tensor) -> list[Any]:
    with torch.no_grad():
        found = program.module()(*inputs)
    return [each.numpy() for each in (found if isinstance(found, tuple) else (found,))]


def test_bounds_of_an_export_are_those_of_the_tree():
    program = encoder()
    with api.compile(program, target="c", name="net") as artifact:
        assert "#define NET_TOKENS_MAX 21" in artifact.tree().text("include/net.h")
        for tokens in (1, 2, 7, 20, 21):
            x = torch.randn(1, tokens, 8)
            for ours, theirs in zip(artifact.run({"x": x.numpy()}).values(), wanted(program, x), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
        with pytest.raises(InputError, match=r"x: axis 1 has size 22, and tokens is within 1\.\.21"):
            artifact.run({"x": np.zeros((1, 22, 8), np.float32)})


def test_verify_compares_with_torch_at_several_sizes():
    dynamic = ({0: Dim("images", min=1, max=3), 3: Dim("width", min=6, max=17)},)
    program = exported(Images(), [torch.randn(2, 2, 8, 9)], dynamic)
    with api.compile(program, target="c") as artifact:
        found = artifact.verify(against="torch")
        assert found.passed
        assert found.vectors >= 3


def test_inputs_that_share_a_size_have_one_name_for_it():
    tokens = Dim("tokens", min=1, max=9)
    program = exported(Pair(), [torch.randn(4, 3), torch.randn(4, 3)], {"x": {0: tokens}, "y": {0: tokens}})
    with api.compile(program, target="c") as artifact:
        assert [port.varies for port in artifact.info.inputs] == [("tokens", "")] * 2
        x, y = torch.randn(6, 3), torch.randn(6, 3)
        (found,) = artifact.run({"x": x.numpy(), "y": y.numpy()}).values()
        np.testing.assert_allclose(found, wanted(program, x, y)[0], rtol=1e-6)


def test_a_multiple_goes_by_steps_in_a_file(tmp_path: Path):
    class Groups(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.reshape(2, x.shape[1] // 4, 4).sum(-1)

    blocks = Dim("blocks", min=2, max=4)
    program = exported(Groups(), [torch.randn(2, 12)], ({1: 4 * blocks},))
    with api.compile(program, target="c") as artifact:
        assert artifact.info.sizes == {"blocks": SizeRange(2, 4)}
        for columns in (8, 12, 16):
            x = torch.randn(2, columns)
            (found,) = artifact.run({"x": x.numpy()}).values()
            np.testing.assert_allclose(found, wanted(program, x)[0], rtol=1e-5)
    torch.export.save(program, tmp_path / "net.pt2")
    with api.compile(tmp_path / "net.pt2", target="c") as artifact:
        assert artifact.info.sizes == {"x_dim1": SizeRange(8, 16, step=4)}
    for other in ("8..16", "10..14:+4", 10):
        with pytest.raises(InputError, match=re.escape(f"--dim x_dim1={other}: the program was exported for 8..16:+4")):
            api.compile(tmp_path / "net.pt2", target="c", dims={"x_dim1": other})


def test_a_mask_has_the_sizes_of_two_inputs():
    class Mask(nn.Module):
        def forward(self, x: Tensor, n: Tensor) -> Tensor:
            return x.masked_fill(torch.arange(x.shape[1]) >= n[:, None], 0)

    rows, tokens = Dim("rows", min=1, max=4), Dim("tokens", min=1, max=12)
    program = exported(Mask(), [torch.randn(2, 5), torch.tensor([3, 4])], ({0: rows, 1: tokens}, {0: rows}))
    with api.compile(program, target="c") as artifact:
        for shape in ((1, 1), (4, 12), (3, 7), (4, 5)):
            x, n = torch.randn(shape), torch.randint(1, shape[1] + 1, shape[:1])
            (found,) = artifact.run({"x": x.numpy(), "n": n.numpy()}).values()
            np.testing.assert_array_equal(found, wanted(program, x, n)[0])


def test_dims_narrow_the_bounds_or_fix_the_size():
    program = encoder()
    with api.compile(program, target="c", dims={"tokens": (2, 8)}) as artifact:
        assert artifact.compilation.options.dims == {"tokens": SizeRange(2, 8)}
    with api.compile(program, target="c", dims={"tokens": 6}) as artifact:
        assert artifact.info.inputs[0].shape == (1, 6, 8)
        assert not any(artifact.info.inputs[0].varies)


def test_a_shape_fixes_the_size_for_all_inputs_that_have_it():
    tokens = Dim("tokens", min=1, max=9)
    program = exported(Pair(), [torch.randn(4, 3), torch.randn(4, 3)], {"x": {0: tokens}, "y": {0: tokens}})
    with api.compile(program, target="c", shapes={"y": (5, 3)}) as artifact:
        assert [(port.shape, port.varies) for port in artifact.info.inputs] == [((5, 3), ())] * 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            {"dims": {"tokens": (1, 30)}},
            r"--dim tokens=1\.\.30: the program was exported for 1\.\.21; stay within these",
        ),
        ({"dims": {"tokens": 22}}, r"--dim tokens=22: the program was exported for 1\.\.21"),
        ({"dims": {"n": 2}}, "--dim n=2: no dimension of an input has this name; the open ones are 'tokens'"),
        ({"dims": {"tokens": 3}, "shapes": {"x": (1, 4, 8)}}, "--dim tokens=3: a --shape gives this size already"),
    ],
)
def test_sizes_outside_of_the_export_are_refused(options: dict[str, Any], reason: str):
    with pytest.raises(InputError, match=reason):
        api.compile(encoder(), target="c", **options)


def test_a_size_without_a_bound_is_asked_for():
    program = exported(Encoder(), [torch.randn(1, 5, 8)], ({1: Dim.AUTO},))
    with pytest.raises(InputError, match=r"dimension 1 has no size; give bounds of it, as in --dim x_dim1=2\.\.64"):
        api.compile(program, target="c")


def test_a_number_that_follows_from_the_size_is_that_of_the_run():
    class Share(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x / x.size(0) ** 2

    program = exported(Share(), [torch.randn(4, 3)], ({0: Dim("rows", min=1, max=9)},))
    with api.compile(program, target="c") as artifact:
        for rows in (1, 2, 9):
            x = torch.randn(rows, 3)
            (found,) = artifact.run({"x": x.numpy()}).values()
            np.testing.assert_allclose(found, wanted(program, x)[0], rtol=1e-6)


def test_a_saved_program_keeps_its_bounds(tmp_path: Path):
    torch.export.save(encoder(), tmp_path / "net.pt2")
    with api.compile(tmp_path / "net.pt2", target="c") as artifact:
        assert artifact.compilation.options.dims == {"x_dim1": SizeRange(1, 21)}


def test_from_pytorch_gives_a_module_whose_sizes_vary():
    module, x = Encoder().eval(), torch.randn(1, 5, 8)
    mod, params = faces.from_pytorch(module, (x,), dynamic_shapes=({1: Dim("tokens", min=1, max=21)},))
    params["head.bias"].copyfrom(np.full(3, 2.0, np.float32))
    library = build(mod, target="c", params=params, executor="aot")
    with torch.no_grad():
        module.head.bias.fill_(2.0)
        y = module(x)
    found = library.artifact.run({"x": x.numpy()})
    for ours, theirs in zip(found.values(), y, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4, atol=1e-5)


class Rows(nn.Module):
    """A network of four rows, which it wants of `x` but not of `y`."""

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.reshape(4, -1).relu(), torch.relu(y)


def test_a_size_that_the_program_fixes_is_said():
    program = exported(Rows(), [torch.randn(4, 3), torch.randn(4, 3)], ({0: Dim.AUTO}, {1: Dim("n", min=2, max=5)}))
    said = "dimension 0 is 4 in every run, as the program wants it"
    described = inspect_model(program)
    assert described.fixed == {"x": {0: 4}}
    assert described.in_words()["fixed for x"].startswith(said)
    with api.compile(program, target="c") as artifact:
        report = artifact.report(measure=False)
        assert report.as_dict()["fixed"] == {"x": {0: 4}}
        assert [words for field, words in report.in_words().items() if field.startswith("fixed")] == [
            f"{said}; change it where dynamic_shapes is to hold"
        ]


def test_nothing_is_said_of_sizes_that_vary_or_were_never_open():
    dynamic = ({1: Dim("m", min=2, max=5)}, {0: Dim.AUTO, 1: Dim("n", min=2, max=5)})
    program = exported(Rows(), [torch.randn(4, 3), torch.randn(4, 3)], dynamic)
    assert not inspect_model(program, shapes={"y": (4, 5)}).fixed


@pytest.mark.parametrize("axes", [(1,), (0, 1), (0, 1, 2)])
@pytest.mark.parametrize("share", [1, 2])
def test_a_dimension_that_is_left_out_at_one_size_only_is_refused_there(axes: tuple[int, ...], share: int):
    """The operators behind it are exported for the dimensions that the result has at all other sizes."""

    class Cut(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x[:, : x.shape[1] // share].squeeze(axes).sum(1)

    program = exported(Cut(), [torch.randn(2, 5, 2)], ({1: Dim.AUTO},))
    with pytest.raises(UnsupportedError, match=r"squeeze.*: leaves out a dimension of \[2, 1, 2\] that is open in the"):
        api.compile(program, target="c", shapes={"x": (2, share, 2)})
    with api.compile(program, target="c", shapes={"x": (2, 4, 2)}) as artifact:
        x = torch.randn(2, 4, 2)
        (found,) = artifact.run({"x": x.numpy()}).values()
        np.testing.assert_allclose(found, wanted(program, x)[0], rtol=1e-6)


def test_a_scalar_is_sought_among_numbers_whose_count_varies():
    class Place(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.searchsorted(x, 0.5)

    program = exported(Place(), [torch.randn(5).sort().values], ({0: Dim("n", min=1, max=8)},))
    with api.compile(program, target="c") as artifact:
        for count in (1, 3, 8):
            x = torch.linspace(-1, 1, count)
            (found,) = artifact.run({"x": x.numpy()}).values()
            np.testing.assert_array_equal(found, wanted(program, x)[0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[..., -1] + x[..., x.shape[-1] - 2],
        lambda x: x.sum() / x.shape[-1] ** 0.5,
        lambda x: x.narrow(-1, x.shape[-1] - 3, 2),
        lambda x: x.roll(x.shape[-1] - 1, -1),
    ],
    ids=["select", "root", "narrow", "roll"],
)
def test_positions_from_either_end_and_roots_are_those_of_the_run(function: Callable[[Tensor], Tensor]):
    class Sized(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return function(x)

    program = torch.export.export(Sized(), (torch.randn(3, 7),), dynamic_shapes=[{1: Dim("n", min=3, max=16)}])
    with api.compile(program, target="c") as artifact:
        for size in (3, 5, 16):
            x = torch.randn(3, size)
            np.testing.assert_allclose(
                artifact.run({"x": x.numpy()}).popitem()[1], function(x).numpy(), rtol=1e-5, atol=1e-5
            )
