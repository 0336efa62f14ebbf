"""Sources of a compilation whose caches grow from run to run: ONNX models, rewritten so that these have one size."""

import os
from dataclasses import replace
from functools import partial
from typing import TypeGuard, TypeVar

from onnx import ModelProto

from s2s.frontends import onnx
from s2s.frontends.onnx import ModelSource
from s2s.frontends.recognition import format_of
from s2s.options import CompileOptions

SourceT = TypeVar("SourceT")


def with_bounded_caches(source: SourceT, options: CompileOptions) -> tuple[SourceT | onnx.LoadedModel, CompileOptions]:
    """Return `source` with caches of one size if `options` tie some that grow, and options for the names that stars in
    `--state` stand for; anything but an ONNX model as it is."""
    if not _is_onnx(source):
        return source, options
    loaded = _loaded(source, options)
    from s2s.frontends.onnx.growing_caches import bounded, check_growth, growing_caches
    from s2s.frontends.onnx.state_names import expanded_states

    graph = loaded.proto.graph
    names = [value.name for value in graph.input], [value.name for value in graph.output]
    options = replace(options, states=expanded_states(options.states, *names))
    check_growth(loaded.proto, options.states)
    caches = growing_caches(loaded.proto, options.states)
    if not caches:
        return source, options
    proto, options = bounded(loaded, caches, options)
    return loaded._replace(proto=proto, is_specialised=True), options


def _is_onnx(source: object) -> TypeGuard[ModelSource]:
    return format_of(source) == "ONNX" and isinstance(source, str | os.PathLike | bytes | ModelProto)


def _loaded(source: ModelSource, options: CompileOptions) -> onnx.LoadedModel:
    read = partial(onnx.load_model, source)
    if options.untrusted:
        from s2s.frontends.gate import try_reading

        try_reading(read, str(source) if isinstance(source, str | os.PathLike) else "model")
    return read()
