"""Good clients beside hostile ones; see `run`."""
import collections
import http.client
import itertools
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
# How long each client waits between two requests; 0 is as fast as the server answers.
pause = float(os.environ.get("NGSLL_SOAK_PAUSE", "0"))
desk = pathlib.Path(tempfile.mkdtemp(prefix="ngsll-soak-"))
words = {"neg": "a bad and poor film number", "pos": "a good and fine film number"}
lines = [f"{label}\t{words[label]} {i % 7}" for i in range(60) for label in words]
(desk / "reviews.tsv").write_text("\n".join(lines) + "\n")
texts = [f"{words[label]} {i}" for i in range(7) for label in words] + ["", "unknown words", "film " * 300]
(desk / "new.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
rows = [{"size": size, "colour": colour} for size in (None, 0.5, 3, 7.25, 1e9) for colour in ("red", "blue", "odd", None)]
(desk / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
houses = [f"{i % 11}.5,{['red', 'blue', 'green'][i % 3]},{'big' if i % 11 > 5 else 'small'}" for i in range(120)]
(desk / "houses.csv").write_text("\n".join(["size,colour,kind", *houses]) + "\n")


def run(*args):
    return subprocess.run([ngsll, *args], cwd=desk, check=True, capture_output=True, text=True).stdout


small = ["generator.units=8", "training.epochs=4"]
words_of = [*small, "generator.filters=8", "generator.embedding=8"]
kinds = {  # model: its data and options
    "reviews": (["text", "--data", "reviews.tsv"], words_of),
    "houses": (["tabular", "--data", "houses.csv", "--target", "kind"], small),
}


def train(name, out, seed):
    source, sets = kinds[name]
    options = [argument for item in sets for argument in ("--set", item)]
    run("train", "--task", *source, "--k", "2", "--seed", str(seed), "--out", out, "--quiet", *options)


def figures(explanation):
    """Every term of an explanation, with all digits."""
    outputs = explanation["outputs"]
    return [(term["name"], term["contribution"]) for output in outputs for term in output["terms"]]


questions = []  # path, body, the terms of the offline answers
weights = []  # how often each is asked
for name, key, file, samples in [
    ("reviews", "text", "new.jsonl", texts),
    ("houses", "row", "rows.jsonl", rows),
]:
    train(name, name, 1)
    train(name, f"{name}.other", 2)
    explained = json.loads(run("explain", name, "--data", file, "--format", "json"))
    offline = [figures(explanation) for explanation in explained]
    other = json.loads(run("explain", f"{name}.other", "--data", file, "--format", "json"))
    if offline == [figures(explanation) for explanation in other]:
        sys.exit(f"{name}: both models answer alike, so nothing would be seen of a replaced one")
    path = f"/v2/models/{name}/explain"
    questions += [(path, {key: sample}, [terms]) for sample, terms in zip(samples, offline)]
    questions += [(path, {key: samples[i:i + n]}, offline[i:i + n]) for i, n in [(0, 3), (2, 9), (0, len(samples))]]
    # So large that it is computed piece by piece.
    many = [random.randrange(len(samples)) for _ in range(150)]
    questions.append((path, {key: [samples[i] for i in many]}, [offline[i] for i in many]))
    # Rarely: one takes as long as many others, and an hour is to see many requests.
    weights += [1] * (len(questions) - len(weights) - 1) + [1 / 20]

server = subprocess.Popen(
    [ngsll, "serve", "reviews", "houses", "--addr", "127.0.0.1:0", "--access-log", "access.jsonl"],
    cwd=desk, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
)
port = int(server.stdout.readline().split()[0].rsplit(":", 1)[1])
end = time.monotonic() + seconds
counts, wrong, lock = collections.Counter(), [], threading.Lock()
# Clients ask while it is set. At the end it is cleared for a while, and once more set for the server to be stopped
# under load; clients then go on until nobody listens any more.
asking, stopped = threading.Event(), threading.Event()
asking.set()
numbers, answered = itertools.count(), set()


def count(what, number=1):
    with lock:
        counts[what] += number


def good():
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=40)
    while not stopped.is_set():
        asking.wait()
        path, question, expected = random.choices(questions, weights)[0]
        time.sleep(pause)
        name = f"good-{next(numbers)}"
        try:
            headers = {"Content-Type": "application/json", "X-Request-Id": name}
            connection.request("POST", path, json.dumps(question), headers)
            response = connection.getresponse()
        except ConnectionRefusedError:
            stopped.set()
            break
        except (OSError, http.client.HTTPException) as error:
            count(f"good: {type(error).__name__}")
            connection.close()
            continue
        try:
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            wrong.append((path, question, f"a torn response: {error!r}"))
            connection.close()
            continue
        answered.add(name)
        count(f"good: {response.status}")
        if response.status == 200:
            count("good: samples", len(expected))
            if [figures(explanation) for explanation in json.loads(answer)["explanations"]] != expected:
                wrong.append((path, question, answer[:300]))
        elif response.status != 503:
            wrong.append((path, question, response.status, answer[:300]))


def replaced():
    """Puts another model in a served one's place, and back: the server answers with what it has read."""
    while time.monotonic() < end:
        time.sleep(1)
        name = random.choice(list(kinds))
        for model, to in [(name, f"{name}.old"), (f"{name}.other", name), (f"{name}.old", f"{name}.other")]:
            (desk / model).rename(desk / to)
        count("folders replaced")


def hostile():
    while not stopped.is_set():
        asking.wait()
        kind = random.randrange(6)
        time.sleep(pause)
        head = b"POST /v2/models/reviews/explain HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
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
        except ConnectionRefusedError:
            stopped.set()
        except OSError as error:
            count(f"hostile: {type(error).__name__}")


def memory():
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


threads = [threading.Thread(target=target) for target in [good] * 4 + [hostile] * 4 + [replaced]]
for thread in threads:
    thread.start()
sizes, told, begin = [], 0, time.monotonic()
while time.monotonic() < end and server.poll() is None:
    time.sleep(min(5.0, seconds / 20))
    sizes.append(memory())
    if (passed := time.monotonic() - begin) >= told + 300:
        told = passed
        print(f"{passed:5.0f} s: {sizes[-1]:.0f} MiB, {counts['good: 200']} good answers, {len(wrong)} wrong", flush=True)
if server.poll() is not None:
    sys.exit(f"the server ended: {server.stderr.read()}")
asking.clear()
time.sleep(8)
after = memory()
asking.set()
time.sleep(2)
before = sum(counts.values())
server.send_signal(signal.SIGTERM)
code = server.wait(timeout=60)
# Where the last connections were closed and nobody has noticed yet that no others are taken.
stopped.wait(timeout=60)
for thread in threads:
    thread.join()
# Whatever the server has read and answered, as its log says, has come whole.
with open(desk / "access.jsonl") as log:
    names = {json.loads(line)["id"] for line in log if '"id":"good-' in line}
lost = sorted(names - answered)
if lost:
    wrong.append((f"{len(lost)} requests were read and not answered", lost[:5]))
for what, number in sorted(counts.items()):
    print(f"{what:24} {number}")
print("requests in all", sum(number for what, number in counts.items() if what != "good: samples" and ":" in what))
half = len(sizes) // 2
print(f"memory: at most {max(sizes[:half]):.0f} MiB in the first half, {max(sizes[half:]):.0f} MiB in the second, "
      f"{after:.0f} MiB when idle; {sum(counts.values()) - before} requests since SIGTERM; exit code {code}; "
      f"{len(wrong)} wrong answers")
for case in wrong[:5]:
    print("wrong:", case)
grows = max(sizes[half:]) > 1.3 * max(sizes[:half]) + 50
sys.exit(1 if wrong or code != 0 or grows else 0)
