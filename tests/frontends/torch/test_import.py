# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
"""What the importer makes of exported programs beside their numbers: names, provenance, state, sizes, refusals."""

from typing import Any, cast

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from s2s.analysis.network.functions import has_control_flow, main_of, state_arguments
from s2s.artifact import compile_artifact
from s2s.dialects import graph
from s2s.dialects.graph.traits import provenance
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import torch as frontend
from s2s.frontends.imported import Imported
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.tvm.relay import frontend as faces
from s2s.types.sliding import Sliding
from support.compiled import compiled


def imported(module: nn.Module, *inputs: Tensor, dynamic: Any = None, **shapes: tuple[int, ...]) -> Imported:
    exported = frontend.export(module.eval(), inputs, None, dynamic)
    return frontend.import_model(frontend.load_model(exported), shapes=shapes)


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 3)

    def forward(self, pixels: Tensor) -> dict[str, Tensor]:
        return {"logits": self.first(pixels).relu()}


class Counter(nn.Module):
    """Remembers the sum of its inputs."""

    total: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.full((3,), 2.0))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x)
        return self.total * 2


def test_from_pytorch_gives_a_module_and_its_parameters():
    mod, params = faces.from_pytorch(Small(), (torch.zeros(1, 4),))
    assert sorted(params) == ["first.bias", "first.weight"]
    assert "main" in mod


def test_inputs_and_outputs_have_the_names_of_the_module():
    text = str(imported(Small(), torch.zeros(1, 4)).module)
    assert 'name = "pixels"' in text
    assert 'name = "logits"' in text


def test_an_operation_knows_its_module_and_source_line():
    module = imported(Small(), torch.zeros(1, 4)).module
    (product,) = [op for op in module.walk() if isinstance(op, graph.MatmulOp)]
    assert provenance(product)[0].startswith("first (test_import.py:")


def test_a_buffer_that_changes_is_state_with_its_initial_value():
    found = imported(Counter(), torch.zeros(3))
    (state,) = state_arguments(main_of(found.module))
    assert state.name == "total"
    assert state.initial(found.weights).tolist() == [2.0] * 3


def test_c_keeps_a_buffer_between_runs():
    found = imported(Counter(), torch.zeros(3))
    with compiled(found.module, found.weights, target="c") as artifact:
        runs = [artifact.run({"x": np.full(3, value, np.float32)})["output"].tolist() for value in (1, 10)]
        artifact.reset()
        again = artifact.run({"x": np.ones(3, np.float32)})["output"].tolist()
    assert runs == [[6.0] * 3, [26.0] * 3]
    assert again == [6.0] * 3


def test_torch_is_run_in_a_row_from_the_exported_buffer_each_time():
    exported = frontend.export(Counter(), [torch.zeros(3)])
    with compile_artifact(exported, CompileOptions(target="c")) as artifact:
        found = [artifact.verify(against="torch") for _ in range(2)]
    assert [(each.passed, each.vectors) for each in found] == [(True, 4), (True, 4)]


def test_running_statistics_of_a_batch_norm_in_training_are_state():
    module = nn.BatchNorm1d(2)
    x = torch.randn(4, 2, 3)
    exported = frontend.export(module, [x])
    found = frontend.import_model(frontend.load_model(exported))
    states = state_arguments(main_of(found.module))
    kept = [state.initial(found.weights) for state in states]
    (y,) = run_graph(found.module, [x.numpy()], found.weights, state=kept)
    np.testing.assert_allclose(y, module(x).detach().numpy(), rtol=1e-4, atol=1e-5)
    after = dict(zip([state.name for state in states], kept, strict=True))
    np.testing.assert_allclose(after["running_mean"], np.asarray(module.running_mean), rtol=1e-4)
    np.testing.assert_allclose(after["running_var"], np.asarray(module.running_var), rtol=1e-4)


def test_a_weight_under_two_names_is_stored_once():
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.out = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
            self.out.weight = self.words.weight

        def forward(self, tokens: Tensor) -> Tensor:
            return self.out(self.words(tokens))

    found = imported(Tied(), torch.tensor([1, 2]))
    assert len(list(found.weights.names())) == 1


def test_cells_of_a_recurrent_layer_are_not_unrolled():
    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(3, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.lstm(x)[0]

    short, long = (imported(Layer(), torch.zeros(steps, 1, 3)).module for steps in (2, 50))
    assert has_control_flow(long)
    assert len(list(short.walk())) == len(list(long.walk()))


def test_sizes_that_the_export_leaves_open_are_given():
    dynamic = ({0: torch.export.Dim("batch", max=64)},)
    found = imported(Small(), torch.zeros(2, 4), dynamic=dynamic, pixels=(5, 4))
    assert run_graph(found.module, [np.zeros((5, 4), np.float32)], found.weights)[0].shape == (5, 3)


def test_an_open_size_without_bounds_is_asked_for():
    dynamic = ({0: torch.export.Dim.AUTO},)
    with pytest.raises(InputError, match=r"input pixels: dimension 0 has no size; give bounds of it, as in --dim "):
        imported(Small(), torch.zeros(2, 4), dynamic=dynamic)


def test_a_branch_that_depends_on_the_data_is_a_network_of_its_own():
    class Branch(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))

    found = imported(Branch(), torch.ones(3))
    for sign in (1.0, -1.0):
        x = np.full(3, sign, np.float32)
        assert run_graph(found.module, [x], found.weights)[0].tolist() == Branch()(torch.tensor(x)).tolist()


def test_all_refusals_are_told_at_once_with_place_fact_and_way_out():
    class Dropping(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.dropout(x) + nn.functional.dropout(x)

    with pytest.raises(UnsupportedError) as caught:
        imported(Dropping(), torch.zeros(3))
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert "(test_import.py:" in lines[0]
    assert lines[0].endswith("drops elements at random; call eval() on the module before its export")


def test_an_input_that_is_changed_in_place_is_refused():
    class Changes(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            x.add_(1)
            return x * 2

    with pytest.raises(UnsupportedError, match="is changed in place; return the new value, or make it a buffer"):
        imported(Changes(), torch.zeros(3))


def test_runs_of_equal_elements_are_refused():
    class Runs(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return cast(Tensor, torch.unique_consecutive(x))

    with pytest.raises(UnsupportedError, match="the shape of its result depends on the data"):
        imported(Runs(), torch.ones(3))


def test_a_module_without_examples_is_refused():
    with pytest.raises(InputError, match="give input_infos"):
        faces.from_pytorch(Small())


def test_networks_stream():
    """A window of 20 frames, of which a run takes two."""
    layers = (nn.Conv1d(4, 6, 3), nn.ReLU(), nn.Conv1d(6, 6, 3, dilation=2), nn.BatchNorm1d(6), nn.AdaptiveAvgPool1d(1))
    exported = frontend.export(nn.Sequential(*layers).eval(), (torch.randn(1, 4, 20),))
    with compile_artifact(exported, CompileOptions(target="c", streams={"input": Sliding(2, 2)})) as artifact:
        assert artifact.info.inputs[0].shape == (1, 4, 2)
        assert artifact.verify().passed
