"""Samples are read from what people have, and what is wrong with a source is said in a sentence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.data.sets import read_samples
from s2s.data.specs import InputSpec, Labels
from s2s.errors import InputError

IMAGE = InputSpec("image", np.dtype(np.uint8), (1, 4, 6, 3))
ROW = InputSpec("row", np.dtype(np.float32), (1, 3))
BYTE = InputSpec("row", np.dtype(np.int8), (3,))


def draw(file: Path, colour: int) -> None:
    image = pytest.importorskip("PIL.Image")
    file.parent.mkdir(parents=True, exist_ok=True)
    image.fromarray(np.full((4, 6, 3), colour, np.uint8)).save(file)


@pytest.mark.parametrize(
    ("folders", "classes"),
    [(("cat", "bird"), ("bird", "cat")), (("10", "9"), ("9", "10"))],
)
def test_subfolders_are_classes(tmp_path: Path, folders: tuple[str, str], classes: tuple[str, str]):
    draw(tmp_path / folders[0] / "a.png", 10)
    draw(tmp_path / folders[1] / "b.png", 20)
    samples = read_samples(tmp_path, [IMAGE])
    assert tuple(samples.classes) == classes
    found = {samples.names[place]: label for place, label in enumerate(samples.labels or ())}
    assert found == {f"{folders[0]}/a.png": classes.index(folders[0]), f"{folders[1]}/b.png": classes.index(folders[1])}
    assert {int(sample["image"].max()) for sample in samples} == {10, 20}


def test_a_folder_without_subfolders_has_no_classes(tmp_path: Path):
    draw(tmp_path / "a.png", 10)
    assert read_samples(tmp_path, [IMAGE]).labels is None


def test_sounds_fill_the_input(tmp_path: Path):
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(str(tmp_path / "a.wav"), np.full(50, 1000, np.int16), 16000)
    spec = InputSpec("sound", np.dtype(np.int16), (80,), 16000)
    [sample] = read_samples(tmp_path, [spec])
    assert sample["sound"].tolist() == [1000] * 50 + [0] * 30
    with pytest.raises(InputError, match="has 16000 samples a second, the network takes 8000"):
        read_samples(tmp_path, [InputSpec("sound", np.dtype(np.int16), (80,), 8000)])


@pytest.mark.parametrize(
    ("inputs", "labels", "message"),
    [
        ([InputSpec("x", np.dtype(np.float32), (1, 3, 4, 6))], None, "give --pre normalise"),
        ([IMAGE, ROW], None, "the model has 2"),
        ([InputSpec("x", np.dtype(np.uint8), (1, None, 6, 3))], None, r"open shape \[1, \?, 6, 3\]; give --shape x:"),
        ([IMAGE], Labels("kind"), "its subfolders are the classes; leave --labels kind out"),
    ],
)
def test_folders_that_do_not_fit_are_refused(tmp_path: Path, inputs: list[InputSpec], labels: Any, message: str):
    draw(tmp_path / "a" / "a.png", 10)
    with pytest.raises(InputError, match=message):
        read_samples(tmp_path, inputs, labels)


def test_files_beside_subfolders_are_refused(tmp_path: Path):
    draw(tmp_path / "a" / "a.png", 10)
    draw(tmp_path / "b.png", 10)
    with pytest.raises(InputError, match=r"b\.png lies in no subfolder, and others do"):
        read_samples(tmp_path, [IMAGE])


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_columns_are_elements_and_texts_classes(tmp_path: Path):
    file = table(tmp_path, "a,kind,b,c\n1,oak,2,3\n4,ash,5,6\n7,oak,8,9.5\n")
    samples = read_samples(file, [ROW], Labels("kind"))
    assert samples.arrays["row"].tolist() == [[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9.5]]]
    assert (samples.labels, samples.classes) == ([1, 0, 1], ["ash", "oak"])


def test_columns_without_names_are_numbered(tmp_path: Path):
    samples = read_samples(table(tmp_path, "1\t2\t3\t7\n4\t5\t6\t8\n", "t.tsv"), [BYTE], Labels("3"))
    assert samples.arrays["row"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert samples.labels == [7, 8]


def test_columns_of_the_names_of_inputs(tmp_path: Path):
    inputs = [InputSpec("gain", np.dtype(np.float32), ()), InputSpec("bias", np.dtype(np.float32), (1,))]
    samples = read_samples(table(tmp_path, "bias,gain\n1,2\n3,4\n"), inputs)
    assert {name: array.tolist() for name, array in samples.arrays.items()} == {"gain": [2, 4], "bias": [[1], [3]]}


@pytest.mark.parametrize(
    ("text", "spec", "message"),
    [
        ("a,b,c\n1,2,x\n", ROW, "column 'c': row 0 holds 'x', no number"),
        ("a,b,c\n1,2,\n", ROW, "column 'c': row 0 holds '', no number"),
        ("a,b,c\n1,2,nan\n", ROW, "row 0 holds no number; fill it in"),
        ("a,b,c\n1,2\n", ROW, "row 2 has 2 cells, others 3"),
        ("a,b,c,d\n1,2,3,4\n", ROW, r"has 4 columns \(a, b, c, d\), and 'row' has 3 elements"),
        ("a,b,c\n1,2,3.5\n", BYTE, "holds 3.5, which is no int8"),
        ("a,b,c\n1,2,300\n", BYTE, "holds 300.0, which is no int8"),
        ("a,a,c\n1,2,3\n", ROW, "two columns have the same name"),
        ("", ROW, "holds no row"),
    ],
)
def test_wrong_tables_are_refused(tmp_path: Path, text: str, spec: InputSpec, message: str):
    with pytest.raises(InputError, match=message):
        read_samples(table(tmp_path, text), [spec])


def test_a_missing_column_of_classes_is_named(tmp_path: Path):
    file = table(tmp_path, "a,b,c\n1,2,3\n")
    with pytest.raises(InputError, match="holds 'a', 'b', 'c', but no 'kind'"):
        read_samples(file, [ROW], Labels("kind"))
    assert read_samples(file, [ROW], Labels("kind", required=False)).labels is None


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_columnar_files(tmp_path: Path, suffix: str):
    arrow = pytest.importorskip("pyarrow")
    content = arrow.table({"row": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "kind": [1, 0]})
    file = tmp_path / f"t{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(content, file)
    else:
        with arrow.OSFile(str(file), "wb") as sink, arrow.ipc.new_file(sink, content.schema) as writer:
            writer.write_table(content)
    samples = read_samples(file, [ROW], Labels("kind"))
    assert samples.arrays["row"].tolist() == [[[1, 2, 3]], [[4, 5, 6]]]
    assert samples.labels == [1, 0]


def test_damaged_columnar_files_are_refused(tmp_path: Path):
    pytest.importorskip("pyarrow")
    for name in ("a.parquet", "a.arrow"):
        (tmp_path / name).write_bytes(b"ARROW1 no table")
        with pytest.raises(InputError, match="cannot be read"):
            read_samples(tmp_path / name, [ROW])


def dataset(folder: Path) -> Path:
    """Write what `datasets.Dataset.save_to_disk` writes: a stream, a state, and the classes in the schema."""
    arrow: Any = pytest.importorskip("pyarrow")
    draw(folder.parent / "a.png", 30)
    features = {"photo": {"_type": "Image"}, "label": {"names": ["cat", "dog"], "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    photos = [{"bytes": (folder.parent / "a.png").read_bytes(), "path": None}] * 2
    content = arrow.table({"photo": photos, "label": [1, 0]}).replace_schema_metadata(metadata)
    folder.mkdir()
    name = "data-00000-of-00001.arrow"
    with arrow.OSFile(str(folder / name), "wb") as sink, arrow.ipc.new_stream(sink, content.schema) as writer:
        writer.write_table(content)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name}]}))
    return folder


def test_folders_of_datasets(tmp_path: Path):
    samples = read_samples(dataset(tmp_path / "train"), [IMAGE], Labels("label"))
    assert samples.arrays["image"].shape == (2, 1, 4, 6, 3)
    assert int(samples.arrays["image"].max()) == 30
    assert (samples.labels, samples.classes) == ([1, 0], ["cat", "dog"])


def test_a_folder_of_splits_names_them(tmp_path: Path):
    dataset(tmp_path / "train")
    (tmp_path / "dataset_dict.json").write_text("{}")
    with pytest.raises(InputError, match="give the folder of one of train"):
        read_samples(tmp_path, [IMAGE])


FUNCTIONS = """
import numpy as np
def by_name(): return {"row": np.ones((2, 3), np.float32), "kind": [0, 1]}
def pairs(): return (({"row": np.full(3, n, np.float32)}, n) for n in range(3))
def arrays(): return [np.zeros(3, np.float32)]
def shapes(): return [np.zeros(3, np.float32), np.zeros(4, np.float32)]
def some(): return [(np.zeros(3, np.float32), 1), np.zeros(3, np.float32)]
def number(): return 3
def fails(): return 1 / 0
"""


def test_functions_return_arrays_or_samples(tmp_path: Path):
    (tmp_path / "f.py").write_text(FUNCTIONS)
    named = read_samples(f"{tmp_path}/f.py:by_name", [ROW], Labels("kind"))
    assert (named.count, named.labels) == (2, [0, 1])
    paired = read_samples(f"{tmp_path}/f.py:pairs", [ROW])
    assert (paired.arrays["row"][:, 0, 0].tolist(), paired.labels) == ([0, 1, 2], [0, 1, 2])
    assert read_samples(f"{tmp_path}/f.py:arrays", [ROW]).labels is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("shapes", r"returns samples of shapes \[3\] and \[4\]"),
        ("some", "1 of 2 samples have a class"),
        ("number", "returns int; return arrays by input name"),
        ("fails", r"fails with ZeroDivisionError \(division by zero\)"),
        ("missing", "has no function 'missing'"),
    ],
)
def test_wrong_functions_are_refused(tmp_path: Path, name: str, message: str):
    (tmp_path / "f.py").write_text(FUNCTIONS)
    with pytest.raises(InputError, match=message):
        read_samples(f"{tmp_path}/f.py:{name}", [ROW])


def test_one_array_belongs_to_the_only_input(tmp_path: Path):
    np.save(tmp_path / "a.npy", np.zeros((5, 3), np.float32))
    assert read_samples(tmp_path / "a.npy", [ROW]).count == 5
    with pytest.raises(InputError, match="holds one array; write inputs and labels by name"):
        read_samples(tmp_path / "a.npy", [ROW], Labels("kind"))
