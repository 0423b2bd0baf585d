import { setFlagsFromString } from 'node:v8';

// How much code, in bytes of bytecode, the compiler may put in the place of calls within one function. A request passes through some
// hundred small functions: with V8's own limit of 920 many of them stay calls (docs/decisions/0022).
setFlagsFromString('--max-inlined-bytecode-size-cumulative=2000');
