"""A training step of the same model in PyTorch: soft K-hot gate, shared noise, logistic loss, Adam."""

import torch
import torch.nn.functional as F
from network import Exported, TorchNetwork

# Finite, so that a difference of two of them is a number.
CLOSED = -1e9


def sequential_gate(logits, is_open, k: int):
    """The paper's definition: K softmaxes, each without the features picked before it."""
    gate = torch.zeros_like(logits)
    logits = logits.masked_fill(~is_open, CLOSED)
    for _ in range(k):
        gate = gate + F.softmax(logits, dim=1)
        logits = logits.scatter(1, logits.argmax(1, keepdim=True), CLOSED)
    return gate


def closed_gate(logits, is_open, k: int):
    """The same sum without the loop: exp(a_j) · Σ_t exp(−L_t) over the steps t up to j's own pick,
    with L_t the logarithm of what is left before step t."""
    logits = logits.masked_fill(~is_open, CLOSED)
    a, order = logits.sort(dim=1, descending=True)
    left = a.flip(1).logcumsumexp(1).flip(1)[:, :k]
    steps = (-left).logcumsumexp(1)
    own = torch.arange(a.shape[1]).clamp(max=k - 1)
    gate = (a + steps[:, own]).exp()
    return torch.zeros_like(gate).scatter(1, order, gate)


GATES = {"sequential gate": sequential_gate, "closed-form gate": closed_gate}
LAYOUTS = {"contiguous": torch.contiguous_format, "channels_last": torch.channels_last}
ADAMS = {"Adam": {}, "Adam foreach": {"foreach": True}, "Adam fused": {"fused": True}}


class TorchTraining:
    def __init__(self, exported: Exported, gate, layout, adam, batch: int, k: int):
        self.network = TorchNetwork(exported, layout)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=1e-3, eps=1e-8, **adam)
        self.pixels = torch.from_numpy(exported.pixels)
        self.labels = torch.from_numpy(exported.check["labels"][: len(exported.pixels)])
        self.gate, self.batch, self.k = gate, batch, k

    def loss(self, pixels, labels):
        weights, z = self.network(pixels)
        noise = -torch.empty_like(weights).exponential_().log()
        # The normaliser of log softmax cancels in the gate, so w² stands for it.
        logits = weights.square() + noise
        gate = self.gate(logits, z > 0, self.k)
        scores = (gate * weights * z).sum(1) + self.network.intercept
        return F.binary_cross_entropy_with_logits(scores, labels)

    def step(self) -> float:
        rows = torch.randint(len(self.pixels), (self.batch,))
        self.adam.zero_grad(set_to_none=True)
        loss = self.loss(self.pixels[rows], self.labels[rows])
        loss.backward()
        self.adam.step()
        return loss.item()


def variants(exported: Exported, batch: int, k: int) -> dict[str, TorchTraining]:
    """Every way to write the step, by name."""
    check_gates(k)
    return {
        f"{layout}, {gate}, {adam}": TorchTraining(
            exported, GATES[gate], LAYOUTS[layout], ADAMS[adam], batch, k
        )
        for layout in LAYOUTS
        for gate in GATES
        for adam in ADAMS
    }


def check_gates(k: int):
    """Both gates give the same values and gradients, on features of which some are masked."""
    torch.manual_seed(0)
    logits = torch.randn(64, 49, dtype=torch.float64)
    is_open = torch.rand(64, 49) < 0.6
    upstream = torch.randn(64, 49, dtype=torch.float64) * is_open
    results = []
    for gate in GATES.values():
        own = logits.clone().requires_grad_()
        value = gate(own, is_open, k) * is_open
        (value * upstream).sum().backward()
        results.append((value.detach(), own.grad))
    for ours, other in zip(*results):
        assert torch.allclose(ours, other, atol=1e-9), "the two gates differ"
