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
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.random_length_runs import Outcome, outcome_of
from support.random_lengths import draw


def outcome_in_torch(seed: int, sizes: int) -> Outcome:
    """Return what becomes of the program of PyTorch of a seed; a difference is printed."""
    from support.random_programs_of_lengths import draw_program, outcome_of_program

    program = draw_program(seed)
    try:
        result = outcome_of_program(program, seed, sizes)
    except Exception as error:
        result = Outcome(difference=f"{type(error).__name__}: {error}")
    if result.difference:
        print(f"seed {seed}, n = {program.least}..{program.most}, {'; '.join(program.steps)}: {result.difference}")
    return result


def outcome_in_tflite(seed: int, sizes: int) -> Outcome:
    """Return what becomes of the TFLite network of a seed; a difference is printed."""
    from support.random_tflite_lengths import draw_tflite, outcome_of_tflite

    drawn = draw_tflite(seed)
    try:
        result = outcome_of_tflite(drawn, seed, sizes)
    except Exception as error:
        result = Outcome(difference=f"{type(error).__name__}: {error}")
    if result.difference:
        print(f"seed {seed}, N = {drawn.least}..{drawn.most}, {', '.join(drawn.steps)}: {result.difference}")
    return result


def outcome(seed: int, sizes: int) -> Outcome:
    """Return what becomes of the network of a seed; a difference is printed."""
    drawn = draw(seed)
    with tempfile.TemporaryDirectory() as folder:
        try:
            result = outcome_of(drawn, seed, Path(folder), sizes)
        except Exception as error:
            result = Outcome(difference=f"{type(error).__name__}: {error}")
    if result.difference:
        print(f"seed {seed}, N = {drawn.least}..{drawn.most}, {', '.join(drawn.steps)}: {result.difference}")
    return result


def main() -> int:
    """Compare all networks; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=int, default=2000)
    parser.add_argument("--sizes", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--refused", action="store_true", help="print the reasons of refusals")
    format = parser.add_mutually_exclusive_group()
    format.add_argument("--torch", action="store_true", help="draw programs of PyTorch")
    format.add_argument("--tflite", action="store_true", help="draw networks of TFLite")
    chosen = parser.parse_args()
    compared = outcome_in_torch if chosen.torch else outcome_in_tflite if chosen.tflite else outcome
    results = [compared(chosen.seed + number, chosen.sizes) for number in range(chosen.networks)]
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
