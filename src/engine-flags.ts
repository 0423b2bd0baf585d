import { setFlagsFromString } from 'node:v8';

// How much code, in bytes of bytecode, the compiler may put in the place of calls within one function. A request passes
// through some hundred small functions: with V8's own limit of 920 many of them stay calls (docs/decisions/0022).
setFlagsFromString('--max-inlined-bytecode-size-cumulative=2000');

// What outlived young collections while many requests were under way, V8 puts among the old from then on.
// There it is garbage a moment later, but is collected seconds later, and keeps alive all young objects that
// it holds (docs/decisions/0023).
setFlagsFromString('--no-allocation-site-pretenuring');
