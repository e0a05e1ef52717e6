"""Results as lines of JSON, one for each table, split and method: a run can be continued."""

import datetime
import json
import os
from pathlib import Path

KEY = ("table", "split", "part", "method", "version", "threads")


class Records:
    """The newest record of each key, of which the version of the program is a part."""

    def __init__(self, path: Path):
        self.path, self.by_key = path, {}
        if path.exists():
            for line in path.read_text().splitlines():
                self.keep(json.loads(line))

    def keep(self, record: dict):
        self.by_key[tuple(record[name] for name in KEY)] = record

    def add(self, key: dict, result: dict):
        now = datetime.datetime.now().isoformat(timespec="seconds")
        record = key | result | {"at": now, "load": round(os.getloadavg()[0], 2)}
        self.keep(record)
        with self.path.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def get(self, key: dict) -> dict | None:
        """A result that is no error."""
        record = self.by_key.get(tuple(key.values()), {})
        return record if record and "error" not in record else None

    def error(self, key: dict) -> dict | None:
        record = self.by_key.get(tuple(key.values()), {})
        return record if "error" in record else None
