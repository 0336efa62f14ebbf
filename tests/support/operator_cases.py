"""Every operator of the graph dialect on element types and values that matter, grouped by family."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.dialects.graph.quantize import Rounding
from s2s.types.dtypes import Array, from_numpy, type_of_array
from support.decision_trees import random_trees, samples
from support.kernels import rand

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
INTEGERS = (*SIGNED, *UNSIGNED)
NUMBERS = (*FLOATS, *INTEGERS)
ALL = (*NUMBERS, np.bool_)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, 100.0, -100.0, np.inf, -np.inf, np.nan)

Build = Callable[..., GraphOp]


@dataclass(frozen=True)
class Case:
    """One operation on the values it is run with."""

    label: str
    build: Build
    inputs: Sequence[Array]


def network(cases: Sequence[Case]) -> tuple[ModuleOp, list[Array]]:
    """All cases side by side in one `main`, an output for each, and the inputs."""
    inputs = [value for case in cases for value in case.inputs]
    block = Block(arg_types=[type_of_array(value) for value in inputs])
    values, outputs = list(block.args), list[GraphOp]()
    for case in cases:
        operands, values = values[: len(case.inputs)], values[len(case.inputs) :]
        op = case.build(*operands)
        graph.set_provenance(op, [case.label])
        block.add_ops([*(each.owner for each in op.operands if isinstance(each.owner, graph.ConstantOp)), op])
        outputs.append(op)
    results = [op.results[0] for op in outputs]
    block.add_op(ReturnOp(*results))
    types = list(block.arg_types), [result.type for result in results]
    module = ModuleOp([FuncOp("main", types, Region(block))])
    module.verify()
    return module, inputs


def values(dtype: Any) -> Array:
    """Ordinary values and extreme ones."""
    kind = np.dtype(dtype)
    if kind in [np.dtype(each) for each in FLOATS]:
        return np.concatenate([np.array(SPECIAL).astype(kind), rand(20, dtype=kind)])
    if kind == np.bool_:
        return np.array([False, True])
    limits = np.iinfo(kind)
    return np.concatenate([np.array([limits.min, limits.max, 0, 1, 2, 3], kind), rand(20, dtype=kind)])


def _pairs(dtype: Any) -> tuple[Array, Array]:
    first = values(dtype)
    return first.reshape(-1, 1), first


def _typed(
    ops: Sequence[Callable[..., GraphOp]], dtypes: Sequence[Any], inputs: Callable[[Any], Sequence[Array]]
) -> list[Case]:
    return [Case(f"{getattr(op, 'name', op)} {np.dtype(each)}", op, inputs(each)) for op in ops for each in dtypes]


def _one(dtype: Any) -> tuple[Array]:
    return (values(dtype),)


def functions() -> list[Case]:
    """Operators of one value."""
    of_floats = (
        *(graph.AcosOp, graph.AcoshOp, graph.AsinOp, graph.AsinhOp, graph.AtanOp, graph.AtanhOp, graph.CeilOp),
        *(graph.CosOp, graph.CoshOp, graph.ErfOp, graph.ExpOp, graph.FloorOp, graph.LogOp, graph.ReciprocalOp),
        *(graph.RoundOp, graph.RsqrtOp, graph.SigmoidOp, graph.SinOp, graph.SinhOp, graph.SqrtOp, graph.TanOp),
        *(graph.TanhOp, graph.IsNanOp),
    )
    return [
        *_typed(of_floats, FLOATS, _one),
        *_typed([graph.AbsOp, graph.SignOp], NUMBERS, _one),
        *_typed([graph.NegOp], [*FLOATS, *SIGNED], _one),
        *_typed([graph.IdentityOp], ALL, _one),
        *_typed([graph.BitwiseNotOp, graph.CountLeadingZerosOp], INTEGERS, _one),
        *_typed([graph.LogicalNotOp], [np.bool_], _one),
        *(
            Case(f"is_inf {np.dtype(each)} {sides}", partial(graph.IsInfOp, **sides), _one(each))
            for each in FLOATS
            for sides in (
                {"detect_negative": True, "detect_positive": False},
                {"detect_negative": False, "detect_positive": True},
                {"detect_negative": True, "detect_positive": True},
            )
        ),
        *(
            Case(f"clamp {np.dtype(each)} {low} {high}", partial(graph.ClampOp, min=low, max=high), _one(each))
            for dtypes, bounds in ((FLOATS, (-0.5, 6.0)), (INTEGERS, (-3, 6)))
            for each in dtypes
            for low, high in (bounds, (None, bounds[1]), (bounds[0], None))
        ),
    ]


def casts() -> list[Case]:
    """From every element type to every other, by value and, where they are as wide, by bits."""
    bits = [
        Case(
            f"bitcast {np.dtype(source)} to {np.dtype(target)}",
            partial(graph.BitcastOp, element_type=from_numpy(np.dtype(target))),
            _one(source),
        )
        for source in NUMBERS
        for target in NUMBERS
        if np.dtype(source).itemsize == np.dtype(target).itemsize
    ]
    return bits + [
        Case(
            f"cast {np.dtype(source)} to {np.dtype(target)}",
            partial(graph.CastOp, element_type=from_numpy(np.dtype(target))),
            _one(source),
        )
        for source in ALL
        for target in ALL
    ]


def binary() -> list[Case]:
    """Operators of two and three values, broadcast."""
    arithmetic = (
        *(graph.AddOp, graph.SubOp, graph.MulOp, graph.DivOp, graph.MaximumOp, graph.MinimumOp),
        *(graph.LessOp, graph.LessEqualOp, graph.GreaterOp, graph.GreaterEqualOp),
    )
    bits = (graph.BitwiseAndOp, graph.BitwiseOrOp, graph.BitwiseXorOp)
    logic = (graph.LogicalAndOp, graph.LogicalOrOp, graph.LogicalXorOp)
    return [
        *_typed(arithmetic, NUMBERS, _pairs),
        *_typed([graph.EqualOp], ALL, _pairs),
        *_typed(bits, INTEGERS, _pairs),
        *_typed(logic, [np.bool_], _pairs),
        *_typed([graph.PreluOp], FLOATS, lambda each: (rand(3, 4, dtype=each), rand(4, dtype=each, seed=1))),
        *_typed([graph.PowOp], [np.float32, np.float64], _pairs),
        *_typed([graph.PowOp], INTEGERS, lambda each: (values(each).reshape(-1, 1), np.array([0, 1, 2, 3, 7], each))),
        *_typed(
            [graph.ShiftLeftOp, graph.ShiftRightOp],
            UNSIGNED,
            lambda each: (values(each).reshape(-1, 1), np.array([0, 1, 7, 8, 31, 32, 64, 100], each)),
        ),
        *(
            Case(f"mod {np.dtype(each)} fmod={fmod}", partial(graph.ModOp, fmod=fmod), _pairs(each))
            for each in NUMBERS
            for fmod in (False, True)
        ),
        *_typed(
            [graph.SelectOp],
            ALL,
            lambda each: (rand(3, 1, dtype=np.bool_), rand(1, 4, dtype=each), rand(3, 4, dtype=each, seed=1)),
        ),
    ]


def _concat(*parts: SSAValue) -> GraphOp:
    return graph.ConcatOp(parts, axis=0)


def shapes() -> list[Case]:
    """Operators that move elements, on every type."""
    found: list[Case] = []
    for each in ALL:
        name, x, y = np.dtype(each), rand(3, 4, dtype=each), rand(2, 4, dtype=each, seed=1)
        fill = 0.5 if each in FLOATS else 1
        found += [
            Case(f"reshape {name}", partial(graph.ReshapeOp, shape=[2, 6]), [x]),
            Case(f"transpose {name}", partial(graph.TransposeOp, perm=[1, 0]), [x]),
            Case(f"slice {name}", partial(graph.SliceOp, starts=[2, 0], sizes=[2, 2], strides=[-1, 2]), [x]),
            Case(f"concat {name}", _concat, [x, y]),
            Case(f"tile {name}", partial(graph.TileOp, repeats=[2, 3]), [x]),
            Case(f"broadcast_to {name}", partial(graph.BroadcastToOp, shape=[2, 3, 4]), [x]),
            Case(f"pad {name}", partial(graph.PadOp, low=[1, 0], high=[0, 2], value=fill), [x]),
        ]
    sliced = partial(graph.DynamicSliceOp, sizes=[3, 2, 4], begins=("",) * 3, extents=("",) * 3)
    found += [
        Case("dynamic_reshape", partial(graph.DynamicReshapeOp, shape=[6, 2, 2], extents=("",) * 3), [rand(2, 3, 4)]),
        Case("dynamic_slice", partial(sliced, starts=[1, 3, 0], strides=[1, -2, 0]), [rand(4, 5, 1)]),
        Case(
            "dynamic_slice bytes", partial(sliced, starts=[0, 0, 0], strides=[0, 1, 1]), [rand(1, 2, 4, dtype=np.int8)]
        ),
    ]
    found += [
        Case(
            f"same_pad {side} {np.dtype(kind)}",
            partial(graph.SamePadOp, windows=[1, 3, 4], strides=[1, 2, 3], side=side, value=value),
            [rand(2, 5, 6, dtype=kind)],
        )
        for side in ("upper", "lower")
        for kind, value in ((np.float32, -1.5), (np.int8, -3))
    ]
    found += [
        Case(f"pad {mode}", partial(graph.PadOp, low=[2, 2], high=[2, 3], mode=mode), [rand(3, 4)])
        for mode in ("edge", "reflect", "wrap")
    ]
    found += [
        Case(f"pad {mode} {len(low)}", partial(graph.PadOp, low=low, high=high, mode=mode), [rand(*size)])
        for mode, low, high, size in (
            ("edge", [0, 5], [4, 0], (3, 2)),
            ("reflect", [0, 1, 3], [0, 4, 16], (2, 5, 20)),
            ("edge", [0, 1, 3], [0, 4, 20], (2, 5, 20)),
            ("reflect", [1, 1, 1, 0], [1, 0, 1, 2], (2, 3, 2, 3)),
        )
    ]
    return found


def iotas() -> list[Case]:
    """Operators without operands; a network needs an input beside them."""
    return [
        Case("identity", graph.IdentityOp, [rand(2)]),
        *(
            Case(f"iota {np.dtype(each)}", partial(graph.IotaOp, from_numpy(np.dtype(each)), [2, 5, 3], axis=1), [])
            for each in NUMBERS
        ),
        Case("size_values", partial(graph.SizeValuesOp, i64, [3], values=[2, 5, 7], names=("",) * 3), []),
        Case("one of size_values", partial(graph.SizeValuesOp, f32, [], values=[5], names=("",)), []),
    ]


def indices() -> list[Case]:
    """Operators whose operands say where elements lie."""
    found = [
        Case(
            f"gather by {np.dtype(each)}",
            partial(graph.GatherOp, axis=1),
            [rand(2, 5, 3), np.array([[0, 4], [2, 1]], each)],
        )
        for each in (np.int32, np.int64, np.uint8)
    ]
    picks = np.random.default_rng(0).integers(-3, 3, (2, 3))
    spots = np.array([[2, 0, 1], [0, 2, -1]])
    pairs = np.random.default_rng(0).integers(-2, 2, (5, 2))
    for each in (np.float32, np.float16, np.int8, np.uint8, np.int64, np.bool_):
        name, x, box = np.dtype(each), rand(3, 4, dtype=each), rand(2, 3, 4, dtype=each)
        found += [
            Case(f"gather {name}", partial(graph.GatherOp, axis=0), [x, picks]),
            Case(f"gather_elements {name}", partial(graph.GatherElementsOp, axis=0), [x, picks]),
            Case(f"gather_nd {name}", partial(graph.GatherNdOp, batch_dims=0), [box, pairs]),
            Case(
                f"scatter_elements {name}",
                partial(graph.ScatterElementsOp, axis=0),
                [x, spots, rand(2, 3, dtype=each, seed=1)],
            ),
            Case(f"scatter_nd {name}", graph.ScatterNdOp, [x, np.array([[2], [0]]), rand(2, 4, dtype=each, seed=1)]),
        ]
    trees, weights = random_trees(0, count=5, levels=4)
    ensemble = partial(graph.TreeEnsembleOp, trees=trees, weights=weights, targets=1)
    found += [
        Case(f"trees of {np.dtype(each)}", ensemble, [samples(0, 9).astype(each)]) for each in (np.float32, np.float64)
    ]
    corners, scores = rand(2, 9, 4), rand(2, 3, 9, seed=1)
    limits = [np.array(0.2, np.float32), np.array(-0.5, np.float32)]
    found += [
        Case("boxes by corners", partial(graph.NonMaxSuppressionOp, most=4), [corners, scores, *limits]),
        Case(
            "boxes by centres",
            partial(graph.NonMaxSuppressionOp, most=9, is_centered=True),
            [np.abs(corners), scores, *limits],
        ),
    ]
    image, numbers, sizes = rand(2, 6, 5, 3), np.array([0, 1, 1], np.int32), np.array([6, 5], np.int32)
    starts, bins = rand(3, 2) * 3, np.abs(rand(3, 2, seed=1)) * 3
    edges = np.array([[[0, 2], [1, 4]], [[-3, 9], [2, 2]], [[5, 9], [0, 1]]], np.int32)
    align = partial(graph.RoiAlignOp, rows=2, columns=3)
    for ratio, largest in ((0, False), (0, True), (2, False)):
        build = partial(align, ratio=ratio, largest=largest)
        found.append(Case(f"regions of {ratio}, {largest}", build, [image, numbers, starts, bins, sizes]))
    found += [
        Case("largest of regions", graph.MaxRegionsOp, [image, numbers, edges, edges]),
        Case(
            "sum of patches",
            partial(graph.SumPatchesOp, sizes=[9, 6], strides=[2, 1], low=[1, 0], dilations=[1, 2]),
            [rand(2, 2, 3, 2, 4, 4)],
        ),
        Case("determinants", graph.DeterminantOp, [rand(3, 2, 6, 6)]),
    ]
    where, by = np.array([[0, 1, 1], [2, -1, 0]]), rand(2, 3, seed=1)
    found += [
        Case(f"scatter_{kind} {how}", build, operands)
        for how in ("add", "mul", "min", "max")
        for kind, build, operands in (
            (
                "elements",
                partial(graph.ScatterElementsOp, axis=0, reduction=how),
                [rand(3, 4), where, by],
            ),
            (
                "nd",
                partial(graph.ScatterNdOp, reduction=how),
                [rand(3, 4), np.array([[2], [2]]), rand(2, 4, seed=1)],
            ),
        )
    ]
    return found


def _dft(roots: Array, x: SSAValue, *, bins: int, inverse: bool) -> graph.DftOp:
    """A transform by given roots of unity: by other numbers it means nothing."""
    return graph.DftOp(x, graph.ConstantOp(roots).y, bins=bins, inverse=inverse)


def _fixed_dft(roots: Array, turns: Array, x: SSAValue, *, inverse: bool) -> graph.FixedDftOp:
    """A transform by given roots of unity, in fixed point."""
    return graph.FixedDftOp(x, graph.ConstantOp(roots).y, graph.ConstantOp(turns).y, inverse=inverse)


def _fixed_transforms() -> list[Case]:
    """Transforms in fixed point, with steps of all radices."""
    found: list[Case] = []
    for each in (np.int16, np.int32):
        most = np.iinfo(each).max
        for inverse in (False, True):
            sign = 1 if inverse else -1
            angles = sign * 2 * np.pi * np.arange(60) / 60, sign * np.pi * ((np.arange(30) + 1) / 60 + 0.5)
            tables = [np.floor(0.5 + most * np.stack([np.cos(a), np.sin(a)], 1)).astype(each) for a in angles]
            shape = (2, 61, 2) if inverse else (2, 120)
            x = np.random.default_rng(0).integers(-most, most, shape).astype(each)
            build = partial(_fixed_dft, *tables, inverse=inverse)
            found.append(Case(f"fixed_dft {np.dtype(each)} {inverse}", build, [x]))
    return found


def reductions() -> list[Case]:
    """Operators that leave out dimensions, and running sums."""
    sums = (graph.ReduceSumOp, graph.ReduceMaxOp, graph.ReduceMinOp, graph.ReduceProdOp)
    found: list[Case] = []
    for each in NUMBERS:
        name, x = np.dtype(each), rand(2, 3, 4, dtype=each)
        for op in (*sums, *([graph.ReduceMeanOp] if each in FLOATS else [])):
            found += [
                Case(f"{op.name} {name} {axes}", partial(op, axes=axes, keepdims=False), [x])
                for axes in ((2,), (0, 1), (0, 1, 2))
            ]
        for op in (graph.ArgmaxOp, graph.ArgminOp):
            found += [
                Case(f"{op.name} {name} {last}", partial(op, axis=1, keepdims=True, select_last=last), [x])
                for last in (False, True)
            ]
    found += [
        Case(f"top_k {np.dtype(each)} {smallest}", partial(graph.TopKOp, count=3, smallest=smallest), [np.round(x)])
        for each in (*NUMBERS, np.bool_)
        for smallest in (False, True)
        for x in [rand(2, 9, dtype=each)]
    ]
    found += [
        Case(f"row_order {np.dtype(each)}", graph.RowOrderOp, [np.round(rand(9, 2, dtype=each))]) for each in NUMBERS
    ]
    found += _fixed_transforms()
    angles = 2 * np.pi * np.arange(30) / 30
    for each in (np.float32, np.float64):
        roots = np.stack([np.cos(angles), -np.sin(angles)], 1).astype(each)
        found += [
            Case(
                f"dft {np.dtype(each)} {parts} {bins} {inverse}",
                partial(_dft, roots, bins=bins, inverse=inverse),
                [rand(3, 30, parts, dtype=each)],
            )
            for parts, bins, inverse in ((1, 16, False), (2, 30, True), (1, 30, True))
        ]
    found += [
        Case(
            f"cumsum {np.dtype(each)} {exclusive} {reverse}",
            partial(graph.CumsumOp, axis=1, exclusive=exclusive, reverse=reverse),
            [rand(3, 5, dtype=each)],
        )
        for each in (np.float32, np.float64, np.int32, np.int64)
        for exclusive in (False, True)
        for reverse in (False, True)
    ]
    return found


def quantised() -> list[Case]:
    """From one scale to another, in every rounding, and tables of all numbers of 8 bits."""
    multipliers, shifts = np.array([2**30, 2**31 - 1, 0x7FFF0000], np.int32), np.array([-31, 3, -7], np.int8)
    roundings: Sequence[Rounding] = graph.RescaleOp.ROUNDINGS
    rescaled = [
        Case(
            f"rescale {rounding} {np.dtype(source)} to {np.dtype(target)}",
            partial(
                graph.RescaleOp,
                element_type=from_numpy(np.dtype(target)),
                rounding=rounding,
                input_zp=7,
                output_zp=100,
                axis=1,
            ),
            [rand(5, 3, dtype=source), multipliers, shifts],
        )
        for rounding in roundings
        for source in (np.int8, np.uint8, np.int16, np.int32)
        for target in (np.int8, np.uint8, np.int16, np.int32)
    ]
    tables = [
        Case(f"table {np.dtype(each)}", graph.TableOp, [rand(40, dtype=each), rand(256, dtype=np.int16)])
        for each in (np.int8, np.uint8)
    ]
    return [*rescaled, *tables]
