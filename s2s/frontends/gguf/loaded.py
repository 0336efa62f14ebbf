"""A language model that was read from a GGUF file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    import onnx

    from s2s.frontends.decoder import Config
    from s2s.types.language import Language


class Decoder(NamedTuple):
    """A decoder, the inputs that hold its cache with the outputs that are their next values, and its configuration."""

    model: onnx.ModelProto
    states: Mapping[str, str]
    config: Config
    language: Language
    folder: str
    """The folder of its file."""
    label: str
    """The path of its file."""
