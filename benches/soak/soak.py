"""Good clients beside hostile ones; see `run`."""
import collections
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ngsll, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
desk = pathlib.Path(tempfile.mkdtemp(prefix="ngsll-soak-"))
words = {"neg": "a bad and poor film number", "pos": "a good and fine film number"}
lines = [f"{label}\t{words[label]} {i % 7}" for i in range(60) for label in words]
(desk / "reviews.tsv").write_text("\n".join(lines) + "\n")
texts = [f"{words[label]} {i}" for i in range(7) for label in words] + ["", "unknown words", "film " * 300]
(desk / "new.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))


def run(*args):
    return subprocess.run([ngsll, *args], cwd=desk, check=True, capture_output=True, text=True).stdout


small = ["generator.units=8", "generator.filters=8", "generator.embedding=8", "training.epochs=4"]
sets = [argument for item in small for argument in ("--set", item)]
run("train", "--task", "text", "--data", "reviews.tsv", "--k", "2", "--out", "model", "--quiet", *sets)
explained = json.loads(run("explain", "model", "--data", "new.jsonl", "--format", "json"))


def figures(explanation):
    outputs = explanation["outputs"]
    return [(term["name"], term["contribution"]) for output in outputs for term in output["terms"]]


def alike(found, expected):
    """The same terms up to rounding; answers of other bits are counted besides."""
    close = [a[0] == b[0] and abs(a[1] - b[1]) < 1e-6 for a, b in zip(found, expected)]
    return len(found) == len(expected) and all(close)


expected = [figures(explanation) for explanation in explained]
server = subprocess.Popen(
    [ngsll, "serve", "model", "--addr", "127.0.0.1:0", "--access-log", "access.jsonl"],
    cwd=desk, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
)
port = int(server.stdout.readline().split()[0].rsplit(":", 1)[1])
end = time.monotonic() + seconds
counts, wrong, lock = collections.Counter(), [], threading.Lock()


def count(what):
    with lock:
        counts[what] += 1


def good():
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=40)
    while time.monotonic() < end:
        at = random.randrange(len(texts))
        body = json.dumps({"text": texts[at]})
        try:
            connection.request("POST", "/v2/models/model/explain", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            answer = response.read()
        except OSError as error:
            count(f"good: {type(error).__name__}")
            connection.close()
            continue
        count(f"good: {response.status}")
        if response.status == 200:
            found = figures(json.loads(answer)["explanations"][0])
            if found != expected[at]:
                count("good: other bits")
            if not alike(found, expected[at]):
                wrong.append((texts[at], answer[:300]))
        elif response.status != 503:
            wrong.append((texts[at], response.status, answer[:300]))


def hostile():
    while time.monotonic() < end:
        kind = random.randrange(6)
        head = b"POST /v2/models/model/explain HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=10) as stream:
                if kind == 0:
                    stream.sendall(random.randbytes(random.randrange(2000)))
                elif kind == 1:
                    stream.sendall(head % 1000)  # and no body
                    time.sleep(random.random())
                elif kind == 2:
                    body = json.dumps({"text": ["film " * 1000] * random.choice([1, 64, 300])}).encode()
                    stream.sendall(head % len(body) + body)
                elif kind == 3:
                    stream.sendall(head % 20 + random.randbytes(20))
                elif kind == 4:
                    stream.sendall(head % (3 << 20) + b" " * (3 << 20))
                else:
                    stream.sendall(b"GET /" + b"x" * random.randrange(70000) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
                stream.shutdown(socket.SHUT_WR)
                stream.settimeout(35)
                answer = stream.recv(4096) if kind != 1 else b""
                status = answer.split()[1].decode() if answer.startswith(b"HTTP/1.") else "closed"
                count(f"hostile: {status}")
                if status.startswith("5") and status != "503":
                    wrong.append((kind, answer[:300]))
        except OSError as error:
            count(f"hostile: {type(error).__name__}")


def memory():
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


threads = [threading.Thread(target=target) for target in [good] * 4 + [hostile] * 4]
for thread in threads:
    thread.start()
sizes = []
while time.monotonic() < end and server.poll() is None:
    time.sleep(min(5.0, seconds / 20))
    sizes.append(memory())
for thread in threads:
    thread.join()
if server.poll() is not None:
    sys.exit(f"the server ended: {server.stderr.read()}")
time.sleep(8)
after = memory()
server.send_signal(signal.SIGTERM)
code = server.wait(timeout=60)
for what, number in sorted(counts.items()):
    print(f"{what:24} {number}")
half = len(sizes) // 2
print(f"memory: at most {max(sizes[:half]):.0f} MiB in the first half, {max(sizes[half:]):.0f} MiB in the second, "
      f"{after:.0f} MiB when idle; exit code {code}; {len(wrong)} wrong answers")
for case in wrong[:5]:
    print("wrong:", case)
grows = max(sizes[half:]) > 1.3 * max(sizes[:half]) + 50
sys.exit(1 if wrong or code != 0 or grows else 0)
