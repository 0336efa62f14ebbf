"""The largest values of what a run of the driver gave."""

import numpy as np
import numpy.typing as npt

from s2s.tvm.driver.tvmc.model import TVMCResult


def get_top_results(result: TVMCResult, max_results: int) -> npt.NDArray[np.float64]:
    """Return the places of the largest values in the first row of the first output, then these values, from the
    largest: an array [2, max_results]."""
    values = np.asarray(result.outputs["output_0"])[0]
    order = values.argsort()[-max_results:][::-1]
    return np.array([order, values[order]], np.float64)


__all__ = ["get_top_results"]
