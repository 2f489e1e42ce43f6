"""The weights files: HDF5, a group a layer, int8 with a scale where a layer is large and sparse."""

import hashlib

import h5py
import numpy as np
import torch

from networks import Network

LEVELS = 127


def quantisation_scale(w):
    """The float32 step of an int8 tensor that just holds w's largest value."""
    return (w.detach().abs().max() / LEVELS).float()


def quantise(w, scale):
    return (w / scale).round().clamp(-LEVELS, LEVELS)


def round_through(w, scale):
    """w as the file will give it back; the gradient passes as if nothing had been rounded."""
    return quantise(w.detach(), scale) * scale + (w - w.detach())


def checksum(tensors):
    """sha256 over the float32 little-endian bytes of all tensors, in the network's order."""
    digest = hashlib.sha256()
    for value in tensors.values():
        digest.update(value.cpu().numpy().astype("<f4").tobytes())
    return digest.hexdigest()


def save(path, net, tensors, scale, provenance):
    """Writes `tensors`; with `scale`, fc1/weights as int8 multiples of it."""
    tensors = {name: tensors[name].cpu() for name in net.shapes}
    with h5py.File(path, "w") as file:
        file.attrs["network"] = net.name
        file.attrs["provenance"] = provenance
        file.attrs["sha256"] = checksum(tensors)
        for name, value in tensors.items():
            if scale is None or name != "fc1/weights":
                file.create_dataset(name, data=value.numpy())
                continue
            data = file.create_dataset(
                name, data=quantise(value, scale.cpu()).to(torch.int8).numpy(),
                chunks=(20, value.shape[1]), compression="gzip", compression_opts=9, shuffle=True,
            )
            data.attrs["scale"] = np.float32(scale.item())


def load(path):
    """The network and the float32 tensors of a file; checks shapes and checksum."""
    tensors = {}
    with h5py.File(path, "r") as file:
        net = Network(file.attrs["network"])
        for name, shape in net.shapes.items():
            data = file[name]
            value = data[:].astype(np.float32) * np.float32(data.attrs.get("scale", 1))
            if value.shape != shape:
                raise SystemExit(f"{path}: {name} is {value.shape}, {net.name} needs {shape}")
            tensors[name] = torch.from_numpy(value)
        if file.attrs["sha256"] != checksum(tensors):
            raise SystemExit(f"{path}: the checksum does not fit the weights; train it again")
    return net, tensors
