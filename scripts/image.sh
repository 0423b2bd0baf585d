#!/usr/bin/env bash
# Builds the image and tries it as an operator would: read-only, without rights, on an empty volume, with the curl line it prints.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v docker >/dev/null || { echo 'image: NOT TRIED, there is no docker here'; exit 2; }
image=fairlead:test
base=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)
docker pull --quiet "$base" >/dev/null
pinned=$(docker image inspect --format '{{index .RepoDigests 0}}' "$base")
echo "image: on $pinned"
docker build --quiet --build-arg "NODE_IMAGE=$pinned" --tag "$image" .
container=$(docker run --detach --read-only --cap-drop ALL --tmpfs /tmp --volume /data --publish 127.0.0.1::8787 "$image")
trap 'docker rm --force --volumes "$container" >/dev/null' EXIT

for _ in $(seq 1 300); do
  docker logs "$container" 2>&1 | grep -q '^curl ' && break
  sleep 0.2
done
address=$(docker port "$container" 8787/tcp | head -1)
key=$(docker logs "$container" 2>&1 | grep -m1 '^FAIRLEAD_API_KEY=' | cut -d= -f2) || { docker logs "$container"; exit 1; }
body='{"model":"sandbox/echo","max_tokens":64,"messages":[{"role":"user","content":"hello image"}]}'
answer=$(curl -sS "http://$address/api/v1/messages" -H "authorization: Bearer $key" -H 'content-type: application/json' -d "$body")
grep -q '"type":"message"' <<<"$answer" || { echo "image: $answer"; exit 1; }
docker stop --time 150 "$container" >/dev/null
[ "$(docker inspect --format '{{.State.ExitCode}}' "$container")" = 0 ]
echo 'image: 3 passed, 0 failed'
