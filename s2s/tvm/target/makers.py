"""Functions of TVM that make targets of processor families."""

from collections.abc import Sequence

from s2s.errors import WrongValueError
from s2s.tvm.target.tags import ARM_MODELS, MICRO_MODELS, TAGS
from s2s.tvm.target.target import Target


def create(target: str) -> Target:
    """Return the target of a text."""
    return Target(target)


def list_tags() -> dict[str, Target]:
    """Return the targets that tags stand for."""
    return {tag: Target(tag) for tag in TAGS}


def arm_cpu(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return an Arm board by its model, such as `rasp4b64`; `options` are attributes that come first."""
    known = ARM_MODELS.get(model)
    if known is None and model != "unknown":
        raise WrongValueError(f"target.arm_cpu({model!r}): is not known; known are {', '.join(ARM_MODELS)}")
    return _made(f"-keys=arm_cpu,cpu -device=arm_cpu {known or ''}", model, options)


def riscv_cpu(model: str = "sifive-u54", options: str | Sequence[str] | None = None) -> Target:
    """Return a RISC-V processor by its model; `options` are attributes that come first."""
    models = {
        "sifive-e31": "-mtriple=riscv32-unknown-linux-gnu -mcpu=sifive-e31 -mabi=ilp32",
        "sifive-e76": "-mtriple=riscv32-unknown-linux-gnu -mcpu=sifive-e76 -mabi=ilp32",
        "sifive-u54": "-mtriple=riscv64-unknown-linux-gnu -mcpu=sifive-u54 -mabi=lp64d",
        "sifive-u74": "-mtriple=riscv64-unknown-linux-gnu -mcpu=sifive-u74 -mabi=lp64d",
    }
    if model not in models:
        raise WrongValueError(f"target.riscv_cpu({model!r}): is not known; known are {', '.join(models)}")
    return _made(f"-keys=arm_cpu,cpu -device=arm_cpu {models[model]}", model, options)


def micro(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return a microcontroller by its model, such as `nrf5340dk`; `options` are attributes that come first."""
    if model not in MICRO_MODELS:
        raise WrongValueError(f"target.micro({model!r}): is not known; known are {', '.join(MICRO_MODELS)}")
    first = options if isinstance(options, str) else " ".join(options or ())
    return Target(f"c {first} {MICRO_MODELS[model]} -model={model}")


def cuda(model: str = "unknown", arch: str | None = None, options: str | Sequence[str] | None = None) -> Target:
    """Return a graphics processor of NVIDIA, which a program may dispatch on; building for it is refused."""
    return _device("cuda", model, f"-arch={arch}" if arch else "", options)


def rocm(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return a graphics processor of AMD, which a program may dispatch on; building for it is refused."""
    return _device("rocm", model, "", options)


def mali(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return a Mali graphics processor, which a program may dispatch on; building for it is refused."""
    return _device("opencl", model, "-device=mali", options)


def bifrost(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return a Bifrost graphics processor, which a program may dispatch on; building for it is refused."""
    return _device("opencl", model, "-device=bifrost", options)


def adreno(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return an Adreno graphics processor, which a program may dispatch on; building for it is refused."""
    return _device("opencl", model, "-device=adreno", options)


def intel_graphics(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return a graphics processor of Intel, which a program may dispatch on; building for it is refused."""
    return _device("opencl", model, "-device=intel_graphics -thread_warp_size=16", options)


def vta(model: str = "unknown", options: str | Sequence[str] | None = None) -> Target:
    """Return the accelerator VTA, which a program may dispatch on; building for it is refused."""
    return _device("ext_dev", model, "-device=vta -keys=vta,cpu", options)


def hexagon(cpu_ver: str = "v66", **kwargs: int) -> Target:
    """Return a Hexagon processor with vectors of 128 bytes, for which nothing is built.

    A program may dispatch on it. `num_cores` and `vtcm_capacity` are the only other arguments.
    """
    versions = ("v65", "v66", "v67", "v67t", "v68", "v69")
    unknown = [each for each in kwargs if each not in ("num_cores", "vtcm_capacity")]
    if cpu_ver not in versions or unknown:
        raise WrongValueError(
            f"target.hexagon({cpu_ver!r}): {', '.join(unknown) or 'is'} not known; give {', '.join(versions)}, "
            "num_cores and vtcm_capacity"
        )
    attributes = "".join(f" -{name.replace('_', '-')}={value}" for name, value in ({"num_cores": 4} | kwargs).items())
    features = f"-mattr=+hvx{cpu_ver},+hvx-length128b"
    return Target(f"hexagon -mtriple=hexagon -mcpu=hexagon{cpu_ver} {features}{attributes}")


def _device(kind: str, model: str, attributes: str, options: str | Sequence[str] | None) -> Target:
    more = options if isinstance(options, str) else " ".join(options or ())
    return Target(f"{kind} -model={model} {attributes} {more}")


def _made(attributes: str, model: str, options: str | Sequence[str] | None) -> Target:
    first = options if isinstance(options, str) else " ".join(options or ())
    return Target(f"llvm {first} {attributes} -model={model}")
