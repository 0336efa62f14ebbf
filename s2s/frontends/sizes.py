"""Mark what has a size that is known in a run only: axes of a network's inputs, and results that it computes."""

from collections.abc import Mapping, Sequence, Set

from xdsl.dialects.builtin import ModuleOp

from s2s.analysis.network.functions import main_of
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends import onnx, torch
from s2s.frontends.formats import LoadedModel, unknown_dimension
from s2s.frontends.named_axes import axis_names, sized
from s2s.frontends.onnx.open_shapes import declared_dims
from s2s.types.size import Ledger
from s2s.types.size_formulas import SizeFormula, formula_of, own_names
from s2s.types.sizes import (
    COMPUTED,
    SIZES,
    DimSize,
    InputShapes,
    SizeRange,
    constant,
    extents_attribute,
    sizes_attribute,
    sizes_of,
    varying,
)


def computed_sizes(module: ModuleOp, dims: Mapping[str, DimSize]) -> dict[str, SizeRange]:
    """Return the sizes that the operations of a network compute, with their bounds: the least one is 0, or as `dims`
    says."""
    found = [op for op in main_of(module).body.block.ops if isinstance(op, graph.NonzeroOp)]
    least = {name: size.least for name, size in varying(dims).items()}
    return {op.size.data: SizeRange(least.get(op.size.data, 0), op.bound.value.data) for op in found}


def mark_computed_sizes(module: ModuleOp, dims: Mapping[str, DimSize]) -> None:
    """Mark in `module` the sizes that it computes; one that has a constant size in `dims` is none."""
    found = {name: size for name, size in computed_sizes(module, dims).items() if not isinstance(dims.get(name), int)}
    if found:
        module.attributes[SIZES] = sizes_attribute({**sizes_of(module.attributes), **found})
        module.attributes[COMPUTED] = extents_attribute(found)


def open_dimensions(model: LoadedModel, shapes: InputShapes, dims: Mapping[str, DimSize]) -> list[str]:
    """Return the names of the sizes that the open dimensions of a model's inputs have or follow from, the ones that
    `shapes` give included. A dimension is a formula of sizes with a name, or of sizes in `dims`."""
    axes = (axis for axes in input_formulas(model, shapes, dims).values() for axis in axes if axis is not None)
    return list(dict.fromkeys(name for axis in axes for name in axis.names))


def with_bounds(model: LoadedModel, dims: Mapping[str, DimSize], shapes: InputShapes) -> dict[str, DimSize]:
    """Return `dims` with the sizes of a program of PyTorch that vary because it was exported for bounds."""
    if not isinstance(model, torch.LoadedModel):
        return dict(dims)
    if axis_names(shapes):
        raise InputError(
            f"--shape: an axis is called {axis_names(shapes)[0]}, and axes of a program have the names that "
            "torch.export.Dim gave them; give --dim with these"
        )
    return {**dims, **torch.varying_sizes(model.program, sized(shapes, dims), dims)}


def check_bounds(model: LoadedModel, dims: Mapping[str, DimSize], shapes: InputShapes) -> None:
    """Refuse bounds and steps of the open dimensions of a model that allow no two sizes, or contradict each other."""
    given = open_dimensions(model, shapes, dims)
    sizes = {name: size for name, size in varying(dims).items() if name in given}
    for name, size in sizes.items():
        if not 1 <= size.least < size.most:
            raise InputError(f"--dim {name}={size}: the first bound is 1 or more, the second is larger; correct them")
        if size.step < 1 or (size.most - size.least) % size.step:
            step = max(size.step, 1)
            most = max(size.most - (size.most - size.least) % step, size.least + step)
            raise InputError(
                f"--dim {name}={size.least}..{size.most}:+{size.step}: {size.most} is not {size.least} and whole steps "
                f"of {size.step}; give, for example, --dim {name}={SizeRange(size.least, most, step=step)}"
            )
        outside = next((each for each in size.special if each not in size.values), None)
        if outside is not None:
            raise InputError(f"--dim {name}={size}: kernels for {outside}, which is none of these sizes; correct it")


def symbols_of(model: LoadedModel, dims: Mapping[str, DimSize], shapes: InputShapes) -> Ledger:
    """Return a ledger with the sizes of inputs that vary, and with the bounds of sizes that the network computes."""
    bounded = with_bounds(model, dims, shapes)
    formulas, given = input_formulas(model, shapes, bounded), open_dimensions(model, shapes, bounded)
    ledger = Ledger()
    for name, size in varying(bounded).items():
        if name in given:
            ledger.size(name, size)
    ledger.asked = dims
    if ledger.names:
        from s2s.frontends.numbered_inputs import number_inputs  # few networks have sizes that vary

        number_inputs(ledger, formulas, constant(bounded))
    return ledger


def input_formulas(
    model: LoadedModel, shapes: InputShapes, dims: Mapping[str, DimSize]
) -> dict[str, list[SizeFormula | None]]:
    """Return for each input the size of each axis, None for a constant one and one without a name."""
    texts = _named(model, shapes)
    names = own_names(text for sizes in texts.values() for text in sizes if isinstance(text, str))
    sizes = {*names, *dims, *(model.program.sizes if isinstance(model, torch.LoadedModel) else ())}
    return {port: [_formula(size, sizes) for size in axes] for port, axes in texts.items()}


def _formula(size: int | str, sizes: Set[str]) -> SizeFormula | None:
    return None if isinstance(size, int) or size in ("", "?") else formula_of(size, sizes)


def _named(model: LoadedModel, shapes: InputShapes) -> Mapping[str, Sequence[int | str]]:
    """Return for each input its sizes, open ones by the names that the model or `shapes` give them."""
    return {**_declared(model), **{name: shape for name, shape in shapes.items() if axis_names({name: shape})}}


def _declared(model: LoadedModel) -> Mapping[str, Sequence[int | str]]:
    """Return for each input its sizes, open ones by their names."""
    if isinstance(model, onnx.LoadedModel):
        return {value.name: declared_dims(value) for value in model.proto.graph.input}
    if isinstance(model, torch.LoadedModel):
        return {port.name: port.sizes for port in model.program.inputs}
    return {}


def check_names(module: ModuleOp, model: LoadedModel, dims: Mapping[str, DimSize], shapes: InputShapes) -> None:
    """Refuse names in `dims` that neither an input of `model` has nor a result whose size the network computes."""
    computed = computed_sizes(module, dims)
    known = [*open_dimensions(model, shapes, dims), *computed]
    unknown = next((name for name in dims if name not in known), None)
    if unknown is not None:
        raise unknown_dimension(unknown, dims[unknown], known)
    for name, size in varying(dims).items():
        if name in computed and size.step > 1:
            raise InputError(
                f"--dim {name}={size}: a run computes this size, any up to {size.most}; leave the step out"
            )
