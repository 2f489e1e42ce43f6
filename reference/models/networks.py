"""The networks of configs/networks/ as functions of a dict of tensors, named as in the files."""

from pathlib import Path

import torch
import torch.nn.functional as F
import yaml

FOLDER = Path(__file__).resolve().parents[2] / "configs" / "networks"
CLASSES = 10


class Network:
    """A layer list, cut in two at `flatten`: features (convolutions) and head (fully connected)."""

    def __init__(self, name):
        text = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
        self.name = name
        self.size = text["input"]["height"]
        layers = [(x, {}) if isinstance(x, str) else next(iter(x.items())) for x in text["layers"]]
        cut = layers.index(("flatten", {}))
        self._features = layers[: cut + 1]
        # The softmax changes no order and is left out: gaps are those of the logits.
        self._head = [layer for layer in layers[cut + 1 :] if layer[0] != "softmax"]
        self.shapes = self._shapes(text["input"]["channels"])

    def _shapes(self, channels):
        """{tensor: shape} in the order of the files: by layer, weights before bias."""
        shapes = {}
        side = self.size
        for kind, at in self._features:
            if kind == "conv":
                shapes[f"{at['name']}/weights"] = (at["maps"], channels, at["kernel"], at["kernel"])
                channels, side = at["maps"], side - at["kernel"] + 1
            elif kind == "maxpool":
                rest = side - at["window"] + (at["stride"] - 1 if at["edge"] == "ceil" else 0)
                side = 1 + rest // at["stride"]
        count = channels * side * side
        for kind, at in self._head:
            if kind == "fc":
                shapes[f"{at['name']}/weights"] = (at["outputs"], count)
                shapes[f"{at['name']}/bias"] = (at["outputs"],)
                count = at["outputs"]
        return shapes

    def features(self, w, x, operand=lambda t: t):
        """Pixels [B,H,W] as floats -> what enters fc1. `operand` is applied to both operands of
        every convolution."""
        return self._run(self._features, w, x.unsqueeze(1), operand)

    def head(self, w, flat):
        """What enters fc1 -> the ten logits."""
        return self._run(self._head, w, flat, None)

    @staticmethod
    def _run(layers, w, y, operand):
        for kind, at in layers:
            if kind == "conv":
                y = F.conv2d(operand(y), operand(w[f"{at['name']}/weights"]))
            elif kind == "fc":
                y = F.linear(y, w[f"{at['name']}/weights"], w[f"{at['name']}/bias"])
            elif kind == "maxpool":
                y = F.max_pool2d(y, at["window"], at["stride"], ceil_mode=at["edge"] == "ceil")
            elif kind == "flatten":
                y = y.flatten(1)
            else:
                y = getattr(torch, kind)(y)
        return y


def all_features(net, tensors, images, chunk=1000, **how):
    """net.features of all images uint8 [N,H,W], in the tensors' precision, without gradients."""
    with torch.no_grad():
        return torch.cat([
            net.features(tensors, part.to(tensors["fc1/bias"].dtype), **how)
            for part in images.split(chunk)
        ])
