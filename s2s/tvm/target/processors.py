"""The processor that TVM's attributes describe: `-mcpu`, `-mtriple`, `-mattr`, `-march`, `-mabi`, `-mfloat-abi`.

    -mcpu=cortex-m4                                           our target cortex-m4
    -mtriple=thumbv7em-none-eabihf                            cortex-m4
    -mtriple=armv7l-linux-gnueabihf -mattr=+neon              plain C with -march=armv7-a -mfpu=neon, compiled by
                                                              arm-linux-gnueabihf-gcc

An attribute is honoured or refused: nothing that says what the processor is is dropped.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from s2s.errors import WrongValueError
from s2s.support.frozen import frozen
from s2s.targets import Target, get_target, target_names
from s2s.targets.file import SUFFIX

PROCESSORS = {
    "native": "host",
    "generic": "c",
    "haswell": "x86-64-v3",
    "broadwell": "x86-64-v3",
    "skylake": "x86-64-v3",
    "core-avx2": "x86-64-v3",
    "znver2": "x86-64-v3",
    "znver3": "x86-64-v3",
    "skylake-avx512": "x86-64-v4",
    "cascadelake": "x86-64-v4-avx512vnni",
    "icelake-server": "x86-64-v4-avx512vnni",
    "sapphirerapids": "x86-64-v4-avx512vnni",
    "znver4": "x86-64-v4-avx512vnni",
    "alderlake": "x86-64-v3-avxvnni",
}
"""The target that a processor stands for; names of our targets stand for themselves."""
CORTEX_A = re.compile(r"cortex-[ax]\d+\w*|neoverse-\w+|thunderx\w*|apple-\w+")

_ARM_M = tuple(f"cortex-m{each}" for each in ("0", "3", "4", "7", "33", "35p", "55", "85"))


def is_arm(mcpu: str, mtriple: str) -> bool:
    """Whether TVM dispatches to the functions of `arm_cpu` for a processor."""
    is_application = mtriple.startswith(("arm", "aarch64")) and not mcpu.startswith("cortex-m")
    return mcpu.startswith(_ARM_M) or is_application


@frozen
class Family:
    """Processors that one kind of triple names."""

    name: str
    triples: str
    """A regular expression of the first part of a triple."""
    target: Callable[[str], Target]
    """Returns the target of a triple that says nothing more."""
    features: Mapping[str, Sequence[str]]
    """The compiler's flags of each feature that `-mattr` switches on."""
    cpus: str = "(?!)"
    """A regular expression of the processors that the compiler knows by `-mcpu`."""
    has_float_abi: bool = False


def _generic(name: str, cc: str, packages: tuple[str, ...], word_bits: int, *flags: str) -> Target:
    """Plain C for a processor that the compiler is told by `flags`."""
    return replace(
        get_target("c"),
        name=name,
        description=f"portable C99, compiled by {cc}",
        cc=cc,
        packages=packages,
        word_bits=word_bits,
        cflags=(*flags, *get_target("c").cflags),
    )


def _arm(triple: str) -> Target:
    architecture = "armv8-a" if triple.startswith("armv8") else "armv7-a" if triple.startswith("armv7") else "armv6"
    hard = "hf" in triple
    compiler = "arm-linux-gnueabihf-gcc" if hard else "arm-linux-gnueabi-gcc"
    package = "gcc-arm-linux-gnueabihf" if hard else "gcc-arm-linux-gnueabi"
    floats = ("-mfpu=vfpv3-d16", "-mfloat-abi=hard") if hard else ("-mfloat-abi=soft",)
    return _generic(architecture, compiler, (package,), 32, f"-march={architecture}", *floats)


def _thumb(triple: str) -> Target:
    architecture, hard = triple.partition("-")[0], triple.endswith("hf")
    cores = {"thumbv6m": "m0", "thumbv7m": "m3", "thumbv8.1m.main": "m55", "thumbv8m.main": "m33", "thumbv8m": "m33"}
    if architecture in cores and (hard or cores[architecture] in ("m0", "m3")):
        return get_target(f"cortex-{cores[architecture]}")
    if architecture == "thumbv7em" and hard:
        return get_target("cortex-m4")
    names = {"thumbv7em": "armv7e-m", "thumbv8m.base": "armv8-m.base", "thumbv8m": "armv8-m.main"}
    march = names.get(architecture, architecture.replace("thumbv8m", "armv8-m").replace("thumbv8.1m", "armv8.1-m"))
    base = get_target("cortex-m3")
    cflags = ("-mthumb", f"-march={march}", "-mfloat-abi=soft", *base.cflags[2:])
    return replace(base, name=march, description=f"Arm {march} without an FPU", cflags=cflags)


def _riscv(triple: str) -> Target:
    if triple.startswith("riscv32"):
        return get_target("rv32imc")
    if "linux" in triple:
        packages = ("gcc-riscv64-linux-gnu",)
        return _generic("rv64gc", "riscv64-linux-gnu-gcc", packages, 64, "-march=rv64gc", "-mabi=lp64d")
    return get_target("rv64gc")


def _x86(triple: str) -> Target:
    return replace(get_target("c"), name="x86-64", word_bits=64, cflags=("-march=x86-64", *get_target("c").cflags))


_X86_FEATURES = (
    "sse3 ssse3 sse4.1 sse4.2 avx avx2 fma f16c bmi bmi2 popcnt avx512f avx512cd avx512bw avx512dq avx512vl avx512vnni"
)
_A64_VERSIONS = {f"v8.{number}a": (f"-march=armv8.{number}-a",) for number in range(1, 7)}
_A64_FEATURES = "crc lse crypto dotprod fp16 rdm i8mm bf16 sve"
FAMILIES = (
    Family("x86-64", "x86_64|amd64|x86-64", _x86, {each: (f"-m{each}",) for each in _X86_FEATURES.split()}, r"[\w.-]+"),
    Family(
        "aarch64",
        "aarch64|arm64",
        lambda triple: get_target("aarch64"),
        {
            "neon": (),
            "fp-armv8": (),
            **{each: (f"+{each}",) for each in _A64_FEATURES.split()},
            "fullfp16": ("+fp16",),
            **_A64_VERSIONS,
        },
        CORTEX_A.pattern,
    ),
    Family(
        "arm",
        r"armv[678]\w*|arm",
        _arm,
        {
            "neon": ("-mfpu=neon",),
            "vfp3": ("-mfpu=vfpv3",),
            "vfp4": ("-mfpu=neon-vfpv4",),
            "thumb2": ("-mthumb",),
            "thumb-mode": ("-mthumb",),
        },
        CORTEX_A.pattern,
        has_float_abi=True,
    ),
    Family("thumb", r"thumbv[678][\w.]*", _thumb, {"dsp": ()}, r"cortex-m\d+\w*", has_float_abi=True),
    Family("riscv", "riscv(32|64)", _riscv, {}, r"sifive-\w+"),
)


def processor(place: str, attributes: Mapping[str, str]) -> Target | None:
    """Return the target that the attributes describe; None if they say nothing of a processor."""
    mcpu, triple = attributes.get("mcpu", ""), attributes.get("mtriple", "")
    family = _family(place, triple, attributes)
    target = _target(place, mcpu, triple, family)
    if target is not None and (family is None or target.name in target_names()):
        family = _family_of(target)
    target = _with_march(place, attributes, target, family)
    target = _with_features(place, attributes.get("mattr", ""), target, family)
    return _with_float_abi(place, attributes.get("mfloat-abi", ""), target, family)


def _family(place: str, triple: str, attributes: Mapping[str, str]) -> Family | None:
    if not triple:
        march = attributes.get("march", "")
        return FAMILIES[-1] if re.match("rv(32|64)", march) else None
    first = triple.partition("-")[0]
    family = next((each for each in FAMILIES if re.fullmatch(each.triples, first)), None)
    if family is None:
        names = "x86_64, aarch64, armv7, thumbv6m to thumbv8.1m, riscv32 and riscv64"
        raise WrongValueError(f"{place} -mtriple={triple}: its processor is not known; known are {names}")
    return family


def _family_of(target: Target) -> Family | None:
    """Return the family of one of our targets."""
    prefixes = {"x86-64-": "x86-64", "host": "x86-64", "aarch64": "aarch64", "cortex-m": "thumb", "rv": "riscv"}
    name = next((family for prefix, family in prefixes.items() if target.name.startswith(prefix)), None)
    return next((each for each in FAMILIES if each.name == name), None)


def _target(place: str, mcpu: str, triple: str, family: Family | None) -> Target | None:
    name = PROCESSORS.get(mcpu, mcpu)
    if mcpu and name in target_names():
        target = get_target(name)
        other = _family_of(target)
        if family is not None and other is not None and other is not family:
            raise WrongValueError(f"{place} -mcpu={mcpu} -mtriple={triple}: contradict each other; leave one out")
        return target
    if family is None:
        if not mcpu:
            return None
        if CORTEX_A.fullmatch(mcpu):
            raise WrongValueError(f"{place} -mcpu={mcpu}: runs programs of 32 and of 64 bits; give -mtriple as well")
        known = ", ".join([*target_names(), *PROCESSORS])
        raise WrongValueError(f"{place} -mcpu={mcpu}: no such processor; known are {known}, and files *{SUFFIX}")
    target = family.target(triple or "riscv64-unknown-elf")
    if not mcpu:
        return target
    if not re.fullmatch(family.cpus, mcpu):
        raise WrongValueError(f"{place} -mcpu={mcpu}: is no processor of {family.name}; leave it out, or name one")
    selecting = f"-march={mcpu}" if family.name == "x86-64" else f"-mcpu={mcpu}"
    flags = [each for each in target.cflags if not each.startswith(("-march=", "-mcpu="))]
    return replace(target, name=f"{target.name}-{mcpu}", cflags=(selecting, *flags))


def _with_march(
    place: str, attributes: Mapping[str, str], target: Target | None, family: Family | None
) -> Target | None:
    """Apply `-march` and `-mabi`, which RISC-V has."""
    march, mabi = attributes.get("march", ""), attributes.get("mabi", "")
    if not march and not mabi:
        return target
    if family is None or family.name != "riscv" or target is None:
        name = "march" if march else "mabi"
        raise WrongValueError(f"{place} -{name}: goes with a triple of RISC-V; name the processor by -mcpu or -mtriple")
    if march and not march.startswith("rv32" if target.word_bits == 32 else "rv64"):
        target = get_target("rv32imc") if march.startswith("rv32") else _riscv("riscv64-unknown-elf")
    flags = list(target.cflags)
    for key, value in (("-march=", march), ("-mabi=", mabi)):
        if value:
            _switch(flags, key + value)
    changed = tuple(flags) != target.cflags
    return replace(target, name=march or target.name, cflags=tuple(flags)) if changed else target


def _with_features(place: str, mattr: str, target: Target | None, family: Family | None) -> Target | None:
    """Apply `-mattr=+a,-b`."""
    if not mattr:
        return target
    if target is None or family is None:
        raise WrongValueError(f"{place} -mattr={mattr}: belongs to no processor; give -mtriple or -mcpu as well")
    flags = list(target.cflags)
    for word in mattr.split(","):
        name = word.lstrip("+-")
        if name not in family.features or (word.startswith("-") and family.name != "x86-64"):
            known = ", ".join(f"+{each}" for each in family.features) or "none"
            raise WrongValueError(f"{place} -mattr={word}: is not known of {family.name}; known are {known}")
        if name in _A64_VERSIONS and any(each.startswith("-mcpu=") for each in flags):
            raise WrongValueError(f"{place} -mattr={word}: -mcpu says the version already; leave one out")
        for flag in family.features[name]:
            _switch(flags, flag.replace("-m", "-mno-", 1) if word.startswith("-") else flag)
    changed = tuple(flags) != target.cflags
    return replace(target, name=f"{target.name}-{_name(mattr)}", cflags=tuple(flags)) if changed else target


def _switch(flags: list[str], flag: str) -> None:
    """Add a flag; an extension `+dotprod` goes to the architecture, and a flag with a value replaces the same one.

    An architecture of Arm keeps its extensions.
    """
    if flag.startswith("+"):
        place = next(number for number, each in enumerate(flags) if each.startswith(("-march=", "-mcpu=")))
        flags[place] += flag
        return
    key = flag.partition("=")[0] + "="
    place = next((number for number, each in enumerate(flags) if each.startswith(key)), None)
    if place is None:
        flags.append(flag)
    else:
        _, plus, extensions = flags[place].partition("+")
        flags[place] = flag + plus + extensions if flag.startswith("-march=armv") else flag


def _with_float_abi(place: str, value: str, target: Target | None, family: Family | None) -> Target | None:
    if not value:
        return target
    if value not in ("hard", "soft", "softfp") or family is None or not family.has_float_abi or target is None:
        raise WrongValueError(
            f"{place} -mfloat-abi={value}: goes with 32-bit Arm, and is hard, soft or softfp; leave it out"
        )
    flags = list(target.cflags)
    _switch(flags, f"-mfloat-abi={value}")
    changed = tuple(flags) != target.cflags
    return replace(target, name=f"{target.name}-{value}", cflags=tuple(flags)) if changed else target


def _name(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
