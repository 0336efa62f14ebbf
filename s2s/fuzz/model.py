"""The fuzzer's interface to a format: draw models, put several into one, compute expected values, cut models down,
write and read them."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from s2s.frontends.model import Source
from s2s.fuzz.spread import PAIRS, Spread
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

MAX_NODES = 12
"""The most operators of a model."""


class FuzzModel(ABC):
    """A model that is compiled in many ways."""

    @property
    @abstractmethod
    def format(self) -> "Format":
        """The format that it is in."""

    @property
    @abstractmethod
    def source(self) -> Source:
        """What the compiler reads."""

    def source_for(self, target: str) -> Source:
        """What the compiler reads for a target; most models are the same for all."""
        return self.source

    @property
    @abstractmethod
    def operators(self) -> list[str]:
        """The names of its operators, in order."""

    @property
    @abstractmethod
    def inputs(self) -> list[str]:
        """The names of its inputs."""

    @property
    @abstractmethod
    def outputs(self) -> list[str]:
        """The names of its outputs."""

    @abstractmethod
    def rewritten(self) -> "FuzzModel":
        """The model in another form of the same meaning."""

    @abstractmethod
    def evaluate(
        self, inputs: Mapping[str, Array], *, pairs: int = PAIRS, other_engine: bool = False
    ) -> dict[str, Spread]:
        """All values by name; with `other_engine` by the engine that is not asked first."""

    @abstractmethod
    def check_import(self) -> None:
        """Read it by the frontend, which raises what it refuses."""

    @abstractmethod
    def pruned(self, outputs: Sequence[str]) -> "FuzzModel":
        """The model with only these outputs, and what they need."""

    @abstractmethod
    def without(self, operator: int, values: Mapping[str, Spread]) -> "FuzzModel":
        """The model whose inputs are what an operator gave, by its place."""

    @abstractmethod
    def serialised(self) -> bytes:
        """Its file."""

    @abstractmethod
    def read_inputs(self, stored: Mapping[str, Array]) -> dict[str, Array]:
        """The inputs whose bytes are stored by name."""


@frozen
class Drawn:
    """A model, its inputs, and what its values should be."""

    seed: str
    model: FuzzModel
    inputs: dict[str, Array]
    expected: dict[str, Spread]
    operators: Counter[str]
    """How many operators there are of each entry of the table."""


class Format(ABC):
    """A format of models that the fuzzer draws."""

    name: str
    suffix: str
    """The end of the names of files."""
    targets: tuple[str, ...]
    """The targets that models are compiled for by default."""
    options: Mapping[str, Any] = {}
    """The options of the compiler that each variant has, by name."""

    @property
    @abstractmethod
    def operators(self) -> list[str]:
        """The names of the entries of the table of operators."""

    @abstractmethod
    def draw(self, seed: str, prefix: str, batch: str, nodes: int) -> Drawn:
        """The model of a seed; names of its values begin with `prefix`. What `batch` decides, all of a batch share."""

    @abstractmethod
    def merged(self, models: Sequence[FuzzModel]) -> FuzzModel:
        """One model with all operators, inputs and outputs; the names of the models' values differ."""

    @abstractmethod
    def read(self, data: bytes) -> FuzzModel:
        """The model of a file that `serialised` has given."""

    @abstractmethod
    def smallest(self) -> tuple[FuzzModel, dict[str, Array]]:
        """A model of one operator with its inputs, which loads the engines."""
