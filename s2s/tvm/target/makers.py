"""Functions of TVM that make targets of processor families."""

from collections.abc import Callable, Sequence

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.target.tags import ARM_MODELS, MICRO_MODELS
from s2s.tvm.target.target import Target


def create(target: str) -> Target:
    """Return the target of a text."""
    return Target(target)


def arm_cpu(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return an Arm board by its model, such as `rasp4b64`; `options` are attributes that come first."""
    known = ARM_MODELS.get(model)
    if known is None and model != "unknown":
        raise InputError(f"target.arm_cpu({model!r}): is not known; known are {', '.join(ARM_MODELS)}")
    return _made(f"-keys=arm_cpu,cpu -device=arm_cpu {known or ''}", model, options)


def riscv_cpu(model: str = "sifive-u54", options: str | Sequence[str] | None = None) -> Target:
    """Return a RISC-V processor by its model; `options` are attributes that come first."""
    models = {"sifive-u54": "-mtriple=riscv64-unknown-linux-gnu -march=rv64gc -mabi=lp64d"}
    if model not in models:
        raise InputError(f"target.riscv_cpu({model!r}): is not known; known are {', '.join(models)}")
    return _made(f"-keys=arm_cpu,cpu -device=arm_cpu {models[model]}", model, options)


def micro(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return a microcontroller by its model, such as `nrf5340dk`; `options` are attributes that come first."""
    if model not in MICRO_MODELS:
        raise InputError(f"target.micro({model!r}): is not known; known are {', '.join(MICRO_MODELS)}")
    first = options if isinstance(options, str) else " ".join(options or ())
    return Target(f"c {first} {MICRO_MODELS[model]} -model={model}")


def _refused(name: str) -> Callable[..., Target]:
    def refuse(*_: object, **__: object) -> Target:
        raise UnsupportedError(f"target.{name}: the code is C for processors; name one, or use an external generator")

    refuse.__doc__ = f"Refused: {name} is no processor that compiles C."
    return refuse


cuda, rocm, mali, bifrost = _refused("cuda"), _refused("rocm"), _refused("mali"), _refused("bifrost")
intel_graphics, vta, hexagon, adreno = (_refused(each) for each in ("intel_graphics", "vta", "hexagon", "adreno"))


def _made(attributes: str, model: str, options: str | Sequence[str] | None) -> Target:
    first = options if isinstance(options, str) else " ".join(options or ())
    return Target(f"llvm {first} {attributes} -model={model}")
