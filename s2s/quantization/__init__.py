"""Static quantisation of ONNX and PyTorch models: calibration, weights and activations of 8 bits, error by layer."""

from s2s.quantization.noise import LayerNoise as LayerNoise
from s2s.quantization.ranges import Method as Method
from s2s.quantization.result import Quantized as Quantized
from s2s.quantization.settings import Activations as Activations
from s2s.quantization.settings import PortType as PortType
from s2s.quantization.static import quantize as quantize
