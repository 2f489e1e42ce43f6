"""How many of the first n test images each model must get right."""

from itertools import chain

BATCHES = (1, 10, 100, 1000, 2000, 3000, 5000, 8767, 10000)

# Published by the course: every count of a "high" model and those of fmnist-28-low; the 8767 of
# fmnist-86-high is what the course's own weights give. All others are this project's choice.
STATED = {
    "fmnist-86-high": {
        1: 1, 10: 10, 100: 86, 1000: 886, 3000: 2622, 5000: 4355, 8767: 7641, 10000: 8714
    },
    "fmnist-86-low": {100: 63, 1000: 625, 5000: 3161, 10000: 6290},
    "fmnist-86-hidden": {100: 79, 1000: 807, 5000: 3998, 10000: 8012},
    "fmnist-28-high": {2000: 1725, 10000: 8562},
    "fmnist-28-low": {2000: 1255, 10000: 6290},
    "fmnist-28-hidden": {100: 76, 2000: 1473, 10000: 7431},
    "fmnist-64-high": {10: 10, 100: 88, 10000: 8451},
    "fmnist-64-low": {100: 65, 1000: 627, 10000: 6318},
    "fmnist-64-hidden": {100: 81, 1000: 784, 10000: 7906},
    "fmnist-72-high": {100: 85, 1000: 827, 10000: 8171},
    "fmnist-72-low": {100: 60, 1000: 634, 10000: 6274},
    "fmnist-72-hidden": {100: 74, 1000: 761, 10000: 7548},
    "fmnist-48-high": {100: 84, 1000: 852, 10000: 8397},
    "fmnist-48-low": {100: 66, 1000: 641, 10000: 6342},
    "fmnist-48-hidden": {100: 77, 1000: 771, 10000: 7783},
    "fmnist-70-high": {100: 76, 1000: 767, 10000: 7653},
    "fmnist-70-low": {100: 61, 1000: 624, 10000: 6205},
    "fmnist-70-hidden": {100: 73, 1000: 716, 10000: 7219},
}


def counts(model):
    """{n: right among the first n} for every batch; between two stated ones in proportion."""
    stated = sorted(STATED[model].items())
    out = {}
    for n in BATCHES:
        (n0, c0), (n1, c1) = next(
            pair for pair in zip(chain([(0, 0)], stated), stated) if pair[1][0] >= n
        )
        out[n] = c0 + round((c1 - c0) * (n - n0) / (n1 - n0))
    return out
