"""Stage `read`: read the network from a model file or a module, with the interface that its caller sees."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from s2s.analysis.network.functions import input_numbers, main_of, output_numbers, state_arguments
from s2s.c_syntax.identifiers import c_identifier
from s2s.c_syntax.interface import Port, Quantisation, named_ports
from s2s.c_syntax.reserved import HEADERS
from s2s.errors import InputError
from s2s.frontends.model import Model, Source, read
from s2s.frontends.sizes import computed_sizes
from s2s.frontends.states import ModelNames
from s2s.options import CompileOptions
from s2s.passes.operators import load_operators
from s2s.stages.check_options import check_network
from s2s.stages.state import Facts, State
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, as_tensor_type
from s2s.types.interface import (
    EMPTY_INPUTS,
    EMPTY_OUTPUTS,
    BytePorts,
    EmptyTensor,
    InputSizes,
    empty_tensors,
    model_tensor,
    texts_of,
)
from s2s.types.language import Language
from s2s.types.sizes import GAPS, VARIES, InputShapes, SizeRange, derived_of, extents_of, sizes_of

if TYPE_CHECKING:
    from s2s.frontends.streams import Window

MAX_NAME_LENGTH = 24
RUNTIME_PREFIX = "s2s"
"""What the names of the runtime start with."""


@frozen
class Read:
    """The origin of a network, and its interface."""

    name: str
    """The prefix of its C names."""
    source: str
    """Name of the model's file, or of the network where there is none."""
    sha256: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    empty_inputs: tuple[EmptyTensor, ...]
    """Inputs of the model without elements, which are not passed."""
    empty_outputs: tuple[EmptyTensor, ...]
    model_names: ModelNames = field(default_factory=ModelNames)
    """The names of all inputs and outputs of the model, also of the ones that `--state` ties."""
    windows: "Mapping[str, Window]" = field(default_factory=dict[str, "Window"])
    """The inputs of the model of which a run takes the new frames only, before the first run."""
    initial_state: Mapping[str, Array] = field(default_factory=dict[str, Array])
    """The values, before the first run, of what the network keeps from run to run."""
    language: Language | None = None
    """The tokeniser and the cache of a language model."""
    computed: Mapping[str, SizeRange] = field(default_factory=dict[str, SizeRange])
    """The sizes that the network computes, with their bounds."""
    has_gaps: bool = False
    """Whether a tensor has more elements in some run than in the one of the greatest sizes."""
    sizes: InputSizes = InputSizes()
    """The sizes that vary, before any pass."""
    assumed: InputShapes = field(default_factory=dict[str, tuple[int | str, ...]])
    """The shapes, with a batch of one, of inputs whose batch the model and the user leave open."""
    fixed: Mapping[str, Mapping[int, int]] = field(default_factory=dict[str, Mapping[int, int]])
    """The sizes that a program of PyTorch fixes although `dynamic_shapes` leaves them open, by input and dimension."""
    byte_ports: BytePorts = BytePorts()
    """The inputs and outputs that are passed as bytes, and in the model as real numbers."""

    def describe_real_ports(self) -> str:
        """Describe the inputs and outputs that `--ports int8` leaves real numbers; empty if there are none."""
        if self.byte_ports == BytePorts():
            return ""
        inputs, outputs = (
            [port.name for port in ports if isa(port.element, AnyFloat) and port.name not in bytes]
            for ports, bytes in ((self.inputs, self.byte_ports.inputs), (self.outputs, self.byte_ports.outputs))
        )
        reasons = (
            *([f"{', '.join(inputs)}: not quantised first by one scale"] if inputs else []),
            *([f"{', '.join(outputs)}: not dequantised last by one scale"] if outputs else []),
        )
        return "; ".join(reasons)


def read_network(source: Source, options: CompileOptions) -> State:
    """Run the frontend."""
    progress.step("reading the model")
    load_operators()
    model = read(source, options)
    byte_ports = _byte_ports(model, options)
    check_network(model.module, options)
    main = main_of(model.module)
    inputs = _ports(main.arg_attrs, main.function_type.inputs.data, input_numbers(main))
    outputs = _ports(main.res_attrs, main.function_type.outputs.data, output_numbers(main))
    assumed = {port.name: port.named_shape for port in inputs if port.name in model.assumed}
    inputs, outputs = named_ports(inputs, outputs)
    fact = Read(
        name=_c_name(options.name, model.name),
        source=model.file,
        sha256=model.sha256,
        inputs=inputs,
        outputs=outputs,
        empty_inputs=empty_tensors(main, EMPTY_INPUTS),
        empty_outputs=empty_tensors(main, EMPTY_OUTPUTS),
        model_names=model.names,
        windows=model.windows,
        initial_state={state.name: state.initial(model.weights) for state in state_arguments(main)},
        language=model.language,
        computed=computed_sizes(model.module, options.dims),
        has_gaps=GAPS in model.module.attributes,
        sizes=InputSizes(sizes_of(model.module.attributes), derived_of(model.module.attributes)),
        assumed=assumed,
        fixed=model.fixed,
        byte_ports=byte_ports,
    )
    return State("read", model.module, model.weights, Facts().extended(fact))


def _byte_ports(model: Model, options: CompileOptions) -> BytePorts:
    """Replace inputs and outputs that are quantised by bytes, if the user asks for it."""
    if options.ports == "model":
        return BytePorts()
    from s2s.passes.graph.take_byte_ports import take_byte_ports

    ports = take_byte_ports(model.module, model.weights)
    if ports == BytePorts():
        raise InputError(
            f"{model.name}: --ports int8 finds no input that is quantised first and no output that is dequantised "
            "last, by one scale; leave it out"
        )
    return ports


def _c_name(wished: str | None, found: str) -> str:
    name = c_identifier(wished if wished is not None else found, MAX_NAME_LENGTH)
    if name.partition("_")[0] == RUNTIME_PREFIX or name in HEADERS:
        name = f"net_{name}"[:MAX_NAME_LENGTH]
    if wished is not None and name != wished:
        raise InputError(
            f"--name {wished}: names in C start with it, so it has lower-case letters, digits and _, at most "
            f"{MAX_NAME_LENGTH} characters, and is neither a word of C, nor a header, nor {RUNTIME_PREFIX}; try {name}"
        )
    return name


def _ports(
    attributes: ArrayAttr[DictionaryAttr] | None, types: tuple[Attribute, ...], numbers: Sequence[int]
) -> tuple[Port, ...]:
    """Return the arguments or results of main with these `numbers`."""
    ports: list[Port] = []
    every = list(zip(attributes or (), types, strict=True))
    for dictionary, type in (every[number] for number in numbers):
        name, tensor = dictionary.data["name"], as_tensor_type(type)
        assert isinstance(name, StringAttr)
        quantised = _quantisation(dictionary.data)
        model = model_tensor(dictionary.data)
        ports.append(
            Port(
                name.data,
                tensor.element_type,
                tensor.get_shape(),
                quantisation=quantised,
                model=model,
                texts=texts_of(dictionary.data),
                varies=extents_of(dictionary.data.get(VARIES), 0),
            )
        )
    return tuple(ports)


def _quantisation(facts: Mapping[str, Attribute]) -> Quantisation | None:
    """Return the scale and zero point of an integer input or output, if the model states them."""
    scale, zero_point = facts.get("quant_scale"), facts.get("quant_zero_point")
    if not isinstance(scale, FloatAttr) or not isinstance(zero_point, IntegerAttr):
        return None
    return Quantisation(scale.value.data, zero_point.value.data)
