#!/usr/bin/env bash
# Tries other releases of Node: `bash scripts/other-node.sh /path/to/node-22/bin/node …`. For each: the build, the two rings of `npm test`,
# and the newcomer's first minutes. Stops at the first that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || { echo 'usage: other-node.sh NODE…, each the path of a node binary'; exit 2; }
for node in "$@"; do
  node=$(realpath "$node")
  echo "other-node: $node is $("$node" --version)"
  # What calls `node` by name, npm and npx among it, finds this one.
  PATH="$(dirname "$node"):$PATH" bash -euc 'npm run build && npm test && bash scripts/smoke.sh'
done
echo "other-node: $# passed, 0 failed"
