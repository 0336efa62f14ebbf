"""What the reader of a page has before its C begins: a compiled network, and declarations of the reader's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from onnx import numpy_helper

from s2s import api
from s2s.artifact import Artifact
from s2s.joint.artifact import JointArtifact
from s2s.testing.decoders import Config, make_model, states, write_gguf
from support.onnx_text import onnx_model
from support.optimum_decoder import PAST, TOKENS, optimum_decoder
from support.pages import STRIPES

SQUARE = np.ones((64, 64), np.float32)
BYTES = "(int8[1, 8] input) => (int8[1, 8] output) { output = Relu (input) }"
SPOTTER = "(int8[1, 8] mfcc) => (int8[1, 8] scores) { scores = Relu (mfcc) }"
SOUND = "(float[1, 8] sound) => (float[1, 8] words) { heard = Softmax (sound) words = Softmax (heard) }"
IMAGE = "(float[1, 8] image) => (float[1, 8] classes) { seen = Softmax (image) classes = Softmax (seen) }"
REMEMBERING = (
    "(int8[4] input, int8[4] h_in) => (int8[4] output, int8[4] h_out) { h_out = Relu (h_in) output = Relu (input) }"
)
LAYERS = """(float[1, 1, 8, 8] input) => (float[1, 2, 8, 8] output) <
    float[2, 1, 3, 3] w = {0, 1, 0, 1, -4, 1, 0, 1, 0, 0, 1, 0, 1, -4, 1, 0, 1, 0}
> { a = Conv <pads = [1, 1, 1, 1]> (input, w) output = Softmax (a) }"""
KEPT = "(float[1, 64] mfcc) => (float[1, 64] scores) { a = MatMul (mfcc, u) b = Softmax (a) scores = MatMul (b, v) }"
SCORES = "(float[1, 3] x) => (float[1, 3] y) { y = Relu (x) }"
DENSE = "(float[1, 64] input) => (float[1, 64] output) { a = MatMul (input, u) b = Softmax (a) output = MatMul (b, v) }"
SEQUENCE = "(float[1, sequence, 64] x) => (float[1, sequence, 64] y) { y = Softmax (x) }"
GROUPS = "(float[2, A] x, float[B] y) => (float[2, A] p, float[B] q1) { p = Relu (x) q1 = Relu (y) }"
DIGITS = "(float[1, 64] image) => (float[1, 64] probabilities) { a = MatMul (image, u) probabilities = Softmax (a) }"
FOUND = "(float[300] image) => (int64[1, N] boxes) { boxes = NonZero (image) }"
NAMED = """(float[1, 3] X) => (string[1] label) {
    best = ArgMax <axis = 1, keepdims = 0> (X)
    names = Constant <value_strings = ["high", "low", "mid"]> ()
    label = Gather (names, best)
}"""
ON_DSP = {"dsp": {"target": "cortex-m4", "operators": ["softmax"]}}


@dataclass(frozen=True)
class Given:
    """What the reader of a piece of C has: networks, how they were compiled, and declarations."""

    compiled: Callable[[Path], Artifact | JointArtifact]
    declared: str = ""
    """At the level of the file, behind the header of the network."""
    headers: Sequence[str] = ()
    """Beside that of the network."""


def network(
    name: str, body: str, declared: str = "", headers: Sequence[str] = ("s2s_arena.h",), **options: Any
) -> Given:
    """A network in the text form of ONNX, compiled with these options."""

    def compiled(folder: Path) -> Artifact:
        model = onnx_model(body)
        model.graph.initializer.extend(
            numpy_helper.from_array(np.ones((64, 64), np.float32), name) for name in ("u", "v")
        )
        model.graph.node[-1].name = "nms"
        options.setdefault("target", "c")
        return api.compile(model, name=name, **options)

    return Given(compiled, declared, headers)


def together(declared: str, **options: Any) -> Given:
    """The networks `kws` and `ic` in one tree for `cortex-m4`."""

    def compiled(folder: Path) -> JointArtifact:
        parts = [
            api.compile(onnx_model(body), name=name, target="cortex-m4", **options)
            for name, body in (("kws", SOUND), ("ic", IMAGE))
        ]
        return api.together(parts, name="models")

    return Given(compiled, declared, ("s2s_arena.h",))


SMALL = Config(vocabulary=32, width=16, layers=1, heads=2, kv_heads=1, hidden=16, length=64)


def decoder(folder: Path) -> Artifact:
    """A decoder with a tokeniser of bytes."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]
    words = {"model": "llama", "tokens": tokens, "scores": [0.0] * len(tokens), "bos_token_id": 1, "eos_token_id": 2}
    words["token_type"] = [2, 3, 3, *[6] * 256, 1]
    config = Config(vocabulary=len(tokens), width=16, layers=1, heads=2, kv_heads=1, hidden=16, length=64)
    write_gguf(folder / "decoder.gguf", config, "F32", metadata={f"tokenizer.ggml.{key}": words[key] for key in words})
    return api.compile(str(folder / "decoder.gguf"), target="c")


def growing(folder: Path) -> Artifact:
    """A decoder as optimum exports it."""
    dims: Any = {PAST: (0, 23), TOKENS: 1, "batch_size": 1}
    return api.compile(
        optimum_decoder(), target="c", name="decoder", states={"past_key_values.*": "present.*"}, dims=dims
    )


ARRAYS = "static float input[VWW_INPUT_SIZE], output[VWW_OUTPUT_SIZE];"
ROWS = """static uint8_t arena[VWW_ARENA_SIZE]; static float row[VWW_PUSHED_ROW_SIZE], output[VWW_OUTPUT_SIZE];
void read_row(float *);"""
APP_SCALE = "int app_scale(TVMValue *, int *, int, TVMValue *, int *, void *);"
ENCODER = "static uint8_t arena[ENCODER_ARENA_SIZE]; static float x[ENCODER_X_SIZE], y[ENCODER_Y_SIZE];"
READING = "static uint8_t arena[KWS_ARENA_SIZE]; void read_features(int8_t *);"
TEXTS = """static uint32_t tokens[8], ranks[8], capacity = 8u, count, token; static float logits[DECODER_LOGITS_SIZE];
static s2s_sampler sampler; static s2s_candidate candidates[8]; static size_t size;"""
STEP = """static uint8_t arena[DECODER_ARENA_SIZE]; static int32_t position;
static int64_t token[1], attention_mask[24], position_ids[1]; static float logits[DECODER_LOGITS_SIZE];"""
MODELS = "static float sound[8], words[8], image[8], classes[8];"
IN_POOLS = f"static uint8_t models_arena_tcm[64], models_arena_sram[64]; {MODELS}"

SEQUENCES: dict[str, Any] = {"dims": {"sequence": (1, 128)}}
GIVEN = {
    "language-models": [
        Given(lambda folder: api.compile(make_model(SMALL), target="c", name="decoder", states=states(SMALL))),
        Given(growing, STEP),
        Given(decoder, TEXTS),
    ],
    "memory": [
        network("kws", BYTES, READING, target="cortex-m4"),
        network("vww", LAYERS, ROWS, push="input:2", target="cortex-m4"),
        network("vww", LAYERS, pools=["tcm=64KiB"], target="cortex-m4"),
        network("vww", LAYERS, ARRAYS, pools=["tcm=64KiB:at=0x20000000"], target="cortex-m4"),
        network(
            "vww",
            LAYERS,
            f"{ARRAYS} static uint8_t arena_dtcm[VWW_ARENA_DTCM_SIZE], arena_sram[VWW_ARENA_SRAM_SIZE];",
            pools=["dtcm=256:loaded", "sram=512KiB:buffers"],
            target="cortex-m7",
        ),
        network("vww", DENSE, pools=["tcm=2KiB", "flash=4MiB:streamed:rate=0.5:latency=200"], target="cortex-m4"),
    ],
    "before-and-after": [
        network("words", SCORES, post=("top-k:count=2", "labels:names=yes/no/silence")),
    ],
    "steps": [
        network(
            "kws",
            LAYERS,
            "static uint8_t arena[KWS_ARENA_SIZE]; static float input[KWS_INPUT_SIZE], output[KWS_OUTPUT_SIZE]; "
            "void control_task(void);",
            target="cortex-m4",
            steps="4000cycles",
        )
    ],
    "weights-pack": [
        network(
            "kws",
            LAYERS,
            "static uint8_t arena[KWS_ARENA_SIZE]; static float input[KWS_INPUT_SIZE], output[KWS_OUTPUT_SIZE];",
            weights="pack",
        ),
        network(
            "kws",
            LAYERS,
            "s2s_pack_verify verify_signature; static uint8_t public_key[32];",
            weights="pack",
        ),
    ],
    "microcontroller": [
        network("kws", SPOTTER, "static int8_t mfcc[KWS_MFCC_SIZE], scores[KWS_SCORES_SIZE];", target="cortex-m4"),
        network("kws", KEPT, "static float mfcc[KWS_MFCC_SIZE], scores[KWS_SCORES_SIZE];", profile="misra"),
    ],
    "runtime": [
        network("digits", DIGITS, "static DLTensor image, probabilities;", executor="graph", interface="tvm"),
        network("digits", DIGITS, "static float image[64], probabilities[64];", interface="tvm"),
        network("digits", DIGITS, APP_SCALE, ("s2s_tvm.h",), executor="graph", interface="tvm"),
    ],
    "scikit-learn": [network("forest", NAMED)],
    "several-devices": [
        network("kws", DENSE, devices=ON_DSP, target="cortex-m7"),
        network("kws", DENSE, devices=ON_DSP, target="cortex-m7"),
    ],
    "several-networks": [
        together(MODELS),
        together(IN_POOLS, pools=["tcm=32", "sram=512KiB"]),
    ],
    "sizes": [
        network("encoder", SEQUENCE, **SEQUENCES),
        network("encoder", SEQUENCE, ENCODER, **SEQUENCES),
        network("groups", GROUPS, shapes=["x=2,4*q", "y=q+1"], dims={"q": (2, 4)}),
        network("detector", STRIPES, dims={"width": "32..640:+32"}),
        network("detector", FOUND, "static uint8_t arena[8192]; static float image[300]; static int64_t boxes[300];"),
        network("encoder", SEQUENCE, threads=2, **SEQUENCES),
        network(
            "encoder", SEQUENCE, "static s2s_executor executor;", ("s2s_executor.h",), executor="graph", **SEQUENCES
        ),
    ],
    "streams": [
        network("wake", REMEMBERING, states={"h_in": "h_out"}),
        network("wake", REMEMBERING, "static int8_t input[4], output[4]; void read_frame(int8_t *);",
                states={"h_in": "h_out"}),
        network("wake", REMEMBERING, "static uint8_t arena[WAKE_ARENA_SIZE], other[WAKE_ARENA_SIZE];",
                ("string.h",), states={"h_in": "h_out"}),
    ],
    "threads": [network("resnet50", LAYERS, "static float input[64], output[128];", threads=2)],
}  # fmt: skip
"""By page, for each of its pieces of C."""
