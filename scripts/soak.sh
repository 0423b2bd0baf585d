#!/usr/bin/env bash
# Long budgets of what `npm test` tries briefly: killed gateways, a killed database, paused replicas, many kept replies, and generated bodies, from
# another seed each time.
# `bash scripts/soak.sh [points of the crash test] [times of the fuzz budget]`; about half an hour by default.
set -euo pipefail
cd "$(dirname "$0")/.."

points=${1:-200}
times=${2:-60}
seed=${FAIRLEAD_FUZZ_SEED:-$(date +%s)}
npm run crash-test -- --points "$points"
npm run outlast-test
FAIRLEAD_MANY_REPLIES=10000 npx jest test/http/idempotency-rate --selectProjects slow
echo "soak: fuzz with FAIRLEAD_FUZZ_SEED=$seed FAIRLEAD_FUZZ_TIMES=$times"
FAIRLEAD_FUZZ_SEED="$seed" FAIRLEAD_FUZZ_TIMES="$times" npx jest test/fuzz --selectProjects integration
