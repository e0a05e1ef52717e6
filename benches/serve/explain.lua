-- Posts one image over and over, counts answers that are not 200, and prints a line at the end.

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"image": "' .. os.getenv("IMAGE") .. '"}'

local threads = {}

function setup(thread)
  thread:set("refused", 0)
  table.insert(threads, thread)
end

function response(status)
  if status ~= 200 then
    refused = refused + 1
  end
end

function done(summary, latency)
  local refused = 0
  for _, thread in ipairs(threads) do
    refused = refused + thread:get("refused")
  end
  local e = summary.errors
  io.write(string.format(
    "%.0f explanations per second, p50 %.2f ms, p99 %.2f ms, longest %.1f ms; %d answered, %d not 200, %d socket errors\n",
    (summary.requests - refused) / (summary.duration / 1e6),
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3,
    summary.requests, refused, e.connect + e.read + e.write + e.timeout))
end
