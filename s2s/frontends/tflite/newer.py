"""What TFLite's schema has that the `tflite` package does not: newer operators and tables, and fields without names."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from s2s.types.dtypes import Array

MEMBERS: Mapping[str, Mapping[int, str]] = {
    "BuiltinOperator": {209: "STABLEHLO_CASE"},
    "BuiltinOptions2": {23: "StablehloCaseOptions"},
    "TensorType": {19: "INT2", 20: "UINT4", 21: "FLOAT8_E4M3FN", 22: "FLOAT8_E5M2"},
}
"""Members of enumerations, by number."""
RETIRED: Mapping[str, int] = {"ResizeBilinearOptions": 2}
"""Fields of tables that the schema no longer names, by the name of the table."""
_FIRST_FIELD = 4
"""Where the description of a table says at which offset the first field lies."""
_WORD = 4


class StablehloCaseOptions:
    """The graphs that STABLEHLO_CASE chooses from, read as the package's own tables are."""

    _bytes: bytes = b""
    _place = 0

    def Init(self, data: bytes, place: int) -> None:  # noqa: N802
        """Read the table at `place`."""
        self._bytes, self._place = data, place

    def BranchSubgraphIndices(self, index: int) -> int:  # noqa: N802
        """The number of one graph."""
        return int(self.BranchSubgraphIndicesAsNumpy()[index])

    def BranchSubgraphIndicesLength(self) -> int:  # noqa: N802
        """How many graphs there are."""
        start = self._vector()
        return 0 if start is None else self._number(start, "<u4")

    def BranchSubgraphIndicesAsNumpy(self) -> Array:  # noqa: N802
        """The numbers of all graphs."""
        start = self._vector()
        if start is None:
            return np.empty(0, np.int32)
        return np.frombuffer(self._bytes, "<i4", self._number(start, "<u4"), start + _WORD)

    def _vector(self) -> int | None:
        """Where the vector of the only field begins, with its length."""
        description = self._place - self._number(self._place, "<i4")
        if self._number(description, "<u2") <= _FIRST_FIELD:
            return None
        offset = self._number(description + _FIRST_FIELD, "<u2")
        field = self._place + offset
        return field + self._number(field, "<u4") if offset else None

    def _number(self, place: int, kind: str) -> int:
        if place < 0:
            raise ValueError("an offset out of the file")
        return int(np.frombuffer(self._bytes, kind, 1, place)[0])


TABLES: Mapping[str, Any] = {"StablehloCaseOptions": StablehloCaseOptions}
"""Classes of tables, by name."""
