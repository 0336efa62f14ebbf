"""Static quantisation of ONNX and PyTorch models: calibration, weights and activations of 8 bits, error by layer."""

from typing import TYPE_CHECKING

from s2s.quantization.noise import LayerNoise as LayerNoise
from s2s.quantization.ranges import Method as Method
from s2s.quantization.result import Quantized as Quantized
from s2s.quantization.settings import Activations as Activations
from s2s.quantization.settings import PortType as PortType
from s2s.quantization.static import quantize as quantize

if TYPE_CHECKING:
    from s2s.quantization.fine_tuning import prepare as prepare
else:

    def __getattr__(name: str) -> object:
        """Return `prepare`, which needs torch."""
        if name == "prepare":
            from s2s.quantization.fine_tuning import prepare

            return prepare
        raise AttributeError(f"module 's2s.quantization' has no attribute {name!r}")
