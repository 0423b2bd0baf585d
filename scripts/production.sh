#!/usr/bin/env bash
# An installation without development packages, as servers have it: what is built here starts, answers, and runs every
# command of operators. In a folder of its own, with nothing of the sources.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
started=
stop() {
  [ -z "$started" ] || kill -TERM -- "-$started" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap stop EXIT

cp -r package.json package-lock.json dist catalog scripts "$folder/"
cd "$folder"
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --silent
[ ! -e node_modules/typescript ] || { echo 'production: the compiler is there'; exit 1; }

export DATA_DIR="$folder/data" NODE_ENV=production FAIRLEAD_API_KEY FAIRLEAD_MANAGEMENT_KEY
FAIRLEAD_API_KEY=$(node -p 'crypto.randomBytes(24).toString("hex")')
FAIRLEAD_MANAGEMENT_KEY=$(node -p 'crypto.randomBytes(24).toString("hex")')
unset DATABASE_URL REDIS_URL
port=$(node scripts/free-port.mjs)
PORT=$port setsid npm start >out.log 2>&1 &
started=$!
for _ in $(seq 1 900); do
  curl -sf "http://127.0.0.1:$port/health/ready" >/dev/null && break
  kill -0 "$started" 2>/dev/null || { cat out.log; echo 'production: the gateway did not start'; exit 1; }
  sleep 0.2
done
body='{"model":"sandbox/echo","max_tokens":64,"messages":[{"role":"user","content":"hello"}]}'
curl -sSf "http://127.0.0.1:$port/api/v1/messages" -H "authorization: Bearer $FAIRLEAD_API_KEY" -H 'content-type: application/json' -d "$body" |
  grep -q '"type":"message"'
curl -sSf "http://127.0.0.1:$port/docs" | grep -q '<html'
program=$(curl -sSf "http://127.0.0.1:$port/console" | grep -o 'console/assets/main-[A-Z0-9]*\.js')
curl -sSf "http://127.0.0.1:$port/$program" | grep -q 'import('
npm run --silent data:backup -- --out copy
kill -TERM -- "-$started"
wait "$started" 2>/dev/null || true
# npm is gone before the gateway is, which goes on for five seconds, until balancers have noticed.
for _ in $(seq 1 300); do [ -e "$DATA_DIR/lock" ] || break; sleep 0.2; done
started=

for command in 'export --out store.ndjson' 'verify ledger' 'verify audit' 'check catalog/default.yaml' 'try sandbox --model sandbox/echo'; do
  # shellcheck disable=SC2086
  npm run --silent fairlead -- $command >command.log 2>&1 || { cat command.log; echo "production: $command failed"; exit 1; }
done
DATA_DIR="$folder/other" npm run --silent data:import -- --in store.ndjson
for file in dist/main.js dist/cli/fairlead.js dist/cli/catalog-check.js dist/cli/import.js; do
  node "$file" --help >/dev/null
done
echo 'production: passed: install, start, reply, docs, console, backup, five commands, import, help'
