#!/usr/bin/env bash
# Plays replies that real providers gave through the built checkout, where the folder `shared/recordings` stands beside it: its own harness
# asks on both faces and compares. Reports the differences and, with --strict, fails for those that are not known.
set -uo pipefail
cd "$(dirname "$0")/.."

harness=${RECORDINGS:-../shared/recordings}/run.mjs
if [ ! -f "$harness" ]; then
  echo "recordings: NOT PLAYED, there is no $harness"
  exit 0
fi
strict=
[ "${1:-}" = --strict ] && { strict=yes; shift; }
[ -f test/known-differences.json ] && set -- --known test/known-differences.json "$@"
node "$harness" "$@"
status=$?
case "$status" in
  0) echo 'recordings: played, no difference that is not known' ;;
  1) echo 'recordings: played, with the differences above' ;;
  *) echo "recordings: the harness ended with $status"; exit "$status" ;;
esac
[ -z "$strict" ] || exit "$status"
exit 0
