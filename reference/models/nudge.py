"""Moves a trained network's last layers until its right answers are exactly as many as wanted.

Each test image gets the label that the network shall give: its present answer, except for the few
images closest to a decision boundary that must change sides to make every count exact. A hinge loss
then asks for that label by a margin, relative to the image's largest logit, on all images.
"""

import torch
from torch.nn.functional import one_hot

import weights
from networks import CLASSES

WANTED_GAP = 0.01  # accepted: gap of the two largest logits over the largest |logit|, every image
AIMED_GAP = 0.03  # asked of the optimiser
SQUARE = 100  # weight of the squared hinge beside the plain one: lets no image lag far behind
ACTIVE = 0.15  # images with a larger gap are left out of a round
ROUND = 10  # steps between two looks at all images
STEPS = 4000  # of one attempt


def margins(logits, labels):
    """Logit of each label less the best other one, over the image's largest |logit|."""
    chosen = one_hot(labels, CLASSES).bool()
    others = logits.masked_fill(chosen, -torch.inf).amax(1)
    return (logits[chosen] - others) / logits.detach().abs().amax(1)


def assign(logits, labels, counts):
    """The label that each image shall get, so that every prefix has its count."""
    wanted = logits.argmax(1)
    cost = margins(logits, labels).abs()
    runner_up = logits.masked_fill(one_hot(labels, CLASSES).bool(), -torch.inf).argmax(1)
    start = before = 0
    for n, count in sorted(counts.items()):
        right = wanted[start:n] == labels[start:n]
        surplus = int(right.sum()) - (count - before)
        candidates = right if surplus > 0 else ~right
        cheapest = cost[start:n].masked_fill(~candidates, torch.inf).argsort()[: abs(surplus)]
        flipped = start + cheapest
        wanted[flipped] = runner_up[flipped] if surplus > 0 else labels[flipped]
        start, before = n, count
    return wanted


def is_exact(logits, labels, counts):
    right = (logits.argmax(1) == labels).cumsum(0)
    return all(int(right[n - 1]) == count for n, count in counts.items())


def nudge(net, tensors, mask, flat, labels, counts, rate, log):
    """(tensors as the file will hold them, scale of fc1), counts exact and gaps wide; or None.

    `flat` [N,:] is what enters fc1, `mask` says which of fc1's weights exist (None: all, and not
    quantised), `rate` is the size of a step relative to each tensor's root mean square.
    """
    # The optimiser sees the features about their mean, which fc1's bias takes in at the end: they
    # are far from zero, and without this nearly all steps go into that common part.
    mean = flat.mean(0)
    centred = flat - mean
    free = {k: v.clone() for k, v in tensors.items() if k.startswith("fc")}
    free["fc1/bias"] += free["fc1/weights"] @ mean
    groups = []
    for value in free.values():
        value.requires_grad_()
        size = (value.detach().square().sum() / (value != 0).sum()).sqrt()
        groups.append({"params": [value], "size": rate * float(size)})
    optimiser = torch.optim.Adam(groups, lr=rate, betas=(0.9, 0.99))
    # The scale stays, or every step would move all quantised weights.
    scale = None if mask is None else weights.quantisation_scale(tensors["fc1/weights"])

    def current():
        if scale is None:
            return free
        return dict(free, **{"fc1/weights": weights.round_through(free["fc1/weights"], scale)})

    def finished():
        done = dict(tensors, **{k: v.detach().clone() for k, v in current().items()})
        done["fc1/bias"] -= (done["fc1/weights"].double() @ mean.double()).float()
        return done

    for step in range(STEPS):
        if step % ROUND == 0:
            with torch.no_grad():
                logits = net.head(current(), centred)
                if step < STEPS // 2:
                    wanted = assign(logits, labels, counts)
                margin = margins(logits, wanted)
                active = (margin < ACTIVE).nonzero()[:, 0]
                part, part_wanted = centred[active], wanted[active]
                if margin.min() >= WANTED_GAP:
                    done = finished()
                    logits = net.head(done, flat)
                    if margins(logits, logits.argmax(1)).min() >= WANTED_GAP and is_exact(
                        logits, labels, counts
                    ):
                        log(f"  nudged in {step} steps at rate {rate:g}")
                        return done, scale
            if step % 400 == 0:
                wrong, close = (int((margin < least).sum()) for least in (0, WANTED_GAP))
                log(f"  nudge {step}: {wrong} on the wrong side, {close} too close, "
                    f"worst {float(margin.min()):.4f}")
        for group in optimiser.param_groups:
            group["lr"] = group["size"] * min(1, 2 - 2 * step / STEPS)
        short = (AIMED_GAP - margins(net.head(current(), part), part_wanted)).clamp(min=0)
        optimiser.zero_grad()
        (short + SQUARE * short.square()).sum().backward()
        if mask is not None:
            free["fc1/weights"].grad *= mask
        optimiser.step()
    return None
