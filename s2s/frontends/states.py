"""Inputs that are outputs of the run before: they become state, which the network keeps itself."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp

from s2s.analysis.network.functions import NAME, STATE, input_numbers, main_of, output_numbers, text
from s2s.dialects import graph
from s2s.dialects.graph.base import ints
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.types.interface import EMPTY_INPUTS, EMPTY_OUTPUTS, empty_tensors, with_empty


@frozen
class ModelNames:
    """The names of all inputs and outputs of a model, also of the ones that become state."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @classmethod
    def of(cls, main: FuncOp) -> "ModelNames":
        """Read the names from `main`, before `keep_states`."""
        inputs = [text(_at(main.arg_attrs, number), NAME) or "" for number in input_numbers(main)]
        outputs = [text(_at(main.res_attrs, number), NAME) or "" for number in output_numbers(main)]
        return cls(
            tuple(with_empty(inputs, empty_tensors(main, EMPTY_INPUTS))),
            tuple(with_empty(outputs, empty_tensors(main, EMPTY_OUTPUTS))),
        )


def _at(attributes: ArrayAttr[DictionaryAttr] | None, number: int) -> DictionaryAttr:
    return DictionaryAttr({}) if attributes is None else attributes.data[number]


def keep_states(module: ModuleOp, states: Mapping[str, str]) -> None:
    """Tie each input of `main` that `states` names to its output; both vanish from what the caller passes and gets.

    Their values before the first run are zeros, or those of the weight that the attribute `init` names.
    """
    if not states:
        return
    main = main_of(module)
    arguments, results = list(main.arg_attrs or ()), list(main.res_attrs or ())
    tied = [-1 if number is None else number for number in graph.tied_arguments(main)]
    for name, output in states.items():
        argument = _named(arguments, input_numbers(main), name, "input", f"--state {name}={output}")
        result = _named(results, output_numbers(main), output, "output", f"--state {name}={output}")
        types = main.function_type.inputs.data[argument], main.function_type.outputs.data[result]
        if types[0] != types[1]:
            raise InputError(
                f"--state {name}={output}: the input is {types[0]}, the output {types[1]}; tie tensors of one type, "
                "or, for a cache that grows, an output that is Concat(input, new)"
            )
        if tied[result] != -1:
            raise InputError(f"--state {name}={output}: the output is the state of another input; name it once")
        arguments[argument] = DictionaryAttr({**arguments[argument].data, STATE: UnitAttr()})
        tied[result] = argument
    if all(number != -1 for number in tied):
        raise InputError("--state: ties all outputs of the model; leave one for the caller")
    _set_results(main, tied, arguments, results)


def _named(attributes: Sequence[DictionaryAttr], numbers: Sequence[int], name: str, kind: str, option: str) -> int:
    """The number of the argument or result of a name."""
    known = {text(attributes[number], NAME): number for number in numbers}
    if name not in known:
        names = ", ".join(repr(each) for each in known)
        raise InputError(f"{option}: the model has no {kind} {name!r}; its {kind}s are {names}")
    return known[name]


def _set_results(
    main: FuncOp, tied: Sequence[int], arguments: Sequence[DictionaryAttr], results: Sequence[DictionaryAttr]
) -> None:
    """Write attributes and results down, the caller's before the results that become states."""
    order = sorted(range(len(tied)), key=lambda number: tied[number] != -1)
    returned = main.body.block.last_op
    assert isinstance(returned, ReturnOp)
    values = list(returned.operands)
    returned.operands = [values[number] for number in order]
    main.arg_attrs = ArrayAttr(arguments)
    main.res_attrs = ArrayAttr([results[number] if tied[number] == -1 else DictionaryAttr({}) for number in order])
    main.attributes[graph.TIED] = ints([tied[number] for number in order])
    main.update_function_type()
