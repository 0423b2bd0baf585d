import { setFlagsFromString } from 'node:v8';

// Limit of inlined bytecode within one function, in bytes. A request passes through some hundred small functions: with
// V8's own limit of 920 many of them are not inlined (docs/contribute/decisions/0087).
setFlagsFromString('--max-inlined-bytecode-size-cumulative=2000');

// V8 allocates objects that survived young collections during many concurrent requests directly in the old generation.
// There they are garbage a moment later, but are collected seconds later, and keep alive all young objects that they
// reference (docs/contribute/decisions/0087).
setFlagsFromString('--no-allocation-site-pretenuring');

/** V8 optimises a function after so many bytes of executed bytecode; from V8 12 (Node 22) on, after so many calls. */
const COUNTS_BYTECODE = Number.parseInt(process.versions.v8, 10) < 12;
/** V8's own is 67,584: functions of the start reach it, and are optimised although few of them run again. */
const BYTES_DURING_START = 675_840;
/** A function of a request is optimised when some hundred requests have recorded the types of its values. */
const BYTES_OF_REQUESTS = 135_168;

function optimiseAfter(bytes: number): void {
  if (COUNTS_BYTECODE) setFlagsFromString(`--interrupt-budget=${bytes}`);
}

optimiseAfter(BYTES_DURING_START);

/** Called when the start is over: what runs from now on will run again (docs/contribute/decisions/0090). */
export function compileForRequests(): void {
  optimiseAfter(BYTES_OF_REQUESTS);
  // A function that runs for the first time is compiled at once instead of interpreted.
  setFlagsFromString('--always-sparkplug');
}
