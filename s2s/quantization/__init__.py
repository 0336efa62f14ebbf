"""Static quantisation of ONNX models: calibration on samples, 8-bit weights and activations, and the error by layer."""

from s2s.quantization.noise import LayerNoise as LayerNoise
from s2s.quantization.static import Method as Method
from s2s.quantization.static import PortType as PortType
from s2s.quantization.static import Quantized as Quantized
from s2s.quantization.static import quantize as quantize
