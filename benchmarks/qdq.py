"""MLPerf Tiny quantised by onnxruntime (QDQ ONNX) beside the same networks of TFLite: instructions on emulated boards.

    python -m benchmarks.qdq                  (all four networks, on Cortex-M4 and M55)
    python -m benchmarks.qdq kws ic --boards m4

The float ONNX networks are quantised by `quantize_static`, with a scale for each channel of the weights and with signed
or unsigned activations. TFLite is compared with the golden vectors bit for bit, ONNX with onnxruntime. The ONNX
networks take floats, where those of TFLite take bytes: `input` is what it takes to quantise them. `ratio` is the rest
over the instructions of the TFLite network, and `work` the same for one live multiply-add: half of the filters of
TFLite's VWW are zero, and none of the float VWW is. Exits with 1 if `work` is above its limit.

ONNX defines requantisation in floats, whose results are kept bit for bit: two conversions and a product for each sum.
"""

import argparse
import sys
from typing import Any, NamedTuple

import onnx

from benchmarks.mcu import MODELS
from benchmarks.mcu import NETWORKS as TFLITE
from benchmarks.networks.quantised import SIGNED, UNSIGNED, static
from s2s.artifact import Artifact, compile_artifact
from s2s.inspection import inspect_model
from s2s.options import CompileOptions

FLOATS = MODELS.parent / "onnx"
NETWORKS = {"kws": "tiny_kws_dscnn", "vww": "tiny_vww_mobilenet", "ic": "tiny_ic_resnet8", "ad": "tiny_ad_autoencoder"}
"""The float ONNX network of each network of MLPerf Tiny."""
ACTIVATIONS = {"int8": SIGNED, "uint8": UNSIGNED}
LIMITS = {"m4": 1.15, "m55": 1.25}
"""The greatest ratio of the instructions for a live multiply-add on each board."""
COLUMNS = ("TFLite", 12), ("activations", 13), ("QDQ", 12), ("input", 11), ("ratio", 7), ("live", 12), ("work", 7)


class Run(NamedTuple):
    """What a network takes on a board."""

    instructions: int
    of_input: int
    """Of these, instructions that quantise a float input."""
    live: int
    """Multiply-adds of channels that are no constants."""

    @property
    def for_live_work(self) -> float:
        """Instructions for one live multiply-add, without the quantisation of the input."""
        return (self.instructions - self.of_input) / self.live


def live_work(artifact: Artifact, model: Any) -> int:
    """Return the multiply-adds of the channels of a network that are no constants."""
    removed = artifact.info.removed_channels
    return (inspect_model(model).multiply_adds or 0) - (removed.work if removed else 0)


def run_tflite(name: str, board: str) -> Run:
    """Run the TFLite network on its golden vectors."""
    model = TFLITE[name].model
    artifact = compile_artifact(MODELS / f"{model}.tflite", CompileOptions(target=f"cortex-{board}"))
    found = artifact.verify_on(f"qemu:{board}", golden=MODELS / f"{model}_golden.npz")
    if not found.bit_exact:
        raise SystemExit(f"{name}: differs from the golden vectors on {board}")
    return Run(max(found.run.instructions), 0, live_work(artifact, MODELS / f"{model}.tflite"))


def run_onnx(name: str, activations: str, board: str) -> Run:
    """Quantise the float ONNX network, and run it."""
    content = (FLOATS / f"{NETWORKS[name]}.onnx").read_bytes()
    model = static(lambda: onnx.load_model_from_string(content), ACTIVATIONS[activations], SIGNED, per_channel=True)
    artifact: Artifact = compile_artifact(model, CompileOptions(target=f"cortex-{board}", name=NETWORKS[name]))
    found = artifact.verify_on(f"qemu:{board}")
    if not found.passed:
        raise SystemExit(f"{name} with {activations} activations: wrong on {board}")
    [port] = model.graph.input
    of_input = [layer.instructions for layer, nodes in found.named_layers() if nodes == f"{port.name}_QuantizeLinear"]
    return Run(max(found.run.instructions), sum(of_input), live_work(artifact, model))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("networks", nargs="*", default=list(NETWORKS), help=f"of {', '.join(NETWORKS)}; all by default")
    parser.add_argument("--boards", nargs="+", default=list(LIMITS), choices=list(LIMITS))
    arguments = parser.parse_args()
    good = True
    print(" " * 10 + "".join(f"{word:>{width}}" for word, width in COLUMNS))
    for board in arguments.boards:
        for name in arguments.networks:
            tflite = run_tflite(name, board)
            base = tflite.instructions
            for activations in ACTIVATIONS:
                run = run_onnx(name, activations, board)
                ratio = (run.instructions - run.of_input) / base
                good &= run.for_live_work <= LIMITS[board] * tflite.for_live_work
                figures = (
                    f"{base:12,}{activations:>13}{run.instructions:12,}{run.of_input:11,}{ratio:7.2f}{run.live:12,}"
                )
                print(f"{name:<5}{board:<5}{figures}{run.for_live_work / tflite.for_live_work:7.2f}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
