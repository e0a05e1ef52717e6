"""Our side: the program `crates/ngsll/benches/peer.rs`, asked line by line."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ["cargo", "bench", "--workspace", "--bench", "peer", "--no-run", "--message-format=json"]


def build() -> str:
    """Builds the program and gives its path."""
    result = subprocess.run(BUILD, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    for line in result.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "peer":
            return message["executable"]
    raise RuntimeError("cargo did not say where the program is")


class Ours:
    def __init__(self, program: str, threads: int, export: Path | None = None):
        command = [program, "--answer"] + (["--export", str(export)] if export else [])
        environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True
        )
        # An answer means that set-up, and the export, are done.
        self.ask("explain_one", 1)

    def ask(self, work: str, repeats: int) -> list[float]:
        """Seconds of each repetition."""
        self.process.stdin.write(f"{work} {repeats}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"our program stopped at {work}")
        return json.loads(answer)["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
