#!/usr/bin/env python3
"""Checks the models beside it: verify.py [--write] also renews accuracy.yaml and README.md's table.

Counts are taken in float64 and float32 and must be those of goals.py in both.
"""

import argparse
import re
from pathlib import Path

import torch

import goals
import pixels
import weights
from networks import all_features
from nudge import WANTED_GAP, is_exact, margins

FOLDER = Path(__file__).parent
TABLE = re.compile(r"(?<=<!-- table: verify.py --write -->\n).*?(?=<!-- end of table -->)", re.S)
YAML_HEAD = """\
# Accuracy of each model on the first n test images, made by verify.py --write.
# Right answers: accuracy * n, rounded to a whole number.
"""


def half(tensor):
    """Rounded to half precision, whose ten bits of mantissa are also TF32's."""
    return tensor.half().to(tensor.dtype)


def check(model, images, labels):
    """(smallest relative gap, answers that change with half-precision convolution operands)."""
    net, tensors = weights.load(FOLDER / f"{model}.h5")
    tensors = {k: v.to(images.device) for k, v in tensors.items()}
    exact = {k: v.double() for k, v in tensors.items()}
    counts = goals.counts(model)
    logits = net.head(exact, all_features(net, exact, images, 250))
    single = net.head(tensors, all_features(net, tensors, images))
    coarse = net.head(tensors, all_features(net, tensors, images, operand=half))
    answers = logits.argmax(1)
    gap = float(margins(logits, answers).min())
    for name, some in (("float64", logits), ("float32", single)):
        if not is_exact(some, labels, counts):
            raise SystemExit(f"{model}: {name} counts are not those of goals.py; train it again")
    if not gap >= 0.99 * WANTED_GAP:
        raise SystemExit(f"{model}: the smallest gap is only {gap:.2g}; train it again")
    return gap, int((coarse.argmax(1) != answers).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=pixels.DEFAULT_FOLDER, help="of idx.gz files")
    parser.add_argument("--write", action="store_true", help="renew accuracy.yaml and README.md")
    args = parser.parse_args()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.allow_tf32 = False
    images, labels = pixels.load(args.data, "t10k", device)
    yaml = YAML_HEAD
    table = "| model | 100 | 1000 | 10000 |\n|--|--|--|--|\n"
    resized = {}
    for model in goals.STATED:
        size = int(model.split("-")[1])
        if size not in resized:
            resized = {size: pixels.resize(images, size)}
        gap, changed = check(model, resized[size], labels)
        accuracy = {n: f"{count / n:.6g}" for n, count in goals.counts(model).items()}
        yaml += f"{model}: {{{', '.join(f'{n}: {a}' for n, a in accuracy.items())}}}\n"
        table += f"| {model} | {accuracy[100]} | {accuracy[1000]} | {accuracy[10000]} |\n"
        print(f"{model}: counts exact, smallest gap {gap:.4f}, {changed} changed by half precision",
              flush=True)
    if args.write:
        (FOLDER / "accuracy.yaml").write_text(yaml)
        readme = FOLDER / "README.md"
        readme.write_text(TABLE.sub(lambda _: table, readme.read_text()))


if __name__ == "__main__":
    main()
