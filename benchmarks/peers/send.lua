-- Sends one request again and again: the body in the file SEND_BODY, the headers in the file SEND_HEADERS.
-- At the end one line of JSON tells what was seen.

local function read(name)
  local file = assert(io.open(assert(os.getenv(name), name .. " is not set"), "rb"))
  local content = file:read("*a")
  file:close()
  return content
end

wrk.method, wrk.body = "POST", read("SEND_BODY")
for key, value in read("SEND_HEADERS"):gmatch("([^:\n]+): ([^\n]*)") do
  wrk.headers[key] = value
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout + errors.status
  local form = '{"requests":%d,"duration_us":%d,"p50_us":%d,"p99_us":%d,"failed":%d}\n'
  io.write(form:format(summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), failed))
end
