"""Write `metadata.json`: the machine-readable record of a tree."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from xdsl.dialects.builtin import AffineMapAttr

from s2s.analysis.cost.loops import KernelPath
from s2s.c_syntax.interface import Interface, StateInfo
from s2s.c_syntax.types import element_name
from s2s.emit.call_comments import PlacedCall
from s2s.emit.external import ExternalNeeds, packed_functions
from s2s.emit.files import RECORD, Tree
from s2s.emit.info import DeviceInfo, NetworkInfo
from s2s.emit.sbom import RUNTIME_LICENCE
from s2s.emit.stream import Content
from s2s.emit.units import Program
from s2s.emit.view import GENERATED_LICENCE
from s2s.emit.weights import ConstantArray
from s2s.targets.flags import compile_flags
from s2s.types.interface import EmptyTensor
from s2s.types.language import Tokenizer

SCHEMA = 1
"""The version of the schema, increased when a field changes its meaning."""


def described(files: Mapping[str, Content], record: Mapping[str, Any], networks: Sequence[Interface]) -> Tree:
    """The tree of these files with its record, which names them."""
    record = {**record, "files": sorted(files)}
    text = json.dumps(record, indent=2) + "\n"
    return Tree({**files, RECORD: text.encode()}, record, {each.name: each for each in networks})


def network_record(
    info: NetworkInfo,
    program: Program,
    constants: Sequence[ConstantArray],
    needs: Sequence[ExternalNeeds] = (),
    calls: Sequence[PlacedCall] = (),
) -> dict[str, Any]:
    """Describe a network: generator, source, interface, memory, kernels and options."""
    return {
        "schema": SCHEMA,
        "generator": {"name": "s2s", "version": info.version},
        "name": info.name,
        "description": info.description,
        "licences": {"generated": GENERATED_LICENCE, "runtime": RUNTIME_LICENCE},
        "source": {"file": info.source, "sha256": info.sha256},
        "target": {"name": info.target.name, "flags": list(compile_flags(info.target))},
        "executor": info.executor,
        **({"external": [each.as_dict() for each in needs]} if needs else {}),
        **({"packed": packed} if (packed := packed_functions(program.callbacks)) else {}),
        **({"devices": [device_record(each, info) for each in info.devices]} if info.devices else {}),
        **({"threads": info.threads._asdict() | {"flags": list(info.threads.flags)}} if info.threads else {}),
        "options": dict(info.options),
        **_ports(info),
        "arena": {
            "size": info.arena_size,
            "align": info.arena_align,
            "lower_bound": info.arena_lower_bound,
            "lower_bound_apart": info.arena_apart_bound,
            "io": info.io,
            **({"pools": [each._asdict() for each in info.pools]} if info.pools else {}),
            **({"loaded": info.loaded} if info.loaded else {}),
            "extra_operations": info.extra_operations,
            "overlaps": [each._asdict() for each in info.overlaps],
            "line_buffers": [each._asdict() for each in info.line_buffers],
        },
        **_parts(info),
        "state": list(map(_state, info.states)),
        "weights": {
            "size": sum(array.size for array in constants),
            "arrays": list(map(array_record, constants)),
        },
        "measured": None if info.measured is None else asdict(info.measured),
        "accumulators": [asdict(each) for each in info.sums],
        **({} if info.removed_channels is None else {"removed_channels": asdict(info.removed_channels)}),
        "decisions": [each.as_dict() for each in info.decisions],
        **_kernels(program, calls, info),
        "tolerance": {"relative": info.tolerance.relative, "absolute": info.tolerance.absolute},
    }


def _state(state: StateInfo) -> dict[str, Any]:
    """Describe a tensor that outlives a run."""
    return {
        "name": state.name,
        "dtype": element_name(state.element),
        "shape": list(state.shape),
        "offset": state.offset,
        "size": state.size,
    }


def _kernels(program: Program, calls: Sequence[PlacedCall], info: NetworkInfo) -> dict[str, Any]:
    """Describe the kernels with their paths and pools, and each call: its kernel, its line in the file with the run
    function, and its nodes."""
    lines = [{"kernel": call.kernel, "line": first, "nodes": call.nodes} for call, first, _ in calls]
    code = [pool._asdict() for pool in info.code]
    return {
        "kernels": [kernel.sym_name.data for kernel in program.kernels],
        **({"calls": lines} if lines else {}),
        **({"code": code} if code else {}),
        "paths": list(map(_path, info.paths)),
    }


def _path(path: KernelPath) -> dict[str, Any]:
    """Describe what is proven of the path of a kernel."""
    because = {"because": list(path.because)} if path.because else {}
    return {"kernel": path.kernel, "path": path.path, **because, "repeats": path.repeats, "turns": path.most}


def array_record(array: ConstantArray) -> dict[str, Any]:
    """Describe a constant."""
    return {
        "identifier": array.identifier,
        "name": array.name,
        "dtype": element_name(array.element),
        "shape": list(array.values.shape),
        "size": array.size,
        **({"pool": array.pool} if array.pool else {}),
    }


def _parts(info: NetworkInfo) -> dict[str, Any]:
    """Describe what few networks have: rows that are handed over, steps of a run, a language."""
    pushed = {} if info.pushed is None else {"pushed": info.pushed._asdict()}
    steps = {} if info.steps is None else {"steps": info.steps._asdict()}
    return {**pushed, **steps, **_language(info)}


def _language(info: NetworkInfo) -> dict[str, Any]:
    """Describe the cache and the tokeniser of a language model; a text says why there is no tokeniser."""
    if info.language is None:
        return {}
    found = info.language.tokenizer
    tokenizer = found if isinstance(found, str) else _tokenizer(found)
    return {
        "language": {
            "positions": info.language.positions,
            "context": info.language.context,
            "tokenizer": tokenizer,
        }
    }


def _tokenizer(found: Tokenizer) -> dict[str, Any]:
    """Describe a tokeniser and its chat template; `turns` says why a program cannot do without rendering it."""
    template = found.template
    return {
        "words": found.words,
        "tokens": found.size,
        "template": None if template is None else template._asdict(),
        "turns": found.turns if isinstance(found.turns, str) else found.turns._asdict(),
    }


def device_record(device: DeviceInfo, info: NetworkInfo) -> dict[str, Any]:
    """Describe a device beside the first one: its target, its arena, and where its sources are."""
    return {
        "name": device.name,
        "target": {"name": device.target.name, "flags": list(compile_flags(device.target))},
        "memory": "shared" if device.shared else "own",
        "arena": sum(pool.size for pool in info.pools if pool.name == device.name),
        "folder": f"src/{device.name}",
    }


def _ports(interface: Interface) -> dict[str, Any]:
    """The inputs, the outputs and the sizes that vary, as JSON has them."""
    return {
        "inputs": [port.as_dict() for port in interface.inputs],
        "outputs": [port.as_dict() for port in interface.outputs],
        **_empty(interface),
        **_sizes(interface),
    }


def _sizes(interface: Interface) -> dict[str, Any]:
    """Describe the sizes that are known in a run only."""
    fields = interface.size_fields
    sizes = [
        {
            "name": name,
            "field": fields[name],
            "least": size.least,
            "most": size.most,
            **({"step": size.step} if size.step > 1 else {}),
            **({"special": list(size.special)} if size.special else {}),
            **({"computed": True} if name in interface.computed_sizes else {}),
        }
        for name, size in interface.sizes.items()
    ]
    derived = {name: str(AffineMapAttr(map)) for name, map in interface.derived_sizes.items()}
    return {"sizes": sizes, **({"derived_sizes": derived} if derived else {})} if sizes else {}


def _empty(interface: Interface) -> dict[str, Any]:
    """Describe inputs and outputs of the model without elements, which are not passed."""
    if not interface.empty_inputs and not interface.empty_outputs:
        return {}
    kinds = (("inputs", interface.empty_inputs), ("outputs", interface.empty_outputs))
    return {"empty": {kind: list(map(_empty_tensor, tensors)) for kind, tensors in kinds}}


def _empty_tensor(tensor: EmptyTensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "number": tensor.number,
        "dtype": tensor.tensor.type_name,
        "shape": list(tensor.tensor.shape),
    }
