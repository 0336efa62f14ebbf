"""Read samples from tables: CSV, and Parquet or Arrow files, alone or in a folder that Hugging Face's `datasets` wrote.

A column that has the name of an input holds its values: a number, a list, an encoded image or sound a row. Otherwise
all columns but the one of the classes are the elements of the only input, in order.
"""
# pyarrow has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from s2s.data.media import Taken, decode_image, decode_sound
from s2s.data.specs import Content, InputSpec, Labels
from s2s.errors import InputError
from s2s.support import progress
from s2s.support.extras import optional_module
from s2s.types.dtypes import Array


class _Table(NamedTuple):
    """Columns by name, and the names of the classes that a column numbers."""

    columns: Mapping[str, Sequence[Any]]
    classes: Mapping[str, Sequence[str]]


def parts(folder: Path) -> list[Path]:
    """Return the Arrow or Parquet files of a folder in order; none for a folder of another kind."""
    splits = folder / "dataset_dict.json"
    if splits.is_file():
        names = ", ".join(sorted(split.name for split in folder.iterdir() if split.is_dir()))
        raise InputError(f"{folder}: holds several splits; give the folder of one of {names}")
    state = folder / "state.json"
    if state.is_file():
        try:
            return [folder / Path(part["filename"]).name for part in json.loads(state.read_bytes())["_data_files"]]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{state}: is damaged; write the folder again with save_to_disk") from None
    return sorted(file for file in folder.rglob("*") if file.suffix in (".arrow", ".parquet"))


def read(path: Path, inputs: Sequence[InputSpec], labels: Labels | None) -> Content:
    """Return what a table holds; `labels` names the column of the classes."""
    place = str(path)
    table = _read_text(path) if path.suffix.lower() in (".csv", ".tsv") else _read_arrow(path)
    numbers = None if labels is None else labels.of(table.columns, place)
    kept = {name: column for name, column in table.columns.items() if labels is None or name != labels.name}
    return Content(
        {spec.name: _values(kept, spec, inputs, place) for spec in inputs},
        None if numbers is None else _classes(numbers),
        () if labels is None else table.classes.get(labels.name, ()),
    )


def _values(columns: Mapping[str, Sequence[Any]], spec: InputSpec, inputs: Sequence[InputSpec], place: str) -> Array:
    """Return the values of an input, from the column of its name or from all columns."""
    if spec.name in columns:
        return _column(columns[spec.name], spec, f"{place}: column {spec.name!r}")
    if len(inputs) > 1:
        raise InputError(f"{place}: has no column {spec.name!r}; give a column for each of several inputs")
    media = [name for name, column in columns.items() if column and _is_encoded(column[0])]
    if len(media) == 1:
        return _column(columns[media[0]], spec, f"{place}: column {media[0]!r}")
    shape, names = spec.constant_shape(place), list(columns)
    if len(names) != int(np.prod(shape)):
        raise InputError(
            f"{place}: has {len(names)} columns ({_listed(names)}), and {spec.name!r} has {int(np.prod(shape))} "
            "elements; leave columns out, or name the column of the classes with --labels"
        )
    rows = [_numbers(columns[name], f"{place}: column {name!r}") for name in names]
    return _converted(np.stack(rows, axis=1), spec, place).reshape(-1, *shape)


def _column(column: Sequence[Any], spec: InputSpec, place: str) -> Array:
    """Return the values of an input that one column holds."""
    if not (column and _is_encoded(column[0])):
        values = _converted(_numbers(column, place), spec, place)
        count = len(values)
        flat = all(size is not None for size in spec.shape) and values.size == count * np.prod(spec.constant_shape(""))
        return values.reshape(count, *spec.constant_shape(place)) if flat and count else values
    taken = Taken(spec.constant_shape(place), spec.dtype, spec.rate)
    decode = decode_image if spec.dtype in (np.dtype(np.uint8), np.dtype(np.uint16)) else decode_sound
    arrays = np.empty((len(column), *taken.shape), taken.dtype)
    for number, cell in enumerate(column):
        progress.step(f"reading sample {number + 1} of {len(column)}")
        if cell.get("bytes") is None:
            raise InputError(f"{place}: row {number} holds the path of a file; embed the files, or give their folder")
        arrays[number] = decode(io.BytesIO(cell["bytes"]), f"{place}, row {number}", taken).array
    return arrays


def _is_encoded(value: Any) -> bool:
    """Whether a value is a file of an image or a sound, as `datasets` keeps them."""
    return isinstance(value, Mapping) and "bytes" in value


def _numbers(column: Sequence[Any], place: str) -> Array:
    """Return a column of numbers, or of lists of numbers, as an array."""
    try:
        values = np.array(column)
        if values.dtype.kind not in "biuf":
            values = values.astype(np.float64)
    except (TypeError, ValueError):
        row = next((number for number, value in enumerate(column) if not _is_number(value)), 0)
        raise InputError(f"{place}: row {row} holds {str(column[row])[:40]!r}, no number; leave it out") from None
    return values


def _is_number(value: Any) -> bool:
    try:
        np.array(value).astype(np.float64)
    except (TypeError, ValueError):
        return False
    return value is not None and value != ""


def _converted(values: Array, spec: InputSpec, place: str) -> Array:
    """Return numbers in the type of an input, if it holds all of them."""
    if np.isnan(values).any():
        raise InputError(f"{place}: row {int(np.argwhere(np.isnan(values))[0][0])} holds no number; fill it in")
    if spec.dtype.kind == "f":
        return values.astype(spec.dtype)
    with np.errstate(invalid="ignore"):
        converted = values.astype(spec.dtype)
    if (converted != values).any():
        wrong = values[converted != values].reshape(-1)[0]
        raise InputError(f"{place}: holds {wrong}, which is no {spec.dtype}, the type of {spec.name!r}; round it")
    return converted


def _classes(column: Sequence[Any]) -> Array:
    """Return the entries of a column of classes as whole numbers, or as texts."""
    values = np.array(column)
    if values.dtype.kind in "biu":
        return values.astype(np.int64)
    try:
        return np.array([int(value) for value in values])
    except (TypeError, ValueError):
        return np.array([str(value) for value in values])


def _read_text(path: Path) -> _Table:
    """Read a file of separated values. Without a line of names, columns are called 0, 1, …"""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",") if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read ({error}); write it as UTF-8 with commas") from None
    if not rows:
        raise InputError(f"{path}: holds no row; give one for each sample")
    headed = _is_heading(rows)
    names = rows[0] if headed else [str(number) for number in range(len(rows[0]))]
    wrong = next((number for number, row in enumerate(rows, 1) if len(row) != len(names)), None)
    if wrong is not None:
        raise InputError(f"{path}: row {wrong} has {len(rows[wrong - 1])} cells, others {len(names)}; mend that row")
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two columns have the same name; give each its own")
    return _Table(dict(zip(names, zip(*rows[headed:], strict=True), strict=False)), {})


def _is_heading(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row holds names: no number in it, or a text above a number."""
    first, second = rows[0], rows[1] if len(rows) > 1 else ()
    above = any(_is_number(below) and not _is_number(cell) for cell, below in zip(first, second, strict=False))
    return above or not any(_is_number(cell) for cell in first)


def _read_arrow(path: Path) -> _Table:
    """Read one Arrow or Parquet file, or all of a folder."""
    arrow = optional_module("pyarrow", "tables", str(path), "give a CSV file")
    files = parts(path) if path.is_dir() else [path]
    try:
        tables = [part for file in files for part in _tables(file)]
        table = arrow.concat_tables(tables)
        columns = {str(name): cast("list[Any]", table.column(name).to_pylist()) for name in table.column_names}
    except (arrow.ArrowException, OSError) as error:
        raise InputError(f"{path}: cannot be read ({str(error).strip('. ')}); write it again with pyarrow") from None
    return _Table(columns, _class_names(table.schema.metadata or {}))


def _tables(file: Path) -> Iterator[Any]:
    """Yield the table of a file: Parquet, or Arrow as a stream (as `datasets` writes it) or with an index."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    if file.suffix == ".parquet":
        yield parquet.read_table(file)
        return
    with arrow.OSFile(str(file)) as source:
        indexed = source.read(6) == b"ARROW1"
        source.seek(0)
        yield (arrow.ipc.open_file if indexed else arrow.ipc.open_stream)(source).read_all()


def _class_names(metadata: Mapping[bytes, bytes]) -> dict[str, list[str]]:
    """Return the names of the classes by column, as `datasets` keeps them beside the columns."""
    try:
        features: Any = json.loads(metadata[b"huggingface"])["info"]["features"]
        return {name: kind["names"] for name, kind in features.items() if kind.get("_type") == "ClassLabel"}
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
