"""The sources of a compilation: a model file, or a network at graph level."""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from onnx import ModelProto
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from s2s.analysis.network.functions import main_of, state_arguments
from s2s.analysis.numbers.port_quantisation import state_quantisation
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.formats import (
    LoadedModel,
    ModelSource,
    batches_of_one,
    digest,
    fixed_sizes,
    import_model,
    load_model,
    specialised,
)
from s2s.frontends.gguf import Decoder
from s2s.frontends.imported import Imported
from s2s.frontends.named_axes import axis_names, sized
from s2s.frontends.sizes import check_bounds, check_names, computed_sizes, mark_computed_sizes, symbols_of, with_bounds
from s2s.frontends.states import ModelNames, keep_states
from s2s.frontends.torch import is_torch
from s2s.options import CompileOptions
from s2s.types.dtypes import AnyTensor, Array, as_tensor_type, to_numpy
from s2s.types.language import Language
from s2s.types.sizes import DimSize, at_most, constant, sizes_of
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore, owned

if TYPE_CHECKING:
    from s2s.frontends.streams import Window

Resize: TypeAlias = Callable[[Mapping[str, DimSize]], Imported]
"""Reads a network again with other sizes of its open dimensions, constant ones or bounds, by name."""


class GraphModel(NamedTuple):
    """A network at graph level: `@main` of `module`, and the values of its weights by name."""

    module: ModuleOp
    params: Mapping[str, Array]
    name: str = "model"
    resize: Resize | None = None
    """Reads the network with other sizes; None where it has constant ones."""

    def at(self, dims: Mapping[str, DimSize]) -> "GraphModel":
        """The network with the sizes that `dims` give; the values of `params` stay where shapes do."""
        sizes = sizes_of(self.module.attributes)
        if all(sizes[name] == dims.get(name, sizes[name]) for name in sizes):
            return self
        if self.resize is None:
            raise InputError(
                f"{self.name}: has sizes that vary, and a module that was transformed is not read at others; give "
                "constant shapes to the frontend, or compile the model itself with s2s.compile"
            )
        imported = self.resize(dims)
        params = {name: imported.weights.get(name) for name in imported.weights.names()}
        kept = {name: self.params[name] for name in params.keys() & self.params.keys()}
        given = {name: value for name, value in kept.items() if np.shape(value) == params[name].shape}
        return self._replace(module=imported.module, params={**params, **given})


@runtime_checkable
class Network(Protocol):
    """A network that was written in another way than a model file, as the modules of `s2s.tvm` are."""

    def as_model(self, name: str | None = None) -> GraphModel:
        """Return the network at graph level, under `name` if one is given."""
        ...


Source: TypeAlias = "ModelSource | GraphModel"


class Model(NamedTuple):
    """A network at graph level that the compiler may change, and its origin."""

    module: ModuleOp
    weights: WeightStore
    name: str
    file: str
    """Name of the file, or of the network where there is none."""
    sha256: str
    names: ModelNames
    """The names of its inputs and outputs, also of the ones that became state."""
    language: Language | None = None
    """The tokeniser and the cache of a language model."""
    windows: "Mapping[str, Window]" = {}
    """The inputs of which a run takes the new frames only, by name."""
    assumed: Mapping[str, tuple[int, ...]] = {}
    """The shapes, with a batch of one, of inputs whose batch the model and the user leave open."""
    fixed: Mapping[str, Mapping[int, int]] = {}
    """The sizes that a program of PyTorch fixes although `dynamic_shapes` leaves them open, by input and dimension."""


def snapshot(source: Source) -> Source:
    """Return `source` such that its caller cannot change it any more; files and bytes are what they are."""
    if isinstance(source, ModelProto):
        copy = ModelProto()
        copy.CopyFrom(source)
        return copy
    if isinstance(source, GraphModel):
        return source._replace(params={name: owned(np.asarray(value)) for name, value in source.params.items()})
    is_program = is_torch(source) and not isinstance(source, str | os.PathLike)
    return load_model(source) if is_program else source


def read(source: Source, options: CompileOptions) -> Model:
    """The network of `source`, as `options` say it is read."""
    if options.untrusted and not isinstance(source, GraphModel):
        label = str(source) if isinstance(source, str | os.PathLike) else "model"
        from s2s.frontends.gate import try_reading

        try_reading(lambda: _imported(source, options), label)
    model = _copy(source.at(options.dims)) if isinstance(source, GraphModel) else _imported(source, options)
    if isinstance(source, GraphModel):
        known = {*computed_sizes(model.module, options.dims), *sizes_of(source.module.attributes)}
        unknown = next((name for name in options.dims if name not in known), None)
        if unknown is not None:
            raise InputError(f"{source.name}: --dim {unknown}: the module has no size of this name; leave it out")
        mark_computed_sizes(model.module, options.dims)
    if options.pre or options.post:
        from s2s.frontends.features.attach import surround

        surround(model.module, model.weights, options.pre, options.post)
        model = model._replace(names=ModelNames.of(main_of(model.module)))
    if options.streams:
        from s2s.frontends.streams import stream_inputs

        model = model._replace(windows=stream_inputs(model.module, model.weights, options.streams))
    keep_states(model.module, options.states)
    if options.cache != "float32" and not isinstance(source, Decoder):
        from s2s.frontends.caches import narrow_caches

        narrow_caches(model.module, model.weights, options.cache)
    return model


def _imported(source: ModelSource, options: CompileOptions) -> Model:
    given, named = load_model(source, trust=options.trust_model), axis_names(options.shapes)
    bounded = with_bounds(given, options.dims, options.shapes)
    check_bounds(given, bounded, options.shapes)

    model = specialised(given, options.bind, options.dims, named)
    assumed = batches_of_one(model, options.shapes, options.dims)
    imported = import_model(
        model,
        shapes={**assumed, **sized(options.shapes, options.dims)},
        name=options.name,
        tflite_rounding=options.tflite_rounding,
        sizes=at_most(options.dims),
        ledger=symbols_of(given, options.dims, options.shapes),
    )
    check_names(imported.module, given, options.dims, options.shapes)
    state_quantisation(imported.module, imported.weights)
    names = ModelNames.of(main_of(imported.module))
    return Model(
        imported.module,
        imported.weights,
        imported.name,
        Path(given.label).name,
        digest(given, options.bind, options.dims, named),
        names,
        source.language if isinstance(source, Decoder) else None,
        assumed=assumed,
        fixed=fixed_sizes(model),
    )


def load_for_engine(source: Source, engine: str, options: CompileOptions) -> LoadedModel:
    """The model as other engines read it, with sizes that vary left open."""
    if isinstance(source, GraphModel):
        raise InputError(f"{source.name}: {engine} reads models, and this is a module; compile the model it came from")
    loaded = load_model(source, trust=options.trust_model)
    return specialised(loaded, options.bind, constant(options.dims), axis_names(options.shapes))


def _copy(model: GraphModel) -> Model:
    """The module with names for its inputs and outputs, and with the weights that `params` hold."""
    module, weights = model.module.clone(), WeightStore()
    main = function_named(module, "main")
    if main is None or main.is_declaration:
        raise InputError(f"{model.name}: the module has no function main; name the function of the network so")
    for op in module.walk():
        if isinstance(op, graph.WeightOp):
            _give_value(op, model.params, weights)
    main.arg_attrs = _names("input", main.function_type.inputs.data, main.arg_attrs)
    main.res_attrs = _names("output", main.function_type.outputs.data, main.res_attrs)
    for state in state_arguments(main):
        if state.init is not None and state.init not in weights:
            weights.add(state.init, _value(state.init, as_tensor_type(state.type), model.params))
    sha256 = hashlib.sha256(str(module).encode()).hexdigest()
    return Model(module, weights, model.name, model.name, sha256, ModelNames.of(main))


def _give_value(op: graph.WeightOp, params: Mapping[str, Array], weights: WeightStore) -> None:
    name = op.weight_name.data
    if name not in weights:
        weights.add(name, _value(name, as_tensor_type(op.y.type), params))
    op.hash = StringAttr(weights.hash(name))


def _value(name: str, wanted: AnyTensor, params: Mapping[str, Array]) -> Array:
    if name not in params:
        raise InputError(f"weight {name!r}: params hold no value for it; give one")
    value = np.asarray(params[name])
    if value.dtype != to_numpy(wanted.element_type) or value.shape != wanted.get_shape():
        given = f"{value.dtype}{list(value.shape)}"
        raise InputError(f"weight {name!r}: params hold {given}, the module wants {wanted}; convert it")
    return value


def _names(kind: str, types: Sequence[Attribute], given: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr]:
    """Attributes of arguments or results with a name for each that has none."""
    known = [DictionaryAttr({})] * len(types) if given is None else list(given)
    return ArrayAttr(
        [
            DictionaryAttr({"name": StringAttr(f"{kind}{number}"), **attributes.data})
            for number, attributes in enumerate(known)
        ]
    )
