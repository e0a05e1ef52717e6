"""The single word that a prediction is made from is deleted, and the text is classified anew."""

import json
import random

FILES = {"trec": "trec/train.tsv", "subj": "subj/subj.tsv", "mpqa": "mpqa/mpqa.tsv"}
TEST_SHARE = 0.1


def answers(ours, model, path):
    return json.loads(ours.ask("explain", model, "--data", path, "--k", 1, "--format", "json"))


def probability(answer, label):
    return next(
        each["probability"]
        for each in answer["prediction"]["class"]["probabilities"]
        if each["class"] == label
    )


def measure(ours, folder, seed, data):
    for name, file in FILES.items():
        lines = (data / file).read_text().splitlines()
        random.Random(seed).shuffle(lines)
        cut = round(len(lines) * TEST_SHARE)
        test, train, model = folder / "test.tsv", folder / "train.tsv", folder / name
        train.write_text("\n".join(lines[cut:]) + "\n")
        test.write_text("\n".join(lines[:cut]) + "\n")
        flags = ["--task", "text", "--seed", seed, "--quiet"]
        ours.ask("train", "--data", train, *flags, "--out", model)
        before = answers(ours, model, test)
        changed, asked = [], []
        for line, answer in zip(lines[:cut], before, strict=True):
            label, text = line.split("\t", 1)
            terms = answer["outputs"][0]["terms"]
            # A text without a known word is predicted from nothing, and one of a single word would be empty.
            left = [word for word in text.split() if terms and word.lower() != terms[0]["name"]]
            if left and len(left) < len(text.split()):
                changed.append(f"{label}\t{' '.join(left)}")
                asked.append(answer)
        without = folder / "without.tsv"
        without.write_text("\n".join(changed) + "\n")
        after = answers(ours, model, without)
        lower = same = 0
        for old, new in zip(asked, after, strict=True):
            label = old["prediction"]["class"]["label"]
            lower += probability(new, label) < probability(old, label)
            same += new["prediction"]["class"]["label"] == label
        of = len(asked)
        yield {"of": name, "texts": of, "probability_falls": lower / of, "same_class": same / of}
