"""Linear models and preparation of features of ai.onnx.ml, on numbers."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, equal, greater, reshape, select
from s2s.frontends.onnx.forest import as_rows
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.scores import class_labels, labelled, most_likely, transform, transformed
from s2s.frontends.onnx.texts import decoded, picked
from s2s.types.dtypes import Array

_FLOAT = np.dtype(np.float32)


def _affine(node: Node, x: Value, outputs: int) -> Value:
    """`x` by the coefficients, one row for each output, plus the intercepts, as f32."""
    coefficients, intercepts = node.reals("coefficients"), node.reals("intercepts", [])
    if len(coefficients) != outputs * x.shape[1] or len(intercepts) not in (0, outputs):
        raise node.invalid(
            f"{len(coefficients)} coefficients and {len(intercepts)} intercepts for {outputs} outputs of "
            f"{x.shape[1]} features",
            "export the model again",
        )
    weights = node.constant(np.array(coefficients, np.float32).reshape(outputs, -1).T)
    y = emit(graph.MatmulOp, cast(x, _FLOAT), weights)
    return y + node.constant(intercepts, np.float32) if intercepts else y


def _linear_regressor(node: Node) -> Value:
    x = as_rows(node, node.input(0))
    return transformed(node, _affine(node, x, node.integer("targets", 1)))


def _linear_classifier(node: Node) -> list[Value]:
    x = as_rows(node, node.input(0))
    labels = class_labels(node, "classlabels_ints", "classlabels_strings")
    rows = len(node.reals("coefficients")) // max(x.shape[1], 1)
    scores = _affine(node, x, rows)
    if rows == 1 and len(labels) == 2:
        how = node.text("post_transform")
        chosen = greater(scores, 0.0)
        number = select(chosen, node.constant(1, np.int64), 0)
        pair = concat([-scores, scores], 1)
        return [labelled(reshape(number, [x.shape[0]]), labels), transform(pair, how)]
    if rows != len(labels):
        raise node.invalid(f"{rows} rows of coefficients for {len(labels)} labels", "export the model again")
    return [most_likely(scores, labels), transformed(node, scores)]


def _scaler(node: Node) -> Value:
    x = node.input(0)
    offset, scale = node.reals("offset", []), node.reals("scale", [])
    width = x.shape[-1] if x.rank else 1
    if any(len(values) not in (0, 1, width) for values in (offset, scale)):
        raise node.invalid(f"{len(offset)} offsets and {len(scale)} scales for {width} features", "fix them")
    y = cast(x, _FLOAT)
    y = y - node.constant(offset, np.float32) if offset else y
    return y * node.constant(scale, np.float32) if scale else y


def _normalizer(node: Node) -> Value:
    x = node.input(0)
    if x.rank not in (1, 2):
        raise node.invalid(f"input has {x.rank} dimensions", "give one row of features for each sample")
    y, axes = cast(x, _FLOAT), [x.rank - 1]
    match node.choice("norm", "MAX", "L1", "L2"):
        case "MAX":
            size = emit(graph.ReduceMaxOp, y, axes=axes, keepdims=True)
        case "L1":
            size = emit(graph.ReduceSumOp, abs(y), axes=axes, keepdims=True)
        case _:
            size = emit(graph.SqrtOp, emit(graph.ReduceSumOp, y * y, axes=axes, keepdims=True))
    return select(equal(size, 0), y, y / size)


def _imputer(node: Node) -> Value:
    x = node.input(0)
    floats = x.is_float
    kind = "floats" if floats else "int64s"
    name = f"imputed_value_{kind}"
    values: Sequence[float] = node.reals(name, []) if floats else node.integers(name, [])
    if len(values) not in (1, x.shape[-1] if x.rank else 1):
        raise node.invalid(f"{len(values)} values for {x.shape[-1]} features", "give one, or one for each")
    replaced = node.real("replaced_value_float", 0.0) if floats else node.integer("replaced_value_int64", 0)
    found = emit(graph.IsNanOp, x) if np.isnan(replaced) else equal(x, replaced)
    return select(found, node.constant(np.asarray(values).astype(x.dtype)), x)


def _one_hot_encoder(node: Node) -> Value:
    x = node.input(0)
    if node.has("cats_strings") and node.texts("cats_strings"):
        raise node.unsupported("its categories are text", "encode numbers")
    categories = node.constant(node.integers("cats_int64s", []), np.int64)
    whole = cast(x, np.dtype(np.int64))
    return cast(emit(graph.EqualOp, reshape(whole, [*x.shape, 1]), categories), _FLOAT)


def _label_encoder(node: Node) -> Value:
    """A table of keys and values; a key that is not there gives the default."""
    x = node.input(0)
    if x.texts is not None:
        return _of_texts(node, x)
    keys, values = _table(node, "keys"), _values(node)
    if keys.size != values.size or not keys.size:
        raise node.invalid(f"{keys.size} keys for {values.size} values", "give one value for each key")
    node.require_small(keys.size * x.type.element_count(), "the comparison with its keys")
    default = _default(node, values)
    same = emit(graph.EqualOp, reshape(x, [*x.shape, 1]), node.constant(keys.astype(x.dtype)))
    if x.is_float and np.isnan(keys).any():
        absent = reshape(emit(graph.IsNanOp, x), [*x.shape, 1])
        unknown = emit(graph.LogicalAndOp, absent, node.constant(np.isnan(keys)))
        same = emit(graph.LogicalOrOp, same, unknown)
    numbered = select(same, node.constant(np.arange(keys.size), np.int32), keys.size)
    place = emit(graph.ReduceMinOp, numbered, axes=[x.rank], keepdims=False)
    return _at(node, np.concatenate([values, np.array([default], values.dtype)]), place)


def _of_texts(node: Node, x: Value) -> Value:
    """The values of texts, which are looked up here: one for each text that `x` may be."""
    keys, values = decoded(node.texts("keys_strings")) if node.has("keys_strings") else [], _values(node)
    if len(keys) != values.size or not keys:
        raise node.invalid(f"{len(keys)} keys for {values.size} values", "give one value for each text")
    known = dict(zip(reversed(keys), reversed(values.reshape(-1).tolist()), strict=True))
    found = [known.get(text, _default(node, values)) for text in x.texts or ()]
    return _at(node, np.array(found, values.dtype), x)


def _at(node: Node, table: Array, place: Value) -> Value:
    """The numbers or texts of a table at these places."""
    if table.dtype == object:
        return picked(place, table.tolist())
    return emit(graph.GatherOp, node.constant(table), place, axis=0)


def _values(node: Node) -> Array:
    """The values of a LabelEncoder: numbers, or texts."""
    texts = decoded(node.texts("values_strings")) if node.has("values_strings") else []
    return np.array(texts, object) if texts else _table(node, "values")


def _table(node: Node, kind: str) -> Array:
    """The numbers that are keys or values of a LabelEncoder."""
    if node.has(f"{kind}_strings") and node.texts(f"{kind}_strings"):
        raise node.invalid(f"its {kind} are text, its input is not", "fix the input")
    if node.has(f"{kind}_tensor"):
        return node.tensor(f"{kind}_tensor").reshape(-1)
    if node.has(f"{kind}_floats"):
        return np.array(node.reals(f"{kind}_floats"), np.float32)
    return np.array(node.integers(f"{kind}_int64s", []), np.int64)


def _default(node: Node, values: Array) -> float | str:
    """What a key gives that is not there."""
    if values.dtype == object:
        return node.text("default_string", "_Unused")
    if node.has("default_tensor"):
        return node.tensor("default_tensor").reshape(-1)[0].item()
    return node.real("default_float", -0.0) if values.dtype.kind == "f" else node.integer("default_int64", -1)


def _feature_vectorizer(node: Node) -> Value:
    rows = [as_rows(node, value) for value in node.inputs()]
    return concat([cast(value, _FLOAT) for value in rows], 1)


def _zip_map(node: Node) -> Value:
    """The scores themselves: a map from labels to them says nothing more."""
    return node.input(0)


ML_IMPORTERS: Mapping[str, Importer] = {
    "FeatureVectorizer": _feature_vectorizer,
    "Imputer": _imputer,
    "LabelEncoder": _label_encoder,
    "LinearClassifier": _linear_classifier,
    "LinearRegressor": _linear_regressor,
    "Normalizer": _normalizer,
    "OneHotEncoder": _one_hot_encoder,
    "Scaler": _scaler,
    "ZipMap": _zip_map,
}
