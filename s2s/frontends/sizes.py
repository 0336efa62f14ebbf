"""Mark what has a size that is known in a run only: axes of a network's inputs, and results that it computes."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from s2s.analysis.network.functions import main_of
from s2s.dialects import graph
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import onnx, torch
from s2s.frontends.formats import LoadedModel, unknown_dimension
from s2s.frontends.named_axes import axis_names, sized
from s2s.frontends.onnx.open_shapes import declared_dims
from s2s.types.dtypes import as_tensor_type
from s2s.types.interface import EMPTY_INPUTS, empty_tensors, model_tensor
from s2s.types.size import Ledger
from s2s.types.sizes import (
    COMPUTED,
    SIZES,
    VARIES,
    DimSize,
    InputShapes,
    SizeRange,
    extents_attribute,
    sizes_attribute,
    sizes_of,
    varying,
)


def computed_sizes(module: ModuleOp, dims: Mapping[str, DimSize]) -> dict[str, SizeRange]:
    """Return the sizes that the operations of a network compute, with their bounds: the least one is 0, or that of
    `dims`."""
    found = [op for op in main_of(module).body.block.ops if isinstance(op, graph.NonzeroOp)]
    least = {name: size.least for name, size in varying(dims).items()}
    return {op.size.data: SizeRange(least.get(op.size.data, 0), op.bound.value.data) for op in found}


def mark_computed_sizes(module: ModuleOp, dims: Mapping[str, DimSize]) -> None:
    """Mark in `module` the sizes that it computes; one that has a constant size in `dims` is none."""
    found = {name: size for name, size in computed_sizes(module, dims).items() if not isinstance(dims.get(name), int)}
    if found:
        module.attributes[SIZES] = sizes_attribute({**sizes_of(module.attributes), **found})
        module.attributes[COMPUTED] = extents_attribute(found)


def open_dimensions(model: LoadedModel, shapes: InputShapes) -> list[str]:
    """Return the names of the open dimensions of a model's inputs, the ones that `shapes` give included."""
    names = (dim for dims in _named(model, shapes).values() for dim in dims if isinstance(dim, str))
    return list(dict.fromkeys(name for name in names if name not in ("", "?")))


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
    given = open_dimensions(model, shapes)
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


def mark_sizes(module: ModuleOp, model: LoadedModel, dims: Mapping[str, DimSize], shapes: InputShapes) -> None:
    """Mark in `module`, which `model` has become, the axes of inputs whose size varies: in `dims`, or because a program
    of PyTorch was exported for bounds, and `shapes` do not fix it."""
    declared, given = _named(model, shapes), open_dimensions(model, shapes)
    _check_names(module, dims, given)
    sizes = {name: size for name, size in varying(with_bounds(model, dims, shapes)).items() if name in given}
    if not sizes:
        return
    main = main_of(module)
    for port in empty_tensors(main, EMPTY_INPUTS):
        named = next((name for name in declared.get(port.name, ()) if name in sizes), None)
        if named is not None:
            raise InputError(f"input {port.name}: has no element and is not passed; give {named} a constant size")
    module.attributes[SIZES] = sizes_attribute(sizes)
    main.arg_attrs = ArrayAttr(
        DictionaryAttr({**argument.data, VARIES: extents_attribute(_extents(argument, type, declared, sizes))})
        for argument, type in zip(main.arg_attrs or (), main.function_type.inputs, strict=True)
    )


def symbols_of(model: LoadedModel, dims: Mapping[str, DimSize], shapes: InputShapes) -> Ledger | None:
    """Return a ledger with the sizes of inputs that vary; None for formats whose importers take no symbols."""
    if not isinstance(model, onnx.LoadedModel):
        return None
    declared, given = _named(model, shapes), open_dimensions(model, shapes)
    ledger = Ledger()
    for name, size in varying(dims).items():
        if name in given:
            ledger.size(name, size)
    for port, sizes in declared.items():
        ledger.ports[port] = tuple(str(size) if size in ledger.names else "" for size in sizes)
    return ledger if ledger.names else None


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


def _check_names(module: ModuleOp, dims: Mapping[str, DimSize], given: list[str]) -> None:
    """Refuse names in `dims` that neither an input has nor a result whose size the network computes."""
    computed = computed_sizes(module, dims)
    known = [*given, *computed]
    unknown = next((name for name in dims if name not in known), None)
    if unknown is not None:
        raise unknown_dimension(unknown, dims[unknown], known)
    for name, size in varying(dims).items():
        if name in computed and size.step > 1:
            raise InputError(
                f"--dim {name}={size}: a run computes this size, any up to {size.most}; leave the step out"
            )


def _extents(
    argument: DictionaryAttr,
    type: Attribute,
    declared: Mapping[str, Sequence[int | str]],
    sizes: Mapping[str, SizeRange],
) -> list[str]:
    name = argument.data["name"]
    assert isinstance(name, StringAttr)
    extents = [str(dim) if dim in sizes else "" for dim in declared.get(name.data, ())]
    if not any(extents):
        return [""] * len(as_tensor_type(type).get_shape())
    packed = model_tensor(argument.data)
    if packed is not None and not packed.has_axes:
        raise UnsupportedError(
            f"input {name.data}: its elements are packed into bytes, which have no axis of their own for "
            f"{next(filter(None, extents))}; give that a constant size"
        )
    return extents
