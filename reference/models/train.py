#!/usr/bin/env python3
"""Trains the grading fixtures: train.py [MODEL...] writes <model>.h5, verify.py checks them.

Two runs need not give the same weights, but always the same counts. Uses a GPU where there is one.
"""

import argparse
import math
import time
import zlib
from pathlib import Path

import torch
import torch.nn.functional as F

import goals
import pixels
import weights
from networks import Network, all_features
from nudge import nudge

BATCH = 250
MAX_EPOCHS = 12
ATTEMPTS = 5
# How far below its goal a network may be when training stops; nudging does the rest.
CLOSE_ENOUGH = 0.002
# Share of fc1's weights that exist, drawn once before training; where it is given, fc1 is stored as
# int8. With all of them, as float32, the files of these networks would take 142 MB.
DENSITY = {
    "fmnist-28": 0.03,
    "fmnist-48": 0.08,
    "fmnist-64": 0.05,
    "fmnist-70": 0.04,
    "fmnist-72": 0.04,
}


def initial(net, generator, device):
    """Random tensors, uniform within 1/sqrt(fan-in), and the mask of fc1 (None for a full fc1)."""
    tensors, mask = {}, None
    for name, shape in net.shapes.items():
        inputs = net.shapes[name.replace("bias", "weights")][1:]
        density = DENSITY.get(net.name, 1) if name == "fc1/weights" else 1
        values = torch.rand(shape, generator=generator) * 2 - 1
        values /= (density * math.prod(inputs)) ** 0.5
        if density < 1:
            mask = (torch.rand(shape, generator=generator) < density).float()
            values *= mask
            mask = mask.to(device)
        tensors[name] = values.to(device).requires_grad_()
    return tensors, mask


def train(net, goal, rate, train_set, test_set, generator, log):
    """Tensors for raw pixels 0..255 with about the wanted test accuracy, and the mask of fc1."""
    images, labels = train_set
    tensors, mask = initial(net, generator, images.device)
    optimiser = torch.optim.Adam(tensors.values(), lr=rate)
    check_every = 2 if rate < 5e-4 else 20
    step = 0
    for _ in range(MAX_EPOCHS):
        order = torch.randperm(len(images), generator=generator).to(images.device)
        for batch in order.split(BATCH):
            flat = net.features(tensors, images[batch].float() / 255)
            loss = F.cross_entropy(net.head(tensors, flat), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            if mask is not None:
                tensors["fc1/weights"].grad *= mask
            optimiser.step()
            step += 1
            if step % check_every:
                continue
            # conv1 has no bias, so dividing its weights is the same as dividing the pixels.
            ready = {k: v.detach().clone() for k, v in tensors.items()}
            ready["conv1/weights"] /= 255
            answers = net.head(ready, all_features(net, ready, test_set[0])).argmax(1)
            accuracy = float((answers == test_set[1]).float().mean())
            if accuracy >= goal - CLOSE_ENOUGH:
                log(f"  trained {step} steps, {accuracy:.4f} on the test images")
                return ready, mask
    log(f"  stopped after {step} steps at {accuracy:.4f}, goal {goal}")
    return ready, mask


def make(model, out, data, seed, log):
    """Trains and nudges one model and writes its file."""
    began = time.monotonic()
    log(f"{model}")
    net, counts = Network(model.rsplit("-", 1)[0]), goals.counts(model)
    goal = counts[10000] / 10000
    train_set, test_set = data(net.size)
    # A poor model is a good one stopped early, in small steps so as not to run past its goal.
    train_rate = 1e-3 if goal > 0.8 else 2e-4
    for attempt in range(ATTEMPTS):
        generator = torch.Generator().manual_seed(zlib.crc32(f"{model} {seed} {attempt}".encode()))
        torch.backends.cudnn.allow_tf32 = True
        tensors, mask = train(net, goal, train_rate, train_set, test_set, generator, log)
        torch.backends.cudnn.allow_tf32 = False
        flat = all_features(net, tensors, test_set[0])
        rate = 0.04 if mask is None else 0.006
        result = nudge(net, tensors, mask, flat, test_set[1], counts, rate, log)
        if result is None:
            log("  the counts did not become exact; once more from other random numbers")
            continue
        provenance = (
            "Trained by reference/models/train.py on Fashion-MNIST resized to "
            f"{net.size}x{net.size}, its last layers then nudged until exactly {counts[10000]} of "
            "the 10000 test images are right."
        )
        weights.save(out / f"{model}.h5", net, *result, provenance)
        log(f"  written after {time.monotonic() - began:.1f} s")
        return
    raise SystemExit(f"{model}: not exact in {ATTEMPTS} attempts; try another --seed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="default: all of goals.py")
    parser.add_argument("--data", type=Path, default=pixels.DEFAULT_FOLDER, help="of idx.gz files")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--seed", type=int, default=408)
    args = parser.parse_args()
    unknown = set(args.models) - set(goals.STATED)
    if unknown:
        parser.error(f"unknown: {' '.join(sorted(unknown))}; known: {' '.join(goals.STATED)}")

    device = "cuda" if torch.cuda.is_available() else "cpu"
    sets = [pixels.load(args.data, part, device) for part in ("train", "t10k")]
    cache = {}

    def data(size):
        if size not in cache:
            cache.clear()  # one size at a time: the training images of one are up to 440 MB
            cache[size] = [(pixels.resize(images, size), labels) for images, labels in sets]
        return cache[size]

    for model in args.models or goals.STATED:
        make(model, args.out, data, args.seed, lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
