"""From a model to C in memory: frontend, pipeline, and what emission has to know beside the C."""

import gc
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from s2s.analysis.cost.kernels import KernelCost, kernel_costs
from s2s.analysis.cost.operators import multiply_adds
from s2s.analysis.network.functions import input_numbers, output_numbers
from s2s.analysis.numbers.accumulators import layer_sums
from s2s.analysis.numbers.sums import LayerSums
from s2s.c_syntax.identifiers import c_identifier
from s2s.data.samples import sample
from s2s.decisions.decision import Decision
from s2s.decisions.file import check_known
from s2s.decisions.given import Given
from s2s.decisions.recorded import decisions_of
from s2s.dialects import tensor
from s2s.emit.info import GoldenVector, NetworkInfo, PortInfo, Quantisation, StateInfo, Striped, Threads, Tolerance
from s2s.errors import CompilerBug, InputError
from s2s.executor import graph_json
from s2s.executor.describe import describe
from s2s.frontends.model import Model, Source, read
from s2s.interpret.graph import run_graph
from s2s.interpret.graph.work import MAX_GOLDEN_ELEMENTS, MAX_GOLDEN_WORK, Meter, TooMuchWorkError, metered
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.passes.graph.lift_quantized.steps import output_steps
from s2s.passes.loop.lower_to_c.names import c_names
from s2s.passes.manager import PassManager
from s2s.pipeline import LEVELS, pipeline, quantisation_passes
from s2s.planned import Planned
from s2s.state import check_executor, states_of
from s2s.striped import striped_layers
from s2s.support import progress
from s2s.targets import get_target
from s2s.types.dtypes import as_tensor_type, tensor_type
from s2s.types.interface import EMPTY_INPUTS, EMPTY_OUTPUTS, EmptyTensor, empty_tensors, model_tensor
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

LONGEST_NAME = 24
RUNTIME_PREFIX = "s2s"
"""What the names of the runtime start with."""
GOLDEN_SEED = 0


@dataclass(frozen=True)
class Network:
    """What is known of a network before it is compiled."""

    name: str
    """The prefix of its C names."""
    source: str
    sha256: str
    inputs: tuple[PortInfo, ...]
    outputs: tuple[PortInfo, ...]
    golden: tuple[GoldenVector, ...]
    empty_inputs: tuple[EmptyTensor, ...] = ()
    """Inputs of the model without elements, which are not passed."""
    empty_outputs: tuple[EmptyTensor, ...] = ()
    sums: tuple[LayerSums, ...] = ()
    """What is proven of the sums of integer layers."""
    steps: tuple[float | None, ...] = ()
    """For each output the step of its quantisation, if it has one."""


@dataclass(frozen=True)
class Compilation:
    """A network compiled as far as the options ask; `info` is there once it has reached C."""

    network: Network
    options: CompileOptions
    module: ModuleOp
    weights: WeightStore
    levels: Mapping[str, ModuleOp]
    """The module after each level, where they were asked for."""
    info: NetworkInfo | None
    decisions: tuple[Decision, ...] = ()
    """What was chosen, once the compilation has reached C."""
    costs: Mapping[str, KernelCost] = field(default_factory=dict[str, KernelCost])
    """What each kernel computes and moves, by its name in C."""


@contextmanager
def _rare_collections() -> Generator[None]:
    """Collect garbage seldom meanwhile: the IR is many objects that live until the end, and looking through them
    again and again takes a quarter of the time."""
    before = gc.get_threshold()
    gc.set_threshold(500_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@_rare_collections()
def compile_model(source: Source, options: CompileOptions, *, keep_levels: bool = False) -> Compilation:
    """Run the frontend and the pipeline. With `keep_levels`, the module is copied after every level."""
    progress.step("reading the model")
    model = read(source, options.shapes, options.name, options.tflite_rounding)
    check_executor(model.module, options.executor)
    network = _describe(model, options)
    states: tuple[StateInfo, ...] = ()
    given = Given(user=options.decisions, detailed=options.explain)
    context, module = CompilerContext(model.weights, [get_target(options.target)], given), model.module
    levels: dict[str, ModuleOp] = {}
    memory: Planned | None = None
    decisions: tuple[Decision, ...] = ()
    graph: graph_json.Network | None = None
    passes_of = pipeline(options, network.name)
    manager = PassManager(context, [each for passes in passes_of.values() for each in passes], options.debug)
    settling = quantisation_passes(options)
    manager.run(module, settling)
    network = replace(
        network,
        golden=_golden(model, network.inputs),
        sums=layer_sums(module, model.weights),
        steps=output_steps(module, model.weights),
    )
    work = sum(map(multiply_adds, module.walk()))
    stripes: tuple[Striped, ...] = ()
    costs: dict[str, KernelCost] = {}
    tolerance = Tolerance()
    for level, passes in passes_of.items():
        manager.run(module, passes[len(settling) :] if level == LEVELS[0] else passes)
        if keep_levels and level != LEVELS[-1]:
            levels[level] = module.clone()
        if level == LEVELS[0]:
            stripes = striped_layers(module, work)
        if level == "tensor":
            costs = kernel_costs(module)
            tolerance = _tolerance(module, network.golden)
        if level == "loop" and not manager.stopped:
            names = c_names(module, network.name).kernels
            costs = {names[name]: cost for name, cost in costs.items() if name in names}
            memory = Planned.of(module)
            decisions = decisions_of(module)
            check_known(options.decisions, decisions)
            states = states_of(module)
            if options.executor == "graph":
                graph = describe(module, network.name, model.weights)
        if manager.stopped:
            break
    manager.finish()
    if manager.stopped:
        return Compilation(network, options, module, model.weights, levels, None)
    if memory is None:
        raise CompilerBug("the pipeline ended without a memory plan")
    info = replace(_info(network, options, memory, graph), states=states, stripes=stripes, tolerance=tolerance)
    info = replace(info, decisions=decisions)
    return Compilation(network, options, module, model.weights, levels, info, decisions, costs)


def _tolerance(module: ModuleOp, golden: Sequence[GoldenVector]) -> Tolerance:
    """How far results may be off. What convolutions by tiles lose does not shrink with a result beside larger ones."""
    if not any(isinstance(op, tensor.TransformOp) for op in module.walk()):
        return Tolerance()
    sizes = [np.abs(output[np.isfinite(output)]).max(initial=0.0) for vector in golden for output in vector.outputs]
    return Tolerance(absolute=float(f"{Tolerance.absolute * max(1.0, *sizes):.1e}"), scaled=True)


def _describe(model: Model, options: CompileOptions) -> Network:
    main = function_named(model.module, "main")
    if main is None:
        raise CompilerBug("the imported module has no main")
    inputs = _ports(main.arg_attrs, main.function_type.inputs.data, input_numbers(main))
    outputs = _ports(main.res_attrs, main.function_type.outputs.data, output_numbers(main))
    return Network(
        name=_c_name(options.name, model.name),
        source=model.file,
        sha256=model.sha256,
        inputs=inputs,
        outputs=outputs,
        golden=(),
        empty_inputs=empty_tensors(main, EMPTY_INPUTS),
        empty_outputs=empty_tensors(main, EMPTY_OUTPUTS),
    )


def _c_name(wished: str | None, found: str) -> str:
    name = c_identifier(wished if wished is not None else found, LONGEST_NAME)
    if name.partition("_")[0] == RUNTIME_PREFIX:
        name = f"net_{name}"[:LONGEST_NAME]
    if wished is not None and name != wished:
        raise InputError(
            f"--name {wished}: names in C start with it, so it has lower-case letters, digits and _, at most "
            f"{LONGEST_NAME} characters, and is neither a word of C nor {RUNTIME_PREFIX}; try {name}"
        )
    return name


def _ports(
    attributes: ArrayAttr[DictionaryAttr] | None, types: tuple[Attribute, ...], numbers: Sequence[int]
) -> tuple[PortInfo, ...]:
    """The arguments or results of main that `numbers` lists."""
    ports: list[PortInfo] = []
    every = list(zip(attributes or (), types, strict=True))
    for dictionary, type in (every[number] for number in numbers):
        name, tensor = dictionary.data["name"], as_tensor_type(type)
        assert isinstance(name, StringAttr)
        quantised = _quantisation(dictionary.data)
        model = model_tensor(dictionary.data)
        ports.append(PortInfo(name.data, tensor.element_type, tensor.get_shape(), quantisation=quantised, model=model))
    return tuple(ports)


def _quantisation(facts: Mapping[str, Attribute]) -> Quantisation | None:
    """What the integers of an input or output stand for, where the model says it."""
    scale, zero_point = facts.get("quant_scale"), facts.get("quant_zero_point")
    if not isinstance(scale, FloatAttr) or not isinstance(zero_point, IntegerAttr):
        return None
    return Quantisation(scale.value.data, zero_point.value.data)


def _golden(model: Model, inputs: tuple[PortInfo, ...]) -> tuple[GoldenVector, ...]:
    """Made-up inputs, and what the graph interpreter says they give; zeros where made-up ones are no valid indices.

    None where the network computes too much for an interpreter.
    """
    progress.step("computing a golden vector")
    types = [tensor_type(port.element, port.shape) for port in inputs]
    if sum(port.count for port in inputs) > MAX_GOLDEN_ELEMENTS:
        return ()
    made_up = tuple(
        sample(port.name, type, GOLDEN_SEED, full_range=port.quantisation is not None)
        for port, type in zip(inputs, types, strict=True)
    )
    for arrays in (made_up, tuple(np.zeros_like(array) for array in made_up)):
        evaluator = metered(Meter(MAX_GOLDEN_WORK), MAX_GOLDEN_ELEMENTS)
        try:
            return (GoldenVector(arrays, tuple(run_graph(model.module, arrays, model.weights, evaluator=evaluator))),)
        except InputError:
            continue
        except TooMuchWorkError:
            break
    return ()


def _info(network: Network, options: CompileOptions, memory: Planned, graph: graph_json.Network | None) -> NetworkInfo:
    info = NetworkInfo(
        name=network.name,
        source=network.source,
        sha256=network.sha256,
        target=get_target(options.target),
        inputs=network.inputs,
        outputs=network.outputs,
        arena_size=memory.size,
        arena_align=memory.align,
        arena_lower_bound=memory.bound,
        arena_apart_bound=memory.apart_bound,
        overlaps=memory.overlaps,
        executor=options.executor,
        profile=options.profile,
        threads=Threads(options.threads, options.threading) if options.threads > 1 else None,
        graph=graph,
        golden=network.golden,
        empty_inputs=network.empty_inputs,
        empty_outputs=network.empty_outputs,
        sums=network.sums,
        options={
            "target": get_target(options.target).name,
            "executor": options.executor,
            "schedule": options.schedule,
            "weights": options.weights,
            "requantise": options.requantise,
            "profile": options.profile,
            **({"threads": str(options.threads), "threading": options.threading} if options.threads > 1 else {}),
        },
    )
    return memory.applied(info)
