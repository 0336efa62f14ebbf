"""Steps behind a network, over several runs of its C."""

from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.frontends.features import post
from s2s.types.dtypes import Array
from support.steps import runs, stepped

RANDOM = np.random.default_rng(0)


def after(shape: tuple[int, ...], steps: list[Any], scores: list[Array]) -> list[dict[str, Array]]:
    """The outputs of consecutive runs."""
    return runs(stepped({"x": shape}, post=steps), [{"x": each.astype(np.float32)} for each in scores])


def test_the_largest_score_has_the_number_of_the_class() -> None:
    scores = [RANDOM.normal(size=(3, 7)) for _ in range(3)]
    for x, found in zip(scores, after((3, 7), [post.Argmax()], scores), strict=True):
        assert np.array_equal(found["x_out_class"], x.argmax(1))


def test_the_largest_scores_come_in_order() -> None:
    x = RANDOM.normal(size=(2, 9)).astype(np.float32)
    (found,) = after((2, 9), [post.TopK(count=3)], [x])
    order = np.argsort(-x, 1, kind="stable")[:, :3]
    assert np.array_equal(found["x_out_classes"], order)
    assert np.array_equal(found["x_out_scores"], np.take_along_axis(x, order, 1))


def test_probabilities_sum_to_one() -> None:
    x = RANDOM.normal(size=(1, 9))
    (found,) = after((1, 9), [post.Softmax()], [x])
    np.testing.assert_allclose(found["x_out"], np.exp(x) / np.exp(x).sum(), rtol=1e-5)


def test_scores_are_averaged_over_the_last_runs() -> None:
    scores = [RANDOM.normal(size=(1, 4)) for _ in range(9)]
    found = after((1, 4), [post.Mean(runs=3)], scores)
    for number, each in enumerate(found):
        right = np.mean(scores[max(0, number - 2) : number + 1], 0)
        np.testing.assert_allclose(each["x_out"], right, rtol=1e-5, atol=1e-6)


def test_an_active_score_stays_until_it_is_low() -> None:
    values = [0.5, 0.8, 0.7, 0.6, 0.5, 0.7, 0.9, 0.1]
    found = after((1,), [post.Threshold(on=0.75, off=0.6)], [np.array([value]) for value in values])
    assert [int(each["x_out_active"][0]) for each in found] == [0, 1, 1, 1, 0, 0, 1, 0]
    assert "x_out" in found[0]


def test_one_threshold_keeps_no_state() -> None:
    artifact = stepped({"x": (2,)}, post=[post.Threshold(on=0.5)])
    assert not artifact.info.states
    (found,) = runs(artifact, [{"x": np.array([0.5, 0.4], np.float32)}])
    assert found["x_out_active"].tolist() == [1, 0]


def overlap(a: Array, b: Array) -> float:
    """Intersection over union."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    inner = float(np.prod(np.maximum(high - low, 0)))
    return inner / (float(np.prod(a[2:] - a[:2])) + float(np.prod(b[2:] - b[:2])) - inner)


def test_boxes_that_overlap_are_left_out() -> None:
    corners = RANDOM.uniform(0, 1, (20, 2))
    boxes = np.concatenate([corners, corners + RANDOM.uniform(0.1, 0.6, (20, 2))], 1).astype(np.float32)
    scores = RANDOM.uniform(size=(20, 3)).astype(np.float32)
    artifact = stepped(
        {"boxes": (1, 20, 4), "scores": (1, 20, 3)},
        post=["scores_out=nms:boxes=boxes_out,most=6,overlap=0.3,least=0.2"],
    )
    (found,) = runs(artifact, [{"boxes": boxes[None], "scores": scores[None]}])
    assert set(found) == {"boxes_out", "scores_out", "scores_out_chosen"}
    for label in range(3):
        chosen: list[int] = []
        for place in np.argsort(-scores[:, label], kind="stable"):
            if scores[place, label] > 0.2 and all(overlap(boxes[place], boxes[each]) <= 0.3 for each in chosen):
                chosen.append(int(place))
        assert found["scores_out_chosen"][label].tolist() == (chosen + [-1] * 6)[:6]


def test_labels_are_in_the_header() -> None:
    artifact = stepped({"x": (1, 3)}, post=["argmax", "labels:names=yes/no/silence"])
    header = artifact.compilation.tree.files["include/identity.h"]
    text = b"".join(header) if not isinstance(header, bytes) else header
    assert b'#define IDENTITY_X_OUT_CLASS_TEXTS {"yes", "no", "silence"}' in text


def test_steps_follow_each_other() -> None:
    scores = [RANDOM.normal(size=(1, 5)) for _ in range(6)]
    found = after((1, 5), [post.Softmax(), post.Mean(runs=4), post.TopK(count=1)], scores)
    shares = [np.exp(x) / np.exp(x).sum() for x in scores]
    for number, each in enumerate(found):
        mean = np.mean(shares[max(0, number - 3) : number + 1], 0)
        assert each["x_out_classes"].tolist() == [[mean.argmax()]]
        np.testing.assert_allclose(each["x_out_scores"], mean.max(), rtol=1e-5)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (["top-k:count=9"], "takes 9 of 3 classes; give count=1 to 3"),
        (["labels:names=a/b"], "put --post argmax or top-k before it"),
        (["argmax", "labels"], "has no names, or two lists of them; give names=yes/no, or file=labels.txt"),
        (["argmax", "labels:names=a"], "has 1 names for 3 classes"),
        (["argmax", "labels:file=nowhere.txt"], "cannot be read (No such file or directory)"),
        (["mean:runs=1"], "averages 1 runs; give 2 to 4096"),
        (["threshold:on=0.5,off=0.6"], "turns off below 0.6, above on=0.5"),
        (["nms:boxes=z"], "there is no output 'z'; give boxes= of x_out"),
        (["z=argmax"], "there is no output 'z'; write --post NAME=argmax with one of x_out"),
        (["argmin"], "is no step; write [PORT=]NAME[:PARAMETER=VALUE,…] with one of softmax, argmax"),
    ],
)
def test_what_does_not_fit_is_refused(steps: list[str], message: str) -> None:
    with pytest.raises(InputError) as error:
        stepped({"x": (1, 3)}, post=steps)
    assert message in str(error.value)
