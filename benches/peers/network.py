"""Our image network in PyTorch and as an ONNX graph, from the model folder that our program writes.

`check` shows that both compute our function before anything is timed.
"""

from pathlib import Path

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

CELL = 4  # pixels from side to side of one of the 7×7 cells of a 28×28 image
TOLERANCE = 1e-4


class Exported:
    """The weights of the model folder, and what our program computed with them."""

    def __init__(self, folder: Path):
        self.check = load_file(folder / "check.safetensors")
        weights = load_file(folder / "model" / "model.safetensors")

        def only(ending: str) -> np.ndarray:
            (name,) = [name for name in weights if name.endswith(ending)]
            return weights[name]

        self.blocks = [(only(f"blocks.{i}.weight"), only(f"blocks.{i}.bias")) for i in range(3)]
        self.hidden = (channels_first(only("layers.0.weight"), self.blocks), only("layers.0.bias"))
        self.head = (only("head.vectors").T.copy(), only("head.biases")[:, 0])
        self.intercept = only("intercept")
        self.pixels = self.check["pixels"].astype(np.uint8)
        self.x = self.pixels[:, None].astype(np.float32) / 255


def channels_first(weight: np.ndarray, blocks) -> np.ndarray:
    """The rows of the first fully connected layer in the order in which the peers flatten.

    The only place that knows our order of activations: (height, width, channel).
    """
    channels = blocks[-1][0].shape[0]
    side = round((weight.shape[0] / channels) ** 0.5)
    rows = weight.reshape(side, side, channels, -1)
    return rows.transpose(2, 0, 1, 3).reshape(weight.shape)


class TorchNetwork(torch.nn.Module):
    """pixels: uint8 [batch, 28, 28] → weights, z: [batch, 49]"""

    def __init__(self, exported: Exported, memory_format: torch.memory_format):
        super().__init__()
        self.memory_format = memory_format
        self.convolutions = torch.nn.ModuleList()
        for weight, bias in exported.blocks:
            layer = torch.nn.Conv2d(weight.shape[1], weight.shape[0], 3, padding=1)
            self.convolutions.append(with_weights(layer, weight, bias))
        self.hidden = linear(*exported.hidden)
        self.head = linear(*exported.head)
        self.intercept = torch.nn.Parameter(torch.tensor(exported.intercept))
        self.to(memory_format=memory_format)

    def forward(self, pixels):
        x = pixels.unsqueeze(1).float().div_(255)
        z = F.avg_pool2d(x, CELL).flatten(1)
        h = x.contiguous(memory_format=self.memory_format)
        for convolution in self.convolutions:
            # In this order ReLU has a quarter of the work.
            h = F.relu_(F.max_pool2d(convolution(h), 2))
        return self.head(F.relu_(self.hidden(h.flatten(1)))), z

    def explain(self, pixels, k: int):
        """The K cells of each image, their contributions, and the scores."""
        weights, z = self(pixels)
        squares = weights.square().masked_fill_(z == 0, -1)
        cells = squares.topk(k, dim=1).indices
        # A masked cell among the K has z = 0 and adds nothing.
        contributions = weights.gather(1, cells) * z.gather(1, cells)
        return cells, contributions, contributions.sum(1) + self.intercept


def with_weights(layer, weight, bias):
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(weight))
        layer.bias.copy_(torch.from_numpy(bias))
    return layer


def linear(weight, bias):
    """weight: [in, out], as we store it"""
    return with_weights(torch.nn.Linear(*weight.shape), weight.T.copy(), bias)


def onnx_session(exported: Exported, threads: int) -> onnxruntime.InferenceSession:
    """x: float32 [batch, 1, 28, 28] → weights: [batch, 49]"""
    nodes, initialisers = [], []

    def constant(name, value):
        initialisers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(kind, inputs, **attributes):
        output = f"{kind}_{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    h = "x"
    for i, (weight, bias) in enumerate(exported.blocks):
        parameters = [constant(f"conv{i}.weight", weight), constant(f"conv{i}.bias", bias)]
        h = node("Conv", [h, *parameters], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        h = node("MaxPool", [node("Relu", [h])], kernel_shape=[2, 2], strides=[2, 2])
    h = node("Flatten", [h], axis=1)
    for name, (weight, bias) in [("hidden", exported.hidden), ("head", exported.head)]:
        parameters = [constant(f"{name}.weight", weight), constant(f"{name}.bias", bias)]
        h = node("Gemm", [h, *parameters])
        h = node("Relu", [h]) if name == "hidden" else h

    value = helper.make_tensor_value_info
    inputs = [value("x", TensorProto.FLOAT, ["batch", 1, 28, 28])]
    outputs = [value(h, TensorProto.FLOAT, ["batch", 49])]
    graph = helper.make_graph(nodes, "ngsll", inputs, outputs, initialisers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def check(exported: Exported, network: TorchNetwork, session) -> dict[str, float]:
    """The largest differences from our scores and sparse weights; raises above the tolerance."""
    ours, scores = exported.check["sparse_weights"], exported.check["scores"]
    chosen = ours != 0
    pixels = torch.from_numpy(exported.pixels)
    with torch.inference_mode():
        weights, z = (t.numpy() for t in network(pixels))
        k = chosen.sum(1).max()
        cells, _, torch_scores = network.explain(pixels, k)
    onnx_weights = session.run(None, {"x": exported.x})[0]
    for b, row in enumerate(cells.numpy()):
        # In random images two squares may be closer than rounding; then either is the larger.
        differ = set(row[z[b, row] > 0]) ^ set(np.flatnonzero(chosen[b]))
        squares = [weights[b, j] ** 2 for j in differ]
        assert np.ptp(squares or [0]) < TOLERANCE, f"image {b}: other cells are chosen"
    differences = {
        "PyTorch weights": np.abs(weights - ours)[chosen].max(),
        "PyTorch scores": np.abs(torch_scores.numpy() - scores).max(),
        "ONNX Runtime weights": np.abs(onnx_weights - ours)[chosen].max(),
        "ONNX Runtime scores": np.abs(
            np.where(chosen, onnx_weights * z, 0).sum(1) + exported.intercept - scores
        ).max(),
    }
    for name, difference in differences.items():
        assert difference < TOLERANCE, f"{name} differ by {difference}"
    return {name: float(value) for name, value in differences.items()}
