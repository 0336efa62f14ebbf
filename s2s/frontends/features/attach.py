"""Put steps before the inputs and behind the outputs of a network, into the same function.

    main(%x: int8 …) -> %y: int8                   --pre mfcc:… --post top-k:count=2
->
    main(%x: int16[16000]) -> %y_classes, %y_scores

Inputs of integers with a scale are quantised behind the last step before them, and what the steps behind an output read
is dequantised.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from s2s.analysis.network.functions import NAME, STATE, input_numbers, main_of, network_functions, output_numbers, text
from s2s.analysis.numbers.port_quantisation import SCALE, ZERO_POINT
from s2s.dialects import graph
from s2s.dialects.graph.base import ints
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.features.classes import Labels
from s2s.frontends.features.normalise import Normalise
from s2s.frontends.features.quantised import dequantised, quantised
from s2s.frontends.features.registry import post_step, pre_step
from s2s.frontends.features.resize import Resize
from s2s.frontends.features.step import PostStep, PreStep, Shape, States
from s2s.frontends.formulas import reshape
from s2s.types.dtypes import as_tensor_type, from_numpy, tensor_type
from s2s.types.interface import TEXTS
from s2s.types.sizes import sizes_of
from s2s.types.weights import WeightStore


class _Output(NamedTuple):
    """An output, with its attributes."""

    value: Value
    facts: Mapping[str, Attribute]
    classes: int = 0
    """How many classes its elements number; 0 if they number none."""


def surround(module: ModuleOp, weights: WeightStore, pre: Sequence[str], post: Sequence[str]) -> None:
    """Put the steps that the texts name around `main` of `module`."""
    before, behind = [pre_step(item) for item in pre], [post_step(item) for item in post]
    if sizes := sizes_of(module.attributes):
        raise UnsupportedError(
            f"--pre, --post: steps take constant sizes, and {', '.join(sizes)} varies; give --dim a number"
        )
    main = main_of(module)
    functions = [item for item in network_functions(module) if item is not main]
    earlier_count = len(functions)
    if before:
        _precede(main, weights, functions, before)
    if behind:
        _follow(main, weights, functions, behind)
    for function in functions[earlier_count:]:
        module.body.block.insert_op_before(function, main)
    module.verify()


def _precede(
    main: FuncOp, weights: WeightStore, functions: list[FuncOp], steps: "Sequence[tuple[str | None, PreStep]]"
) -> None:
    """Put steps before inputs."""
    names = [text(_facts(main.arg_attrs, number), NAME) or "" for number in input_numbers(main)]
    chains: dict[str, list[PreStep]] = {}
    for port, step in steps:
        chains.setdefault(_named("--pre", step, port, names, "input"), []).append(step)
    for name, chain in chains.items():
        number = input_numbers(main)[names.index(name)]
        block = Block()
        builder = Builder(block, weights, functions)
        builder.node = name
        _Chain(main, builder, number, chain).build(main.body.block.args[number])


class _Chain:
    """The steps before an input."""

    def __init__(self, main: FuncOp, builder: Builder, number: int, steps: Sequence[PreStep]) -> None:
        self.main, self.builder, self.number, self.steps = main, builder, number, steps

    def build(self, input: BlockArgument) -> None:
        """Let the input be what the first step takes."""
        type = as_tensor_type(input.type)
        shapes = [type.get_shape()]
        for step in reversed(self.steps):
            shapes.insert(0, step.taken(shapes[0]))
        kind = tensor_type(from_numpy(self.steps[0].taken_type()), shapes[0])
        argument = self.builder.block.insert_arg(kind, 0)
        value, states = self.builder.computed(argument, self.builder.node), States(self.builder, _names_of(self.main))
        waiting: list[tuple[PreStep, Shape]] = []
        pixels = value
        for number, (step, wanted) in enumerate(zip(self.steps, shapes[1:], strict=True)):
            if step.by_rows and any(isinstance(item, Resize) for item in self.steps[number + 1 :]):
                waiting.append((step, wanted))
                continue
            pixels, value = value, reshape(_applied_to(step, value, wanted, waiting, states), wanted)
            waiting = []
        facts = _facts(self.main.arg_attrs, self.number).data
        last = self.steps[-1]
        value = quantised(value, pixels if isinstance(last, Normalise) else None, type, facts, last)
        self._splice(input, self.builder.materialize(value), facts, states)

    def _splice(self, input: BlockArgument, result: SSAValue, facts: Mapping[str, Attribute], states: States) -> None:
        """Move the operations of the steps in front of the network's."""
        block, first = self.main.body.block, self.main.body.block.first_op
        argument, *kept = self.builder.block.args
        assert first is not None
        taken = block.insert_arg(argument.type, self.number)
        taken.name_hint = argument.name_hint
        for op in list(self.builder.block.ops):
            op.detach()
            block.insert_op_before(op, first)
        argument.replace_all_uses_with(taken)
        input.replace_all_uses_with(taken if result is argument else result)
        block.erase_arg(input)
        attributes = list(self.main.arg_attrs or ())
        attributes[self.number] = DictionaryAttr(
            {key: value for key, value in facts.items() if key not in (SCALE, ZERO_POINT)}
        )
        self.main.arg_attrs = ArrayAttr(attributes)
        for item in kept:
            item.replace_all_uses_with(block.insert_arg(item.type, len(block.args)))
        _return_states(self.main, states)


def _applied_to(
    step: PreStep, x: Value, wanted: Shape, earlier: Sequence[tuple[PreStep, Shape]], states: States
) -> Value:
    """Build `step` on what the `earlier` steps make of `x`."""

    def prepared(rows: Value, count: int | None = None) -> Value:
        for item, shape in earlier:
            rows = item.apply(rows, shape if count is None else (count, *shape[-2:]), states)
        return rows

    if earlier and isinstance(step, Resize):
        return step.by_rows_of(x, wanted, lambda rows: prepared(rows, 1))
    return step.apply(prepared(x), wanted, states)


def _follow(
    main: FuncOp, weights: WeightStore, functions: list[FuncOp], steps: "Sequence[tuple[str | None, PostStep]]"
) -> None:
    """Put steps behind outputs."""
    block = main.body.block
    returned = block.last_op
    assert isinstance(returned, ReturnOp)
    results, tied = list(returned.operands), list(graph.tied_arguments(main))
    returned.detach()
    returned.erase()
    builder = Builder(block, weights, functions)
    outputs: dict[str, _Output] = {}
    for number in output_numbers(main):
        facts = _facts(main.res_attrs, number)
        name = text(facts, NAME) or f"output{number}"
        outputs[name] = _Output(builder.computed(results[number], name), facts.data)
    states, current = States(builder, _names_of(main)), None
    for port, step in steps:
        current = _applied(step, port, current, outputs, states)
    kept = [result for result, argument in zip(results, tied, strict=True) if argument is not None]
    block.add_op(ReturnOp(*(builder.materialize(item.value) for item in outputs.values()), *kept))
    named = [DictionaryAttr({**item.facts, NAME: StringAttr(name)}) for name, item in outputs.items()]
    main.res_attrs = ArrayAttr([*named, *[DictionaryAttr({})] * len(kept)])
    main.attributes[graph.TIED] = ints([-1] * len(outputs) + [item for item in tied if item is not None])
    _return_states(main, states)


def _return_states(main: FuncOp, states: States) -> None:
    """Tie the last arguments of `main`, which are states, to new results."""
    block, names = main.body.block, list(states.kept)
    returned = block.last_op
    assert isinstance(returned, ReturnOp)
    tied = [-1 if item is None else item for item in graph.tied_arguments(main)]
    first = len(block.args) - len(names)
    facts = [DictionaryAttr({NAME: StringAttr(name), STATE: UnitAttr()}) for name in names]
    after = [states.builder.materialize(item.after) for item in states.kept.values()]
    returned.operands = [*returned.operands, *after]
    if names:
        main.arg_attrs = ArrayAttr([*(main.arg_attrs or ()), *facts])
        main.res_attrs = ArrayAttr([*(main.res_attrs or ()), *[DictionaryAttr({})] * len(names)])
    if names or any(item != -1 for item in tied):
        main.attributes[graph.TIED] = ints([*tied, *range(first, first + len(names))])
    else:
        main.attributes.pop(graph.TIED, None)
    main.update_function_type()


def _names_of(main: FuncOp) -> set[str]:
    """Return the names of the inputs and states of `main`."""
    return {text(item, NAME) or "" for item in main.arg_attrs or ()}


def _applied(
    step: PostStep, port: str | None, current: str | None, outputs: "dict[str, _Output]", states: States
) -> str:
    """Apply a step to the output that is named, or the one that the step before has made; return what goes on."""
    if isinstance(step, Labels):
        return _labelled(step, port, outputs)
    name = current if port is None and current in outputs else _named("--post", step, port, list(outputs), "output")
    output = outputs[name]
    value = output.value
    states.builder.node = name
    others = {key: dequantised(item.value, item.facts) for key, item in outputs.items()} if step.takes_reals else {}
    results = step.apply(others[name] if step.takes_reals else value, states, others)
    if results.replaced:
        del outputs[name]
    names: list[str] = []
    for suffix, item in results.outputs.items():
        names.append(f"{name}_{suffix}" if suffix else name)
        outputs[names[-1]] = _Output(item, {}, value.shape[-1] if suffix in results.number else 0)
    return names[0]


def _labelled(step: Labels, port: str | None, outputs: "dict[str, _Output]") -> str:
    """State the names of the classes that an output numbers."""
    numbering = [name for name, item in outputs.items() if item.classes]
    if not numbering:
        raise step.invalid("no output numbers classes", "put --post argmax or top-k before it")
    name, labels = _named("--post", step, port, numbering, "output of classes"), step.texts()
    if len(labels) != outputs[name].classes:
        raise step.invalid(f"has {len(labels)} names for {outputs[name].classes} classes", "name each class once")
    texts = ArrayAttr([StringAttr(item) for item in labels])
    outputs[name] = outputs[name]._replace(facts={**outputs[name].facts, TEXTS: texts})
    return name


def _named(option: str, step: object, port: str | None, names: Sequence[str], kind: str) -> str:
    """Return the name of the port that a step stands at."""
    if port is None and len(names) == 1:
        return names[0]
    if port is None or port not in names:
        fact = "names none" if port is None else f"there is no {kind} {port!r}"
        listed = ", ".join(names) or "none"
        raise InputError(f"{option} {step}: {fact}; write {option} NAME={step} with one of {listed}")
    return port


def _facts(attributes: ArrayAttr[DictionaryAttr] | None, number: int) -> DictionaryAttr:
    return DictionaryAttr({}) if attributes is None else attributes.data[number]
