"""Run GGUF files by the shared libraries of llama.cpp, as a prebuilt package has them.

Options are those that the library gives itself (float16 cache and what it finds best on the machine), but for the
number of threads. Structures that functions take and return by value are passed as bytes, more than they have.
"""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.types.dtypes import Array


class Bytes(ctypes.Structure):
    """Room for the parameters of a model or of a context."""

    _fields_ = (("bytes", ctypes.c_char * 1024),)


class Batch(ctypes.Structure):
    """Tokens to decode: `llama_batch`."""

    _fields_ = (
        ("count", ctypes.c_int32),
        *((name, ctypes.c_void_p) for name in ("token", "embedding", "position", "sequences", "sequence", "logits")),
    )


LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


@LOG
def silent(_level: int, _text: bytes, _data: int) -> None:
    """Print nothing."""


POINTERS = (
    "llama_model_load_from_file",
    "llama_init_from_model",
    "llama_get_memory",
    "llama_get_logits",
)


class LlamaCpp:
    """A model of a GGUF file with a cache of 512 positions."""

    def __init__(self, folder: Path, model: Path, vocabulary: int, threads: int = 1) -> None:
        self.library, self.vocabulary = _load(folder), vocabulary
        call = self.library
        self._model = call.llama_model_load_from_file(str(model).encode(), call.llama_model_default_params())
        if not self._model:
            raise InputError(f"{model}: llama.cpp does not read it")
        self._context = ctypes.c_void_p(
            call.llama_init_from_model(ctypes.c_void_p(self._model), call.llama_context_default_params())
        )
        call.llama_set_n_threads(self._context, threads, threads)

    def reset(self) -> None:
        """Empty the cache."""
        self.library.llama_memory_clear(ctypes.c_void_p(self.library.llama_get_memory(self._context)), True)

    def decode(self, tokens: Sequence[int]) -> None:
        """Add tokens."""
        array = (ctypes.c_int32 * len(tokens))(*tokens)
        batch = self.library.llama_batch_get_one(array, len(tokens))
        if self.library.llama_decode(self._context, batch):
            raise InputError(f"llama.cpp cannot decode {len(tokens)} more tokens; give fewer")

    def logits(self) -> Array:
        """The logits behind the last token."""
        logits = ctypes.cast(self.library.llama_get_logits(self._context), ctypes.POINTER(ctypes.c_float))
        return np.ctypeslib.as_array(logits, (self.vocabulary,)).copy()


def _load(folder: Path) -> Any:
    """Load the libraries of a folder, and the ones of its kernels that suit this machine."""
    found: dict[str, Any] = {}
    for name in ("ggml-base", "ggml", "llama"):
        paths = [path for path in sorted(folder.glob(f"lib{name}.*so*")) if path.is_file()]
        if not paths:
            raise InputError(f"{folder}: has no lib{name}.so; give the folder with the libraries of llama.cpp")
        found[name] = ctypes.CDLL(str(paths[0].absolute()), mode=ctypes.RTLD_GLOBAL)
    llama = found["llama"]
    llama.llama_log_set(silent, None)
    found["ggml"].ggml_backend_load_all_from_path(str(folder.absolute()).encode())
    for name in ("llama_model_default_params", "llama_context_default_params"):
        getattr(llama, name).restype = Bytes
    for name in POINTERS:
        getattr(llama, name).restype = ctypes.c_void_p
    llama.llama_model_load_from_file.argtypes = (ctypes.c_char_p, Bytes)
    llama.llama_init_from_model.argtypes = (ctypes.c_void_p, Bytes)
    llama.llama_memory_clear.argtypes = (ctypes.c_void_p, ctypes.c_bool)
    llama.llama_batch_get_one.restype = Batch
    llama.llama_decode.argtypes = (ctypes.c_void_p, Batch)
    llama.llama_backend_init()
    return llama
