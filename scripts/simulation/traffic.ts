import { DAY_MS, MINUTE_MS } from '../../src/core/time.js';
import type { SeededRandom } from './seeded-random.js';
import type { LoadPoint, Scenario, TrafficKind } from './scenario.js';

const MINUTES = 24 * 60;

/** A session before its start. */
export interface PlannedSession {
  readonly id: string;
  readonly kind: TrafficKind;
  readonly turns: number;
  /** Since midnight. */
  readonly startsMs: number;
}

/** The sessions of the day, unsorted. The number of their turns is exactly the number of requested decisions. */
export function* listSessions(scenario: Scenario, random: SeededRandom): Generator<PlannedSession> {
  const kinds = cumulate(scenario.traffic.map(({ weight }) => weight));
  const minutes = cumulate(Array.from({ length: MINUTES }, (_, minute) => loadAt(scenario.load, minute * MINUTE_MS)));
  let left = scenario.decisions;
  for (let count = 0; left > 0; count++) {
    const id = `session-${count}`;
    const kind = scenario.traffic[pick(kinds, random.chance(id, 'kind'))]!;
    const turns = Math.min(left, random.whole(kind.turns, id, 'turns'));
    const minute = pick(minutes, random.chance(id, 'minute'));
    left -= turns;
    yield { id, kind, turns, startsMs: (minute + random.chance(id, 'moment')) * MINUTE_MS };
  }
}

/** Linear between two points; from the last one to the first across midnight. */
function loadAt(load: readonly LoadPoint[], ms: number): number {
  const index = load.findIndex(({ atMs }) => atMs > ms);
  const after = load[index === -1 ? 0 : index]!;
  const before = load.at(index === -1 ? -1 : index - 1)!;
  const span = (after.atMs - before.atMs + DAY_MS) % DAY_MS;
  const passed = (ms - before.atMs + DAY_MS) % DAY_MS;
  return span === 0 ? before.weight : before.weight + ((after.weight - before.weight) * passed) / span;
}

/** Running sums, evenly spread where all weights are 0. */
function cumulate(weights: readonly number[]): readonly number[] {
  const isEmpty = weights.every((weight) => weight === 0);
  let sum = 0;
  return weights.map((weight) => (sum += isEmpty ? 1 : weight));
}

/** The index of the running sum that a chance falls under. */
function pick(sums: readonly number[], chance: number): number {
  const wanted = chance * sums.at(-1)!;
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
