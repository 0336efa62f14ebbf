"""s2s: a source-to-source compiler from trained neural networks to portable C99.

`s2s.compile` and `s2s.load` are the way in; they are imported when they are first used, so that `import s2s` is quick.
"""

from typing import TYPE_CHECKING, Any

from s2s.version import VERSION

if TYPE_CHECKING:
    from s2s.api import compile as compile
    from s2s.api import load as load
    from s2s.artifact import Artifact as Artifact

__version__ = VERSION

__all__ = ["Artifact", "__version__", "compile", "load"]


def __getattr__(name: str) -> Any:
    if name in ("compile", "load"):
        from s2s import api

        return getattr(api, name)
    if name == "Artifact":
        from s2s.artifact import Artifact

        return Artifact
    raise AttributeError(f"module 's2s' has no attribute {name!r}")
