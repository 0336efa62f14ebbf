"""RNN, GRU and LSTM as scans, layer by layer: one product projects all inputs before, the body holds the recurrent
product and the gates, which fuse element by element.

    y_t, h_t = step(x_t W^T + b, h_{t-1})
"""

from collections.abc import Callable, Mapping, Sequence

from s2s.dialects import graph
from s2s.dialects.graph.traits import layer_of
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import clamp, concat, reshape, take, transpose, unsqueeze
from s2s.frontends.networks import Values
from s2s.frontends.recurrent import Constants, Step, gru_step, lstm_step, product_of, rnn_step, run_steps, tanh
from s2s.frontends.torch.node import Importer, Node
from s2s.support.frozen import frozen


@frozen
class _Weights:
    """The parameters of one direction of one layer."""

    of_input: Value
    recurrent: Value
    input_bias: Value | None
    recurrent_bias: Value | None
    projection: Value | None

    @property
    def hidden(self) -> int:
        """Size of the state that is carried."""
        return self.recurrent.shape[1]


Cell = Callable[[_Weights, Constants], tuple[Value | None, Step]]
"""The bias that is added to all inputs before, and the step."""


def _relu(x: Value) -> Value:
    return clamp(x, 0, None)


def _summed(weights: _Weights) -> Value | None:
    if weights.input_bias is None or weights.recurrent_bias is None:
        return None
    total = weights.input_bias + weights.recurrent_bias
    total.call(weights.input_bias.name.replace("bias_ih", "bias"))
    return total


def _transposed(weights: Value) -> Value:
    """A matrix for products with rows, under the name of the parameter."""
    columns = transpose(weights, [1, 0])
    columns.call(weights.name)
    return columns


def _plain_cell(activation: Callable[[Value], Value]) -> Cell:
    def cell(weights: _Weights, constants: Constants) -> tuple[Value | None, Step]:
        return _summed(weights), rnn_step(product_of(constants.add(_transposed(weights.recurrent))), activation)

    return cell


def _lstm_cell(weights: _Weights, constants: Constants) -> tuple[Value | None, Step]:
    product = product_of(constants.add(_transposed(weights.recurrent)))
    if weights.projection is None:
        return _summed(weights), lstm_step(product, "ifco")
    project = product_of(constants.add(_transposed(weights.projection)))
    return _summed(weights), lstm_step(product, "ifco", project=project)


def _gru_cell(weights: _Weights, constants: Constants) -> tuple[Value | None, Step]:
    """The reset gate works on the recurrent product."""
    product = product_of(constants.add(_transposed(weights.recurrent)))
    bias = None if weights.recurrent_bias is None else constants.add(weights.recurrent_bias)
    return weights.input_bias, gru_step(product, "rzn", bias=bias)


def _direction(
    node: Node, x: Value, weights: _Weights, cell: Cell, state: Values, backward: bool
) -> tuple[Value, Values]:
    """The outputs of all steps `[time, batch, hidden]`, and the last state."""
    steps, batch, columns = x.shape
    constants = Constants()
    bias, step = cell(weights, constants)
    rows = emit(graph.MatmulOp, reshape(x, [steps * batch, columns]), weights.of_input, transpose_b=True)
    projected = reshape(rows if bias is None else rows + bias, [steps, batch, rows.shape[1]])

    builder = node.builder
    return run_steps(builder, builder.node, step, state, projected, constants.kept, backward=backward)


def _weights(node: Node, states: int) -> list[_Weights]:
    """The parameters of all directions of all layers; torch lists them one after the other."""
    given, has_biases = node.values("params"), node.flag("has_biases")
    layers = node.integer("num_layers") * (2 if node.flag("bidirectional") else 1)
    each = len(given) // layers
    projects = states == 2 and each == (5 if has_biases else 3)
    found: list[_Weights] = []
    for number in range(layers):
        part = given[number * each : (number + 1) * each]
        biases = (part[2], part[3]) if has_biases else (None, None)
        found.append(_Weights(part[0], part[1], *biases, part[-1] if projects else None))
    return found


def _layers(node: Node, cell: Cell, initial: Sequence[Value]) -> list[Value]:
    """The outputs of the last layer, and the last states of all layers and directions."""
    if node.flag("train") and node.real("dropout"):
        raise node.unsupported("drops outputs at random", "call eval() on the module before its export")
    given = node.value("input")
    batched = given.rank == 3
    if not batched:
        given, initial = unsqueeze(given, [1]), [unsqueeze(state, [1]) for state in initial]
    swaps = batched and node.flag("batch_first")
    x = transpose(given, [1, 0, 2]) if swaps else given
    directions = 2 if node.flag("bidirectional") else 1
    weights = _weights(node, len(initial))
    ends: list[Values] = []
    for layer in range(node.integer("num_layers")):
        outputs: Values = []
        for direction in range(directions):
            number = layer * directions + direction
            state = [reshape(take(each, 0, number, 1), each.shape[1:]) for each in initial]
            for each in state:
                each.call(f"{layer_of(node.builder.node)}.initial")
            y, last = _direction(node, x, weights[number], cell, state, direction == 1)
            outputs.append(y)
            ends.append(last)
        x = concat(outputs, 2)
    y = transpose(x, [1, 0, 2]) if swaps else x
    states = [concat([unsqueeze(end, [0]) for end in column], 0) for column in zip(*ends, strict=True)]
    if not batched:
        y, states = reshape(y, [y.shape[0], y.shape[2]]), [reshape(s, [s.shape[0], s.shape[2]]) for s in states]
    return [y, *states]


def _recurrent(cell: Cell) -> Importer:
    def importer(node: Node) -> list[Value]:
        if node.overload != "input":
            raise node.unsupported("takes a packed sequence", "give a padded tensor")
        initial = [node.value("hx")] if isinstance(node.arguments["hx"], Value) else node.values("hx")
        return _layers(node, cell, initial)

    return importer


IMPORTERS: Mapping[str, Importer] = {
    "gru": _recurrent(_gru_cell),
    "lstm": _recurrent(_lstm_cell),
    "rnn_relu": _recurrent(_plain_cell(_relu)),
    "rnn_tanh": _recurrent(_plain_cell(tanh)),
}
