"""PyTorch: programs of `torch.export` to modules of graph operations.

`capture.py` turns an exported program into plain records (`program.py`); the importers read these alone and never see
an object of torch. torch itself is imported when a model is captured, not before.
"""

from s2s.frontends.torch.capture import export
from s2s.frontends.torch.engine import run_program
from s2s.frontends.torch.importer import import_model
from s2s.frontends.torch.load import LoadedModel, is_torch, load_model

__all__ = ["LoadedModel", "export", "import_model", "is_torch", "load_model", "run_program"]
