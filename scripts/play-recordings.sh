#!/usr/bin/env bash
# Plays replies that real providers gave through the built checkout, where the folder `shared/recordings` stands beside it, or RECORDINGS
# names it: its own harness asks on both faces and compares. Fails for differences that are no decision: those of ours stand, with their
# reasons, in test/known-differences.json. Arguments go to the harness (`--only`, `-v`, `--cut 5`).
set -uo pipefail
cd "$(dirname "$0")/.."

harness=${RECORDINGS:-../shared/recordings}/run.mjs
if [ ! -f "$harness" ]; then
  echo "recordings: NOT PLAYED, there is no $harness"
  exit 0
fi
node "$harness" --known test/known-differences.json "$@"
status=$?
case "$status" in
  0) echo 'recordings: played, no difference that is not known' ;;
  1) echo 'recordings: played, with the differences above' ;;
  *) echo "recordings: the harness ended with $status" ;;
esac
exit "$status"
