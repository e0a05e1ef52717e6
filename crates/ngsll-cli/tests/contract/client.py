"""Metadata and inference through tritonclient, compared with the plain form of the same requests."""

import json
import sys
import urllib.request

import numpy as np
from tritonclient import http
from tritonclient.utils import InferenceServerException

ADDRESS = sys.argv[1]
client = http.InferenceServerClient(ADDRESS)


def plain(model, body):
    request = urllib.request.Request(
        f"http://{ADDRESS}/v2/models/{model}/infer",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        classes = [p["class"] for p in json.load(answer)["predictions"]]
    labels = [c["label"].encode() for c in classes]
    return labels, [[p["probability"] for p in c["probabilities"]] for c in classes]


def tensor(name, values, datatype, binary):
    made = http.InferInput(name, list(values.shape), datatype)
    made.set_data_from_numpy(values, binary_data=binary)
    return made


def check(model, arrays, expected):
    """Infers with binary and with JSON tensors, both ways."""
    labels, probabilities = expected
    for binary in [True, False]:
        inputs = [tensor(name, values, kind, binary) for name, values, kind in arrays]
        wanted = [
            http.InferRequestedOutput("probabilities", binary_data=binary),
            http.InferRequestedOutput("label", binary_data=binary),
        ]
        for outputs in [None, wanted]:
            result = client.infer(model, inputs, outputs=outputs, request_id="7")
            answer = result.get_response()
            assert answer["id"] == "7" and answer["model_name"] == model, answer
            names = [o["name"] for o in answer["outputs"]]
            if outputs is None:
                assert names == ["label", "probabilities", "scores"], names
                assert result.as_numpy("scores").shape == (len(labels), 1)
            else:
                assert names == ["probabilities", "label"], names
            found = [v if isinstance(v, bytes) else v.encode() for v in result.as_numpy("label")]
            assert found == labels, (found, labels)
            # As many bits as went out.
            assert result.as_numpy("probabilities").tolist() == probabilities
        packed = client.infer(model, inputs, request_compression_algorithm="gzip")
        assert packed.as_numpy("probabilities").tolist() == probabilities


assert client.is_server_live() and client.is_server_ready()
about = client.get_server_metadata()
assert about["name"] == "ngsll" and "binary_tensor_data" in about["extensions"], about
for model in ["reviews", "houses", "digits"]:
    assert client.is_model_ready(model)
    about = client.get_model_metadata(model)
    assert about["name"] == model, about
    assert [o["name"] for o in about["outputs"]] == ["label", "probabilities", "scores"], about
assert not client.is_model_ready("other")

texts = ["a good film", "a bad film", "größer, 大きい"]
check("reviews", [("text", np.array([t.encode() for t in texts]), "BYTES")], plain("reviews", {"text": texts}))

rows = [{"size": 1.5, "price": 120, "colour": "red"}, {"size": -3.0, "price": 7, "colour": "pink"}]
sizes = np.array([1.5, -3.0])
prices = np.array([120, 7])
colours = np.array([b"red", b"pink"], dtype=object)
expected = plain("houses", {"row": rows})
check("houses", [("size", sizes, "FP64"), ("price", prices, "INT64"), ("colour", colours, "BYTES")], expected)
flat = [("colour", colours, "BYTES"), ("size", sizes.astype(np.float32), "FP32"), ("price", prices.astype(np.uint8), "UINT8")]
check("houses", [(name, values[:, None], kind) for name, values, kind in flat], expected)

shape = client.get_model_metadata("digits")["inputs"][0]["shape"]
assert shape == [-1, 8, 8], shape
images = np.arange(128, dtype=np.uint8).reshape(2, 8, 8)
first = client.infer("digits", [tensor("image", images, "UINT8", True)])
second = client.infer("digits", [tensor("image", images, "UINT8", False)])
assert first.as_numpy("probabilities").tolist() == second.as_numpy("probabilities").tolist()
assert first.as_numpy("probabilities").shape == (2, 2)

for model, array in [("other", images), ("digits", images[:, :4])]:
    try:
        client.infer(model, [tensor("image", array, "UINT8", True)])
    except InferenceServerException as error:
        assert error.status() in ("400", "404"), error.status()
    else:
        raise AssertionError(f"{model} took {array.shape}")
print("ok")
