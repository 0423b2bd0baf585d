// Two 32-bit lanes that multiply in each character, then a finish in which every bit of both reaches every bit of the
// result. Choosing inputs gains an attacker nothing here, so it need not be cryptographic.
/** Bound once: it is called for each character. */
const { imul, log } = Math;
const FIRST_LANE = 0x2545f491;
const SECOND_LANE = 0x6c078965;
const FIRST_PRIME = 0x01000193;
const SECOND_PRIME = 0x5bd1e995;
/** Terminates each part, so that `ab` + `c` differs from `a` + `bc`. */
const PART_END = 0x1f;
const HIGH_BITS_DROPPED = 12;
const TWO_TO_32 = 4_294_967_296;
const TWO_TO_52 = 4_503_599_627_370_496;

/**
 * A uniform number above 0 and below 1, deterministic in these three. 52 bits, plus half a step, so that neither end is
 * reached and the logarithm is finite.
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

/** The finalizer of MurmurHash3: each bit of the input flips each bit of the output with even odds. */
function finish(lane: number): number {
  let mixed = imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * A key by which endpoints are sorted in ascending order. That is a draw without replacement with the weight 1/price²:
 * at a third of the price the chance is nine times as high (docs/use/choosing-providers.md#default-order). The method
 * is an exponential race with the weights as rates. Free endpoints get keys below 0, with equal weights.
 *
 * With a session's key as the seed it is weighted rendezvous hashing: an endpoint that leaves or joins does not change
 * the keys of the others. So sessions move only from an endpoint that leaves, or to one that joins
 * (docs/contribute/reasons/routing.md#a-stable-endpoint-for-a-session).
 */
export function drawKey(seed: string, model: string, tag: string, price: number): number {
  const chance = hash01(seed, model, tag);
  return price > 0 ? -log(chance) * price * price : chance - 1;
}
