#!/usr/bin/env bash
# Builds the image with buildah and tries it with podman as an operator would run it: read-only, without a right, on an
# empty volume. On the base that the Dockerfile names, or, where no registry answers, on one of this machine's own files
# (`scripts/image-base.sh`). Needs root, buildah, podman and runc; without them it ends with 3, and nothing was tried.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in buildah podman runc curl; do
  command -v "$program" >/dev/null || { echo "image: NOT RUN, there is no $program here"; exit 3; }
done
[ "$(id -u)" = 0 ] || { echo 'image: NOT RUN, it needs root'; exit 3; }

image=localhost/fairlead:test
base=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)
version=$(node -p "require('./package.json').version")
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
folder=$(mktemp -d)
container=
put_away() {
  [ -z "$container" ] || podman rm --force --volumes --time 0 "$container" >/dev/null
  rm -rf "$folder"
}
trap put_away EXIT

if timeout 120 buildah pull --quiet "docker.io/library/$base" >"$folder/pull" 2>&1; then
  base=$(buildah inspect --type image --format '{{.FromImageDigest}}' "docker.io/library/$base" | sed 's,^,docker.io/library/node@,')
else
  major=$(sed 's/.*node:\([0-9]*\).*/\1/' <<<"$base")
  base=localhost/fairlead-base:test
  bash scripts/image-base.sh "$base" "$major"
fi
echo "image: on $base"

# A secret gives npm the registry of packages, in no layer; cached packages are not fetched again.
(umask 077 && printf 'registry=%s\nprefer-offline=true\n' "$(npm config get registry)" >"$folder/npmrc")
cache=$(npm config get cache)
mkdir -p "$cache"
timeout 1200 buildah build --quiet --format docker --isolation chroot --pull-never --secret "id=npmrc,src=$folder/npmrc" \
  --volume "$cache:/root/.npm" \
  --build-arg "NODE_IMAGE=$base" --build-arg "VERSION=$version" --build-arg "REVISION=$revision" --tag "$image" . \
  >"$folder/build" 2>&1 || { tail -n 60 "$folder/build"; echo 'image: it was not built'; exit 1; }
echo "image: built in $SECONDS s, $(($(podman image inspect --format '{{.Size}}' "$image") / 1000000)) MB"

passed=0
failed=0
# holds WHAT COMMAND…
holds() {
  local what=$1
  shift
  if "$@" >"$folder/out" 2>&1; then
    passed=$((passed + 1))
    echo "image: $what"
  else
    failed=$((failed + 1))
    echo "image: FAILED: $what"
    tail -n 20 "$folder/out"
  fi
}
is_label() { [ "$(podman image inspect --format "{{index .Labels \"org.opencontainers.image.$1\"}}" "$image")" = "$2" ]; }
holds 'is labelled with its title' is_label title Fairlead
holds "is labelled with its version, $version" is_label version "$version"
holds "is labelled with its revision, $revision" is_label revision "$revision"
holds 'is labelled with its licence' is_label licenses "$(node -p "require('./package.json').license")"

port=$(node scripts/free-port.mjs)
# Without the engine's own schedule of health checks, which needs systemd: the check is run by hand below.
container=$(podman --runtime runc create --no-healthcheck --read-only --cap-drop ALL --security-opt no-new-privileges --tmpfs /tmp \
  --network host --env "PORT=$port" --env HOST=127.0.0.1 --stop-timeout 150 \
  --ulimit "nofile=$(ulimit -n):$(ulimit -n)" --ulimit nproc=4096:4096 "$image")
podman start "$container" >/dev/null
for _ in $(seq 1 600); do
  podman logs "$container" >"$folder/log" 2>&1
  grep -q '^curl ' "$folder/log" && break
  [ "$(podman inspect --format '{{.State.Running}}' "$container")" = true ] || break
  sleep 0.2
done
first=$(grep -m1 '^curl ' "$folder/log") || { cat "$folder/log"; echo 'image: it printed no first request'; exit 1; }
pid=$(podman inspect --format '{{.State.Pid}}' "$container")

answers_first() { eval "$first --silent --show-error" | grep '"type":"message"'; }
is_status() { grep -qP "^$1:\t$2" "/proc/$pid/status"; }
inside() { podman exec "$container" bash -c "$1"; }
is_refused() {
  local said
  said=$(inside ": > $1" 2>&1) && return 1
  grep 'Read-only file system' <<<"$said"
}
# As an engine does it: the words of the image, inside of the container.
mapfile -t check < <(podman image inspect --format '{{json .HealthCheck.Test}}' "$image" |
  node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).slice(1).join('\n')")
is_healthy() { timeout 20 podman exec "$container" "${check[@]}"; }
is_unhealthy() { ! is_healthy; }
holds 'the printed first request answers' answers_first
holds 'it is ready' curl -sSf "http://127.0.0.1:$port/health/ready"
holds 'it is not root' is_status Uid '1000\t1000\t1000\t1000'
holds 'it has no capability' is_status CapBnd 0000000000000000
holds 'it cannot gain one' is_status NoNewPrivs 1
holds 'its code cannot be written' is_refused /app/dist/main.js
holds 'its root cannot be written' is_refused /other
holds 'its data can be written' inside ': > /data/probe && rm /data/probe'
holds 'its temporary folder can be written' inside ': > /tmp/probe && rm /tmp/probe'
holds 'the health check passes' is_healthy
holds 'the health check starts no Node' test "${check[0]}" != node
kill -STOP "$pid"
holds 'the health check fails while the process hangs' is_unhealthy
kill -CONT "$pid"
podman stop "$container" >/dev/null 2>"$folder/stop"
holds 'SIGTERM ends it in time, with 0' test "$(podman inspect --format '{{.State.ExitCode}}' "$container")" = 0
echo "image: $passed passed, $failed failed, $SECONDS s"
[ "$failed" = 0 ]
