#!/usr/bin/env bash
# Replicas restarted one by one under load behind each stock proxy, one proxy after the other, of a built checkout. Words go to rolling.mjs
# (`--requests 2000`). A proxy that is not installed is reported and fails nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

for proxy in nginx haproxy caddy; do
  node scripts/rolling.mjs --proxy "$proxy" --seconds 600 "$@" || [ $? = 3 ]
done
