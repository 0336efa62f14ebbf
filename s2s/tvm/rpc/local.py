"""A session in this process, for programs that are written about one. Remote sessions have one at the other end."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from s2s.errors import InputError
from s2s.executor.device import Device, cpu, device
from s2s.tvm.contrib.utils import TempDirectory
from s2s.tvm.runtime.library import linked_library, load_module, system_lib
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.tvm.runtime.registry import get_global_func


class LocalSession:
    """A session in this process: files are copied to a folder of its own, and modules are loaded from there."""

    def __init__(self) -> None:
        self._folder = TempDirectory()

    def upload(self, data: str | Path | bytes | bytearray, target: str | None = None) -> None:
        """Copy a file, or bytes under the name `target`, to the folder of the session."""
        if isinstance(data, bytes | bytearray):
            if not target:
                raise InputError("session.upload: bytes have no name of a file; give target")
            self._path(target).write_bytes(data)
            return
        shutil.copyfile(uploaded(data), self._path(target or Path(data).name))

    def download(self, path: str) -> bytearray:
        """Return the bytes of a file of the session."""
        return bytearray(self._there(path).read_bytes())

    def download_linked_module(self, path: str) -> bytearray:
        """Return the bytes of the shared library that the objects of a file of the session are linked to."""
        with TemporaryDirectory(prefix="s2s-linked-") as folder:
            return bytearray(linked_library(self._there(path), Path(folder)).read_bytes())

    def remove(self, path: str) -> None:
        """Remove a file of the session."""
        self._there(path).unlink()

    def listdir(self, path: str = "") -> str:
        """Return the names of the files of the session, with commas between them."""
        return ",".join(sorted(self._folder.listdir()))

    def load_module(self, path: str) -> Module:
        """Load a module of the session, as `runtime.load_module` does."""
        return load_module(self._there(path))

    def system_lib(self) -> Module:
        """Return the module of all functions that are linked into the process."""
        return system_lib()

    def get_function(self, name: str) -> PackedFunc:
        """Return the function that is registered under a name."""
        function = get_global_func(name)
        assert function is not None  # it raises where there is none
        return function

    def device(self, dev_type: str | int, dev_id: int = 0) -> Device:
        """Return a device of the session."""
        return device(dev_type, dev_id)

    def cpu(self, dev_id: int = 0) -> Device:
        """Return the processor."""
        return cpu(dev_id)

    def cl(self, dev_id: int = 0) -> Device:
        """Return a device of OpenCL, on which no code runs."""
        return self.device("opencl", dev_id)

    def _path(self, name: str) -> Path:
        """The path of a file of the session; a name that leads out of its folder is refused."""
        if Path(name).name != name:
            raise InputError(f"session: {name!r} is no name of a file; give one without folders")
        return Path(self._folder.relpath(name))

    def _there(self, name: str) -> Path:
        path = self._path(name)
        if not path.is_file():
            raise InputError(f"session: {name} has not been uploaded; it has {self.listdir() or 'no files'}")
        return path


def uploaded(data: str | Path) -> Path:
    """Return the path of a file to upload; one that is not there is refused."""
    if not Path(data).is_file():
        raise InputError(f"session.upload {data}: there is no such file; give one that export_library wrote")
    return Path(data)
