"""How well the salience model tells what is worth keeping from the rest, and how its weights are fitted.

    python -m benchmarks.salience [--train] [--labels FILE.jsonl --repos DIR]

Without options: leave-one-source-out figures on the collections of this project, each source judged by a
model that never saw it (in five folds), and the same with labels that are shuffled within each source, three
times, which must come out at about one half. ``--labels`` names lines of real logs by repository, commit,
path and line (no text); DIR holds clones of the repositories as OWNER+NAME/repo. Each repository is then
judged by a model that saw neither its lines nor their counts.

``--train`` writes the weights, always the same bytes for the same collections. Weights of n-grams come from
the collections alone. With ``--labels`` it also writes ``real_lines.json``: the slope and the curvature, at
the fitted weights, of what those lines say of the plain counts, from which no line can be read. Later
trainings use it without the lines.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import re
import statistics
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import workbench.dreaming
from workbench.dreaming.features import BUCKETS, NAMES, Grams, Line, features_of, with_recurring
from workbench.dreaming.owner_model import Example, learned, pairs_in_order
from workbench.dreaming.salience import MODEL_FILE, WEIGHTS_FILE, Head, Salience
from workbench.dreaming.vetoes import veto

COLLECTIONS = Path(__file__).parent / "collections" / "salience"
REAL = COLLECTIONS / "real_lines.json"
FLOOR = 0.31
"""The score from which a line is kept."""
_TALK_SPREAD = 2.0
"""How far the log odds of talk spread, in deviations of those of notes."""
_DECIDED = (20, 40)
_DRAWS = 20
_LEAST_DURABLE = 5
_FOLDS = 5
_SHUFFLES = 3
_GRAM_RIDGE, _COUNT_RIDGE, _ANSWER_RIDGE = 0.5, 100.0, 500.0
"""How much the weights of n-grams, of counts and of the n-grams' answer are held down."""
_TALK_RIDGES = 10.0, 5.0
"""The same of counts and answer for talk, of which the collections are all that is known."""
_OWN_WEIGHT = 0.3
"""What the collections count for the weights of the counts, beside real lines."""
_SOURCE = 0.3
"""How freely the share of lines worth keeping differs from source to source: nothing is learned from that."""
_REPOSITORY_LINES = 180.0
_CLIP = 3.0

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Lines with their labels, and the source that each is from.

    Where that is told, also its language, and the label of a second reader who saw none of the first.
    """

    lines: tuple[Line, ...]
    labels: tuple[str, ...]
    sources: tuple[str, ...]
    languages: tuple[str, ...] = ()
    second: tuple[str | None, ...] = ()

    @property
    def truth(self) -> NDArray[np.bool_]:
        """(n,) whether each is worth keeping."""
        return np.array([label == "durable" for label in self.labels])


def collections(folder: Path = COLLECTIONS) -> Labelled:
    """All lines of the collections, file by file."""
    rows = [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    lines = [Line(row["text"], row["heading"], row["path"], _is_talk(row["source"])) for row in rows]
    sources = tuple(row["source"] for row in rows)
    return Labelled(
        _by_source(lines, sources),
        tuple(row["label"] for row in rows),
        sources,
        tuple(row["language"] for row in rows),
        tuple(row.get("label2") for row in rows),
    )


def _by_source(lines: Sequence[Line], sources: Sequence[str]) -> tuple[Line, ...]:
    """The lines with what those of the same source, which stand together, tell of them."""
    parts = groupby(zip(sources, lines, strict=True), key=itemgetter(0))
    return tuple(line for _, part in parts for line in with_recurring([line for _, line in part]))


def _is_talk(source: str) -> bool:
    """Whether a source is made of sentences of conversations, and not of the notes of an agent."""
    return source.startswith("talk-")


def kappa(first: Sequence[object], second: Sequence[object]) -> float:
    """Cohen's kappa of two readers: their agreement beyond what their own shares would give by chance."""
    size = len(first)
    agreed = sum(one == other for one, other in zip(first, second, strict=True)) / size
    ones, others = Counter(first), Counter(second)
    chance = sum(ones[label] * others[label] for label in ones) / size**2
    return (agreed - chance) / (1 - chance)


def real_lines(labels: Path, repositories: Path) -> Labelled:
    """The lines that ``labels`` names, read from clones. Raises ValueError where one has changed."""
    rows = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines() if line.strip()]
    files: dict[tuple[str, str, str], list[str]] = {}
    lines = []
    for row in rows:
        key = row["repo"], row["commit"], row["path"]
        if key not in files:
            clone = repositories / row["repo"].replace("/", "+") / "repo"
            command = ["git", "-C", str(clone), "show", f"{row['commit']}:{row['path']}"]
            said = subprocess.run(command, capture_output=True, check=True).stdout
            files[key] = said.decode("utf-8", "replace").split("\n")
        lines.append(_block(files[key], row))
    sources = tuple(row["repo"] for row in rows)
    return Labelled(_by_source(lines, sources), tuple(row["label"] for row in rows), sources)


_ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")
_ENDS = re.compile(r"\s{0,3}(#{1,6}\s|```|~~~)")
_HEADING = re.compile(r"#{1,6}\s")


def _block(file: Sequence[str], row: dict[str, object]) -> Line:
    """The item or paragraph that begins at a labelled line, with the heading above it."""
    at = int(str(row["line"])) - 1
    if hashlib.sha256(file[at].strip().encode()).hexdigest()[:16] != row["sha"]:
        raise ValueError(f"{row['path']}:{row['line']} is another line than the one that was labelled")
    indent = len(file[at]) - len(file[at].lstrip())
    block = [file[at]]
    for line in file[at + 1 :]:
        deeper = len(line) - len(line.lstrip()) > indent
        is_next = row["form"] == "item" and not deeper and _ITEM.match(line) is not None
        if not line.strip() or is_next or _ENDS.match(line):
            break
        block.append(line)
    above = (file[number] for number in range(at, -1, -1))
    heading = next((line.lstrip("# ").strip() for line in above if _HEADING.match(line)), "")
    return Line("\n".join(block), heading, str(row["path"]))


def _some(grams: Grams, chosen: NDArray[np.int64]) -> Grams:
    """The n-grams of some of the lines, which are numbered anew."""
    numbers = np.full(grams.count, -1)
    numbers[chosen] = np.arange(len(chosen))
    inside = numbers[grams.lines] >= 0
    lines = numbers[grams.lines[inside]]
    return Grams(lines, grams.buckets[inside], grams.values[inside], len(chosen))


def fit_grams(grams: Grams, truth: NDArray[np.bool_], sources: Sequence[str]) -> tuple[Floats, float]:
    """(2^18,) weights of the n-grams, and the bias; Newton's method, each step by conjugate gradients."""
    source = _one_hot(sources)

    def applied(weights: Floats) -> Floats:
        said: Floats = grams.weighed(weights[:BUCKETS].astype(np.float32)) + source @ weights[BUCKETS:]
        return said

    def collected(values: Floats) -> Floats:
        sums = np.bincount(grams.buckets, weights=grams.values * values[grams.lines], minlength=BUCKETS)
        return np.concatenate((sums, source.T @ values))

    weights = np.zeros(BUCKETS + source.shape[1])
    answers = truth.astype(np.float64)
    for _ in range(8):
        chance = _chance(applied(weights))
        slope = collected(chance - answers) + _GRAM_RIDGE * weights
        curve = chance * (1 - chance)
        step, rest = np.zeros_like(weights), -slope
        direction, size = rest.copy(), float(rest @ rest)
        for _ in range(30):
            bent = collected(curve * applied(direction)) + _GRAM_RIDGE * direction
            length = size / float(direction @ bent)
            step += length * direction
            rest -= length * bent
            before, size = size, float(rest @ rest)
            if size < 1e-4 * float(slope @ slope):
                break
            direction = rest + size / before * direction
        weights += step
        if float(np.abs(step).max()) < 1e-2:
            break
    return weights[:BUCKETS], float(weights[BUCKETS:].mean() * _SOURCE)


def _chance(logits: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))
    return found


def _one_hot(sources: Sequence[str]) -> Floats:
    names = {name: number for number, name in enumerate(dict.fromkeys(sources))}
    hot = np.zeros((len(sources), len(names)))
    hot[np.arange(len(sources)), [names[source] for source in sources]] = _SOURCE
    return hot


def fit_counts(
    features: Floats,
    truth: NDArray[np.bool_],
    sources: Sequence[str],
    weight: Floats,
    real: Real | None = None,
    *,
    ridges: tuple[float, float] = (_COUNT_RIDGE, _ANSWER_RIDGE),
) -> tuple[Floats, Floats]:
    """(56,) the weights of counts and n-grams' answer, and (n,) what the source of each line adds.

    ``ridges`` hold down the weights of the counts, and that of the answer.
    """
    hot = _one_hot(sources)
    design = np.hstack([features, hot])
    width = features.shape[1]
    weights, answers = np.zeros(design.shape[1]), truth.astype(np.float64)
    ridge = np.full(design.shape[1], ridges[0])
    ridge[width - 1] = ridges[1]
    ridge[width:] = 1.0
    for _ in range(30):
        chance = _chance(design @ weights)
        slope = design.T @ (weight * (chance - answers)) + ridge * weights
        curve = design.T @ (design * (weight * chance * (1 - chance))[:, None]) + np.diag(ridge)
        if real is not None:
            slope[:width] += real.slope + real.curve @ (weights[:width] - real.at)
            curve[:width, :width] += real.curve
        step = np.linalg.solve(curve, slope)
        weights -= step
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights[:width], hot @ weights[width:]


def _standardised(counts: NDArray[np.float32], mean: Floats, deviation: Floats) -> Floats:
    return np.asarray(np.clip((counts - mean) / deviation, -_CLIP, _CLIP), np.float64)


def out_of_fold(own: Labelled, grams: Grams, truth: NDArray[np.bool_]) -> Floats:
    """(n,) what the n-grams say of each line by a model that did not see its source."""
    names = sorted(set(own.sources))
    fold_of = {name: number % _FOLDS for number, name in enumerate(names)}
    folds = np.array([fold_of[source] for source in own.sources])
    said = np.zeros(len(truth))
    for fold in range(_FOLDS):
        seen, unseen = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if not len(unseen):
            continue
        weights, bias = fit_grams(_some(grams, seen), truth[seen], [own.sources[n] for n in seen])
        said[unseen] = _some(grams, unseen).weighed(weights.astype(np.float32)) + bias
    return said


def mean_area(scores: Floats, truth: NDArray[np.bool_], sources: Sequence[str], *, least: int = 5) -> float:
    """The mean over sources of the area under the curve; those with few durable lines are left out."""
    return statistics.fmean(area for _, area in areas(scores, truth, sources, least=least))


def areas(
    scores: Floats, truth: NDArray[np.bool_], sources: Sequence[str], *, least: int = 5
) -> Iterator[tuple[str, float]]:
    """The area under the curve of each source."""
    for name in dict.fromkeys(sources):
        here = np.array([source == name for source in sources])
        area = pairs_in_order(scores[here], truth[here])
        if area is not None and truth[here].sum() >= least:
            yield name, area


def _shuffled(own: Labelled, seed: int) -> NDArray[np.bool_]:
    """The labels, shuffled within each source."""
    dice, truth = random.Random(seed), own.truth
    for name in dict.fromkeys(own.sources):
        places = [number for number, source in enumerate(own.sources) if source == name]
        drawn = truth[places].tolist()
        dice.shuffle(drawn)
        truth[places] = drawn
    return truth


@dataclass(frozen=True, slots=True)
class _Part:
    """Some lines of the collections, notes or talk: their counts, and what n-grams that saw none of their
    source say of them.
    """

    counts: NDArray[np.float32]
    said: Floats
    truth: NDArray[np.bool_]
    sources: tuple[str, ...]

    @property
    def weight(self) -> Floats:
        """(n,) what each line counts, so that all sources together count a share of the real ones."""
        sizes = Counter(self.sources)
        every = 4 * _REPOSITORY_LINES * _OWN_WEIGHT / len(sizes)
        return np.array([every / sizes[source] for source in self.sources])

    def features(self, mean: Floats, deviation: Floats) -> Floats:
        """(n, 56) the counts in deviations from the means, and the answer of the n-grams."""
        return np.hstack([_standardised(self.counts, mean, deviation), self.said[:, None]])

    def without(self, source: str) -> tuple[_Part, _Part]:
        """The lines of all other sources, and those of this one."""
        own = np.array([name == source for name in self.sources])
        return self.some(~own), self.some(own)

    def some(self, chosen: NDArray[np.bool_]) -> _Part:
        sources = tuple(np.array(self.sources)[chosen].tolist())
        return _Part(self.counts[chosen], self.said[chosen], self.truth[chosen], sources)


@dataclass(frozen=True, slots=True)
class _Own:
    """The collections with all that is worked out of them once."""

    notes: _Part
    talk: _Part
    said: Floats
    grams: NDArray[np.int8]
    step: float
    gram_bias: float


def own_fit(own: Labelled) -> _Own:
    """The weights of the n-grams, and what they say of each line when fitted without its source."""
    features = features_of(own.lines)
    weights, bias = fit_grams(features.grams, own.truth, own.sources)
    step = float(np.abs(weights).max()) / 127
    said = out_of_fold(own, features.grams, own.truth)
    every = _Part(features.counts, said, own.truth, own.sources)
    return _Own(
        notes=every.some(~features.spoken),
        talk=every.some(features.spoken),
        said=said,
        grams=np.round(weights / step).astype(np.int8),
        step=float(f"{step:.6g}"),
        gram_bias=float(f"{bias:.6g}"),
    )


def talk_head(talk: _Part, spread: float) -> Head:
    """What counts and n-grams weigh in talk; its lines count all the same.

    ``spread`` is the standard deviation of the log odds of notes.
    """
    mean, deviation = _rounded(talk.counts.mean(axis=0)), _rounded(talk.counts.std(axis=0) + 0.02)
    weights, added = fit_counts(
        talk.features(mean, deviation),
        talk.truth,
        talk.sources,
        np.ones(len(talk.truth)),
        ridges=_TALK_RIDGES,
    )
    # What is worth keeping stands out more in talk that was written for this than it does anywhere: its log
    # odds are drawn together, with an even chance where notes are kept from.
    said = talk.features(mean, deviation) @ weights + added.mean()
    narrower = _TALK_SPREAD * spread / float(said.std())
    return Head(
        mean=mean,
        deviation=deviation,
        weights=_rounded(weights * narrower),
        bias=float(_rounded(added.mean() * narrower + math.log(FLOOR / (1 - FLOOR)))),
    )


def _say_talk(talk: _Part) -> None:
    """What is told of each source of talk by weights that never saw it."""
    found = []
    for name in dict.fromkeys(talk.sources):
        others, own = talk.without(name)
        head = talk_head(others, 1.0)
        area = pairs_in_order(head.logits(own.counts, own.said), own.truth)
        print(f"  {name:<18} {area:.3f}")
        found.append(area or 0.0)
    print(f"  mean area {statistics.fmean(found):.3f}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """What real lines say of the weights of the counts: ``slope + curve (w - at)`` is its derivative at w.

    ``bias`` is the log odds that their sources have in common.
    """

    mean: Floats
    deviation: Floats
    at: Floats
    slope: Floats
    curve: Floats
    bias: float


def fit_real(real: Labelled, own: _Own, chosen: NDArray[np.bool_]) -> Real:
    """What some of the real lines say, at the weights that they and the collections have together."""
    lines = [line for line, wanted in zip(real.lines, chosen, strict=True) if wanted]
    sources = [source for source, wanted in zip(real.sources, chosen, strict=True) if wanted]
    seen, truth = features_of(lines), real.truth[chosen]
    counts = seen.counts
    mean = _rounded(counts.mean(axis=0))
    deviation = _rounded(counts.std(axis=0) + 0.02)
    said = seen.grams.weighed(own.grams.astype(np.float32) * own.step) + own.gram_bias
    features = np.hstack([_standardised(counts, mean, deviation), said[:, None]])
    weight = np.array([_REPOSITORY_LINES / sources.count(source) for source in sources])
    notes = own.notes
    at, added = fit_counts(
        np.vstack([features, notes.features(mean, deviation)]),
        np.concatenate([truth, notes.truth]),
        [*sources, *notes.sources],
        np.concatenate([weight, notes.weight]),
    )
    added = added[: len(lines)]
    chance = _chance(features @ at + added)
    return Real(
        mean=mean,
        deviation=deviation,
        at=_rounded(at),
        slope=_rounded(features.T @ (weight * (chance - truth))),
        curve=_rounded(features.T @ (features * (weight * chance * (1 - chance))[:, None])),
        bias=float(_rounded(np.average(added, weights=weight))),
    )


def _rounded(values: NDArray[np.floating] | np.floating) -> Floats:
    """Six significant digits: what is written into a file is what is used."""
    rounded: Floats = np.vectorize(lambda value: float(f"{value:.6g}"), otypes=[float])(values)
    return rounded


def model_of(own: _Own, real: Real) -> Salience:
    """The model that collections and real lines make together."""
    notes = own.notes
    features = notes.features(real.mean, real.deviation)
    weights, _ = fit_counts(features, notes.truth, notes.sources, notes.weight, real)
    return Salience(
        grams=own.grams,
        step=own.step,
        gram_bias=own.gram_bias,
        notes=Head(mean=real.mean, deviation=real.deviation, weights=_rounded(weights), bias=real.bias),
        talk=talk_head(own.talk, float((features @ weights).std())),
        floor=FLOOR,
    )


def write_model(model: Salience, folder: Path) -> None:
    """Write the two files of a model, always the same bytes for the same model."""
    np.save(folder / WEIGHTS_FILE, model.grams)
    said = {
        "step": model.step,
        "gram_bias": model.gram_bias,
        "floor": model.floor,
        "notes": _said(model.notes),
        "talk": _said(model.talk),
    }
    (folder / MODEL_FILE).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _said(head: Head) -> dict[str, object]:
    counts = {
        name: [head.mean[n].item(), head.deviation[n].item(), head.weights[n].item()]
        for n, name in enumerate(NAMES)
    }
    return {"gram_weight": head.weights[-1].item(), "bias": head.bias, "counts": counts}


def write_real(real: Real, path: Path = REAL) -> None:
    """Write what real lines say: sums over all of them."""
    names = [*NAMES, "n-grams"]
    said = {
        "bias": real.bias,
        "mean": dict(zip(NAMES, real.mean.tolist(), strict=True)),
        "deviation": dict(zip(NAMES, real.deviation.tolist(), strict=True)),
        "at": dict(zip(names, real.at.tolist(), strict=True)),
        "slope": dict(zip(names, real.slope.tolist(), strict=True)),
        "curve": dict(zip(names, real.curve.tolist(), strict=True)),
    }
    path.write_text(json.dumps(said) + "\n", encoding="utf-8")


def read_real(path: Path = REAL) -> Real:
    """What ``write_real`` wrote."""
    said = json.loads(path.read_text(encoding="utf-8"))
    return Real(
        **{
            name: np.array(list(said[name].values()))
            for name in ("mean", "deviation", "at", "slope", "curve")
        },
        bias=said["bias"],
    )


def judged_apart(real: Labelled, own: _Own) -> Iterator[tuple[str, Salience]]:
    """For each repository a model that never saw it."""
    for name in dict.fromkeys(real.sources):
        seen = np.array([source != name for source in real.sources])
        yield name, model_of(own, fit_real(real, own, seen))


def with_decisions(model: Salience, lines: Sequence[Line], truth: NDArray[np.bool_], decided: int) -> float:
    """The mean area under the curve on the lines that are left when so many others were decided on before."""
    dice, found, order = random.Random(7), [], list(range(len(lines)))
    for _ in range(_DRAWS):
        dice.shuffle(order)
        told, rest = order[:decided], order[decided:]
        owner = learned(model, [Example(lines[n], bool(truth[n])) for n in told])
        area = pairs_in_order(owner.logits([lines[n] for n in rest]), truth[rest])
        if area is not None and truth[rest].sum() >= 3:
            found.append(area)
    return statistics.fmean(found)


def _say_real(real: Labelled, own: _Own) -> None:
    """What the models say of real lines that they never saw."""
    scores = np.zeros(len(real.lines))
    rows = []
    for name, model in judged_apart(real, own):
        here = np.array([source == name for source in real.sources])
        lines = [line for line, wanted in zip(real.lines, here, strict=True) if wanted]
        scores[here] = model.logits(lines)
        if real.truth[here].sum() >= _LEAST_DURABLE:
            cold = pairs_in_order(scores[here], real.truth[here])
            rows.append((cold, *(with_decisions(model, lines, real.truth[here], n) for n in _DECIDED)))
            print(f"  {len(lines):>4} lines: " + "  ".join(f"{area:.3f}" for area in rows[-1]))
    means = "  ".join(f"{statistics.fmean(column):.3f}" for column in zip(*rows, strict=True))
    print(f"  mean area: {means}   (cold, then after {', '.join(map(str, _DECIDED))} decisions)")
    vetoed = np.array([veto(line.text) is not None for line in real.lines])
    kept = (scores >= math.log(FLOOR / (1 - FLOOR))) & ~vetoed
    ranked = np.where(vetoed, scores.min() - 1.0, scores)
    print(f"  mean area with the vetoes: {mean_area(ranked, real.truth, real.sources):.3f}")
    labels = np.array(real.labels)
    for label in ("durable", "passing", "junk"):
        print(f"  kept of {label}: {kept[labels == label].mean():.2f}")
    among = pairs_in_order(scores[kept], real.truth[kept])
    print(f"  area among kept: {among:.3f}; precision at recall .70: {_precision(ranked, real.truth):.3f}")


def _precision(scores: Floats, truth: NDArray[np.bool_], recall: float = 0.7) -> float:
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(truth[order])
    place = int(np.searchsorted(hits, recall * truth.sum()))
    return float(hits[place] / (place + 1))


def main() -> None:
    """Print the figures, and write the weights where that is asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", action="store_true", help="write the weights")
    parser.add_argument("--labels", type=Path, help="labelled lines of real logs")
    parser.add_argument("--repos", type=Path, help="the clones that they are of")
    arguments = parser.parse_args()
    lines = collections()
    print(f"{len(lines.lines)} lines of {len(set(lines.sources))} sources, {lines.truth.mean():.0%} durable")
    twice = [(one, other) for one, other in zip(lines.labels, lines.second, strict=True) if other]
    print(f"two readers of {len(twice)}: kappa {kappa(*zip(*twice, strict=True)):.3f} of three labels")
    own = own_fit(lines)
    if arguments.labels:
        real = real_lines(arguments.labels, arguments.repos)
        if arguments.train:
            write_real(fit_real(real, own, np.ones(len(real.lines), bool)))
        print("real lines, each repository by a model that never saw it:")
        _say_real(real, own)
    if arguments.train:
        write_model(model_of(own, read_real()), Path(workbench.dreaming.__file__).parent)
        return
    print("talk, each source left out:")
    _say_talk(own.talk)
    print("n-grams, each source left out:")
    for name, area in areas(own.said, lines.truth, lines.sources):
        print(f"  {name:<14} {area:.3f}")
    print(f"  mean area {mean_area(own.said, lines.truth, lines.sources):.3f}")
    grams = features_of(lines.lines).grams
    for seed in range(_SHUFFLES):
        truth = _shuffled(lines, seed)
        chance = mean_area(out_of_fold(lines, grams, truth), truth, lines.sources)
        print(f"the same with shuffled labels: mean area {chance:.3f}")


if __name__ == "__main__":
    main()
