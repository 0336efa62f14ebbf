"""What can be compiled: a model in a file, or a network that is at graph level already."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from s2s.analysis.dtypes import Array, as_tensor_type, to_numpy
from s2s.analysis.symbols import function_named
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.formats import LoadedModel, ModelSource, digest, import_model, load_model
from s2s.frontends.tflite.node import Rounding
from s2s.weights import WeightStore


@dataclass(frozen=True)
class GraphModel:
    """A network at graph level: `@main` of `module`, and the values of its weights by name."""

    module: ModuleOp
    params: Mapping[str, Array]
    name: str = "model"


Source = ModelSource | GraphModel


@dataclass(frozen=True)
class Model:
    """A network at graph level that the compiler may change, and where it came from."""

    module: ModuleOp
    weights: WeightStore
    name: str
    file: str
    """Name of the file, or of the network where there is none."""
    sha256: str


def read(
    source: Source, shapes: Mapping[str, tuple[int, ...]], name: str | None, tflite_rounding: Rounding = "micro"
) -> Model:
    """The network of `source`; `shapes` fixes those of inputs that a model file leaves open."""
    if isinstance(source, GraphModel):
        return _copy(source)
    loaded = load_model(source)
    imported = import_model(loaded, shapes=shapes, name=name, tflite_rounding=tflite_rounding)
    return Model(imported.module, imported.weights, imported.name, Path(loaded.label).name, digest(loaded))


def load_for_engine(source: Source, engine: str) -> LoadedModel:
    """The model as other engines read it."""
    if isinstance(source, GraphModel):
        raise InputError(f"{source.name}: {engine} reads models, and this is a module; compile the model it came from")
    return load_model(source)


def _copy(model: GraphModel) -> Model:
    """The module with names for its inputs and outputs, and with the weights that `params` hold."""
    module, weights = model.module.clone(), WeightStore()
    main = function_named(module, "main")
    if main is None or main.is_declaration:
        raise InputError(f"{model.name}: the module has no function main; name the function of the network so")
    for op in main.walk():
        if isinstance(op, graph.WeightOp):
            _give_value(op, model.params, weights)
    if main.arg_attrs is None:
        main.arg_attrs = _names("input", main.function_type.inputs.data)
    if main.res_attrs is None:
        main.res_attrs = _names("output", main.function_type.outputs.data)
    return Model(module, weights, model.name, model.name, hashlib.sha256(str(module).encode()).hexdigest())


def _give_value(op: graph.WeightOp, params: Mapping[str, Array], weights: WeightStore) -> None:
    name, wanted = op.weight_name.data, as_tensor_type(op.y.type)
    if name not in params:
        raise InputError(f"weight {name!r}: params hold no value for it; give one")
    value = np.asarray(params[name])
    if value.dtype != to_numpy(wanted.element_type) or value.shape != wanted.get_shape():
        given = f"{value.dtype}{list(value.shape)}"
        raise InputError(f"weight {name!r}: params hold {given}, the module wants {wanted}; convert it")
    if name not in weights:
        weights.add(name, value)
    op.hash = StringAttr(weights.hash(name))


def _names(kind: str, types: Sequence[Attribute]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr([DictionaryAttr({"name": StringAttr(f"{kind}{number}")}) for number in range(len(types))])
