// Two 32-bit lanes that multiply in each character, then a finish in which every bit of both reaches every bit of the
// result. Nobody gains anything by choosing inputs here, so it need not be cryptographic.
/** Bound once: it is called for each character. */
const { imul, log } = Math;
const FIRST_LANE = 0x2545f491;
const SECOND_LANE = 0x6c078965;
const FIRST_PRIME = 0x01000193;
const SECOND_PRIME = 0x5bd1e995;
/** Stands behind each part, so that `ab` + `c` is not `a` + `bc`. */
const PART_END = 0x1f;
const HIGH_BITS_DROPPED = 12;
const TWO_TO_32 = 4_294_967_296;
const TWO_TO_52 = 4_503_599_627_370_496;

/**
 * An even number for these three, above 0 and below 1: always the same for the same, unrelated for others. 52 bits, and
 * half a step more, so that neither end is met and its logarithm is finite.
 */
export function hash01(seed: string, model: string, tag: string): number {
  let first = FIRST_LANE;
  let second = SECOND_LANE;
  for (const part of [seed, model, tag]) {
    for (let index = 0; index < part.length; index++) {
      const code = part.charCodeAt(index);
      first = imul(first ^ code, FIRST_PRIME);
      second = imul(((second << 5) | (second >>> 27)) ^ code, SECOND_PRIME);
    }
    first = imul(first ^ PART_END, FIRST_PRIME);
    second = imul(second ^ PART_END, SECOND_PRIME);
  }
  const high = finish(first ^ ((second << 16) | (second >>> 16)));
  const low = finish(second ^ high);
  return ((high >>> HIGH_BITS_DROPPED) * TWO_TO_32 + (low >>> 0) + 0.5) / TWO_TO_52;
}

/** The finalizer of MurmurHash3: each bit of the input changes each of the output with even odds. */
function finish(lane: number): number {
  let mixed = imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * Sorting by this, ascending, draws without replacement by weight, 1/price²: a third of the price is nine times the
 * chance (docs/wire/routing.md#default-order). It is an exponential race, each runner with its weight for a rate. What
 * is free lies below 0, even among itself. With a session's key for a seed it is weighted rendezvous hashing: a runner
 * that leaves or joins changes nobody else's number, so only sessions it wins or had won move
 * (docs/reasons/routing.md#a-fixed-place-for-a-session).
 */
export function drawKey(seed: string, model: string, tag: string, price: number): number {
  const chance = hash01(seed, model, tag);
  return price > 0 ? -log(chance) * price * price : chance - 1;
}
