"""Small ONNX models, written in the text form of ONNX."""

from pathlib import Path

import onnx
import onnx.parser


def onnx_model(body: str, opset: int = 17, ml: bool = False) -> onnx.ModelProto:
    """The model `(inputs) => (outputs) { nodes }`, with the operators of ai.onnx.ml if they are asked for."""
    imports = f'"" : {opset}, "ai.onnx.ml" : 3' if ml else f'"" : {opset}'
    return onnx.parser.parse_model(f"<ir_version: 8, opset_import: [{imports}]> g {body}")


def onnx_file(body: str, folder: Path, opset: int = 17) -> Path:
    """The same as a file `model.onnx` in `folder`."""
    file = folder / "model.onnx"
    file.write_bytes(onnx_model(body, opset).SerializeToString())
    return file
