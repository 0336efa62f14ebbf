"""Random networks that compute with the length of their input, at random lengths, beside onnxruntime, torch or LiteRT.

    python -m benchmarks.random_sizes [--networks 2000] [--sizes 12] [--seed 0] [--refused] [--torch | --tflite]

Draws networks of up to four steps over `x[1, 3, N]` (`tests/support/random_lengths.py`) and bounds of N, compiles each
once, and runs it at the least and the greatest length and at others between. Prints how many networks were right and
how many were refused, with `--refused` for which reasons; each network with a difference is printed with its seed, and
makes the exit code 1.

`--torch` draws programs of PyTorch instead (`tests/support/random_programs_of_lengths.py`), exported for bounds of `n`,
whose two inputs have sizes such as `4 * n` and `n + 1`. Some are none that torch exports. `--tflite` draws networks of
TFLite (`tests/support/random_tflite_lengths.py`), whose signature leaves the length of an input open.
"""

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.random_length_runs import Outcome, outcome_of
from support.random_lengths import Drawn, draw


def family(name: str | None) -> tuple[Callable[[int], Any], Callable[[Any, int, int], Outcome]]:
    """Return the functions that draw a network of a family by its seed, and compare it at random sizes."""
    if name == "torch":
        from support.random_programs_of_lengths import draw_program, outcome_of_program

        return draw_program, outcome_of_program
    if name == "tflite":
        from support.random_tflite_lengths import draw_tflite, outcome_of_tflite

        return draw_tflite, outcome_of_tflite
    return draw, _outcome_of_file


def _outcome_of_file(drawn: Drawn, seed: int, sizes: int) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        return outcome_of(drawn, seed, Path(folder), sizes)


def outcome(name: str | None, seed: int, sizes: int) -> Outcome:
    """Return what becomes of the network of a seed; a difference is printed."""
    draws, compares = family(name)
    drawn = draws(seed)
    try:
        result = compares(drawn, seed, sizes)
    except Exception as error:
        result = Outcome(difference=f"{type(error).__name__}: {error}")
    if result.difference:
        print(f"seed {seed}, {drawn.least}..{drawn.most}, {', '.join(drawn.steps)}: {result.difference}")
    return result


def main() -> int:
    """Compare all networks; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=int, default=2000)
    parser.add_argument("--sizes", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--refused", action="store_true", help="print the reasons of refusals")
    format = parser.add_mutually_exclusive_group()
    for name, help in (("torch", "draw programs of PyTorch"), ("tflite", "draw networks of TFLite")):
        format.add_argument(f"--{name}", action="store_const", const=name, dest="family", help=help)
    chosen = parser.parse_args()
    results = [outcome(chosen.family, chosen.seed + number, chosen.sizes) for number in range(chosen.networks)]
    refused = Counter(re.sub(r"^\S+: |\d+", "", result.refusal) for result in results if result.refusal)
    wrong = sum(bool(result.difference) for result in results)
    runs = sum(result.runs for result in results)
    print(f"{len(results)} networks: {runs} runs compared, {refused.total()} networks refused, {wrong} wrong")
    if chosen.refused:
        for reason, count in refused.most_common():
            print(f"{count:5}  {reason}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
