#!/usr/bin/env bash
# Runs `npm start` as a newcomer would: an empty data folder, no variables but the port. Then runs the curl line it prints, whole and
# streamed, tries a wrong key, goes on as a newcomer does (first-use-test.mjs), and stops it with SIGTERM.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
log="$folder/out.log"
port=$(node scripts/free-port.mjs)
printf 'version: 1\nextends: default\n' >"$folder/catalog.yaml"
setsid env -u DATABASE_URL -u REDIS_URL DATA_DIR="$folder/data" PORT="$port" FAIRLEAD_CATALOG="$folder/catalog.yaml" npm start >"$log" 2>&1 &
started=$!
stop() {
  # npm, its shell and the gateway are one process group.
  kill -TERM -- "-$started" 2>/dev/null || true
  wait "$started" 2>/dev/null || true
  rm -rf "$folder"
}
trap stop EXIT

for _ in $(seq 1 600); do
  grep -q '^curl ' "$log" && break
  kill -0 "$started" 2>/dev/null || { cat "$log"; echo 'smoke: the gateway did not start'; exit 1; }
  sleep 0.2
done
curl_line=$(grep -m1 '^curl ' "$log") || { cat "$log"; echo 'smoke: no curl line was printed'; exit 1; }
grep -q '^FAIRLEAD_MANAGEMENT_KEY=sk-fl-v1-' "$log"
grep -q '^FAIRLEAD_API_KEY=sk-fl-v1-' "$log"

answer=$(eval "$curl_line --silent --show-error")
echo "smoke: ${answer:0:400}"
grep -q '"type":"message"' <<<"$answer"

key=$(grep -m1 '^FAIRLEAD_API_KEY=' "$log" | cut -d= -f2)
body='{"model":"sandbox/echo","max_tokens":64,"stream":true,"messages":[{"role":"user","content":"hello stream"}]}'
stream=$(curl -sS "http://127.0.0.1:$port/api/v1/messages" -H "authorization: Bearer $key" -H 'content-type: application/json' -d "$body")
grep -q '^event: message_stop' <<<"$stream"
grep -q '^data: \[DONE\]' <<<"$stream"
status=$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/v1/messages" -H 'authorization: Bearer wrong' -H 'content-type: application/json' -d "$body")
[ "$status" = 401 ]
curl -sf "http://127.0.0.1:$port/health/ready" >/dev/null
metrics=$(curl -sf "http://127.0.0.1:$port/metrics")
grep -q '^fairlead_requests_total' <<<"$metrics"
management=$(grep -m1 '^FAIRLEAD_MANAGEMENT_KEY=' "$log" | cut -d= -f2)
timeout 120 node scripts/first-use-test.mjs "http://127.0.0.1:$port" "$management" "$key" "$folder/catalog.yaml"
# A backup of the store while it is in use.
DATA_DIR="$folder/data" npm run --silent data:backup -- --out "$folder/backup"
[ -f "$folder/backup/database/PG_VERSION" ]
# It ends by itself, and leaves no process that holds the store.
kill -TERM -- "-$started"
for _ in $(seq 1 300); do kill -0 -- "-$started" 2>/dev/null || break; sleep 0.2; done
if kill -0 -- "-$started" 2>/dev/null || [ -e "$folder/data/lock" ]; then
  tail -5 "$log"; echo 'smoke: it did not stop'; exit 1
fi
echo 'smoke: passed: start, curl, stream, wrong key, health and metrics, newcomer, backup, stop'
