"""8 : 1 : 1 by seed: lines shuffled by random.Random(seed)."""
import random, sys, pathlib
data, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
for name, files in {"trec": ["trec/train.tsv", "trec/test.tsv"], "subj": ["subj/subj.tsv"], "mpqa": ["mpqa/mpqa.tsv"]}.items():
    lines = [l for f in files for l in (data / f).read_text(encoding="utf-8").splitlines()]
    for seed in range(3):
        own = lines[:]; random.Random(seed).shuffle(own)
        n = len(own) // 10
        parts = {"valid": own[:n], "test": own[n:2*n], "train": own[2*n:]}
        folder = out / f"{name}{seed}"; folder.mkdir(parents=True, exist_ok=True)
        for part, ls in parts.items():
            (folder / f"{part}.tsv").write_text("\n".join(ls) + "\n", encoding="utf-8")
