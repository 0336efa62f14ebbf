"""Packagings that keep the layout of the tree and add build files: CMake, make, Meson, ESP-IDF, Zephyr, CMSIS-Pack."""

import io
import zipfile

from s2s.emit.templates import fill
from s2s.packagings.description import TreeDescription
from s2s.packagings.example import call, declarations

PACK_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a pack, so that the same tree gives the same bytes."""
VENDOR = "s2s"


def whole(tree: TreeDescription) -> dict[str, bytes]:
    """The tree as it is: a CMake package, with a Makefile beside it."""
    return tree.copied(tree.files)


def meson(tree: TreeDescription) -> dict[str, bytes]:
    """The tree with `meson.build`, and the wrap file for projects that take it as a subproject."""
    return {
        **whole(tree),
        "meson.build": _filled("meson.build.j2", tree),
        f"{tree.name}.wrap": _filled("wrap.j2", tree),
    }


def esp_idf(tree: TreeDescription) -> dict[str, bytes]:
    """A component for ESP-IDF 5 or later."""
    return {
        **_library(tree),
        "CMakeLists.txt": _filled("esp_idf.cmake.j2", tree),
        "idf_component.yml": _filled("idf_component.yml.j2", tree),
    }


def zephyr(tree: TreeDescription) -> dict[str, bytes]:
    """A module for Zephyr with a sample, which twister builds and runs."""
    tree.check_call("zephyr")
    sample = f"samples/{tree.name}/"
    return {
        **_library(tree),
        "zephyr/module.yml": _filled("module.yml.j2", tree),
        "zephyr/CMakeLists.txt": _filled("zephyr.cmake.j2", tree),
        "zephyr/Kconfig": _filled("Kconfig.j2", tree),
        f"{sample}CMakeLists.txt": _filled("sample.cmake.j2", tree),
        f"{sample}prj.conf": f"CONFIG_S2S_{tree.macro}=y\nCONFIG_MAIN_STACK_SIZE=4096\n".encode(),
        f"{sample}testcase.yaml": _filled("testcase.yaml.j2", tree),
        f"{sample}src/main.c": _filled("main.c.j2", tree),
    }


def cmsis_pack(tree: TreeDescription) -> dict[str, bytes]:
    """A CMSIS-Pack: its description, the pack that holds it with the files, and a layer for csolution projects."""
    stem = f"{VENDOR}.{tree.name}"
    inside = {f"{stem}.pdsc": _filled("pack.pdsc.j2", tree), **_library(tree)}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in inside.items():
            archive.writestr(zipfile.ZipInfo(path, PACK_DATE), content, zipfile.ZIP_DEFLATED)
    return {
        **inside,
        f"{stem}.{tree.version}.pack": packed.getvalue(),
        f"{tree.name}.clayer.yml": _filled("clayer.yml.j2", tree),
    }


def _library(tree: TreeDescription) -> dict[str, bytes]:
    return tree.copied([*tree.library, *tree.pack, *tree.licences])


def _filled(template: str, tree: TreeDescription) -> bytes:
    shown = tree.network.executor == "aot"
    return fill(
        f"packagings/{template}",
        tree=tree,
        vendor=VENDOR,
        headers=(f"{tree.name}.h", "s2s_arena.h"),
        declarations=declarations(tree.network) if shown else [],
        call=call(tree.network) if shown else [],
    ).encode()
