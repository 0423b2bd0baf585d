// Traces around their limit: grouping keys are accepted up to it, whatever their characters.
import { readTrace } from './read-options.js';
import { TRACE_BYTES_MAX } from './schemas/options.js';

/** A trace of so many bytes as JSON. */
const traceOf = (bytes: number, letter = 'a'): { trace_name: string } => {
  const room = bytes - JSON.stringify({ trace_name: '' }).length;
  return { trace_name: letter.repeat(room / Buffer.byteLength(letter)) };
};

it('accepts a trace of 8 KiB unchanged', () => {
  const trace = traceOf(TRACE_BYTES_MAX);
  expect(TRACE_BYTES_MAX).toBe(8192);
  expect(readTrace(trace)).toBe(trace);
});

it.each([
  ['a byte more', traceOf(TRACE_BYTES_MAX + 1)],
  ['more bytes than letters', { trace_name: 'é'.repeat(TRACE_BYTES_MAX / 2) }],
])('refuses %s', (_name, trace) => {
  expect(() => readTrace(trace)).toThrow('trace: must have at most 8192 bytes as JSON');
});
