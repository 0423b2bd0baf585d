#!/usr/bin/env bash
# Plays replies that real providers gave through the built checkout, where the folder `shared/recordings` stands beside it, or RECORDINGS
# names it. The folder's own harness asks on Messages and chat; test/recordings asks on responses, beside it. Fails for differences that are
# no decision: those of ours stand, with their reasons, in test/known-differences.json. Arguments go to both (`--only`, `-v`).
set -uo pipefail
cd "$(dirname "$0")/.."

folder=${RECORDINGS:-../shared/recordings}
if [ ! -f "$folder/run.mjs" ]; then
  echo "recordings: NOT PLAYED, there is no $folder/run.mjs"
  exit 0
fi
output=$(mktemp)
trap 'rm -f "$output"' EXIT
node --import ./scripts/typescript-loader.mjs test/recordings/play-responses.ts "$folder" "$@" >"$output" 2>&1 &
third=$!
node "$folder/run.mjs" --known test/known-differences.json "$@"
status=$?
wait "$third"
responses=$?
cat "$output"
[ "$responses" = 0 ] || [ "$status" != 0 ] || status=1
case "$status" in
  0) echo 'recordings: played, no difference that is not known' ;;
  1) echo 'recordings: played, with the differences above' ;;
  *) echo "recordings: the harness ended with $status" ;;
esac
exit "$status"
