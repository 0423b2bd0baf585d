// A fault's trace contains its kind and stack, and no data. Errors of each kind.
import { faultTrace } from './fault-trace.js';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

it('contains the kind of what was thrown, and where it was thrown', () => {
  const trace = faultTrace(thrownBy(() => (undefined as unknown as { x: number }).x));
  expect(trace).toMatch(/^TypeError\n +at .*fault-trace\.spec/);
  expect(trace.split('\n').length).toBeLessThanOrEqual(11);
});

it('contains nothing of its message, of any number of lines', () => {
  const spoken = new Error('sk-secret\nsecond secret');
  expect(faultTrace(spoken)).toMatch(/^Error\n +at /);
  expect(faultTrace(spoken)).not.toContain('secret');
  expect(faultTrace(thrownBy(() => JSON.parse('secret')))).not.toContain('secret');
  expect(faultTrace('a secret')).toBe('a thrown string');
});
