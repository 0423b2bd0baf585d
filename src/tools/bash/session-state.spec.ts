// A session is unchanged by packing and unpacking: one of each kind of entry, and arbitrary sessions.
import fc from 'fast-check';
import { packState, unpackState, type SessionState } from './session-state.js';

const bytes = (...values: number[]): Uint8Array => Buffer.from(values);

it('keeps files, directories, links, variables and the working directory', () => {
  const state: SessionState = {
    directory: '/tmp/ü',
    variables: new Map([
      ['x', 'text\n'],
      ['__proto__', 'name'],
    ]),
    entries: [
      { path: '/tmp', mode: 0o755, modifiedMs: 1 },
      { path: '/tmp/empty', mode: 0o600, modifiedMs: 2, content: bytes() },
      { path: '/tmp/f', mode: 0o644, modifiedMs: 3, content: bytes(0, 255, 10) },
      { path: '/tmp/l', mode: 0o777, modifiedMs: 4, target: '' },
      { path: '/tmp/z', mode: 0o644, modifiedMs: 5, content: bytes(1) },
    ],
  };
  expect(unpackState(packState(state))).toEqual(state);
  // At any offset of its memory.
  const moved = new Uint8Array([9, 9, 9, ...packState(state)]).subarray(3);
  expect(unpackState(moved)).toEqual(state);
});

it('is little longer than its contents', () => {
  const entries = [{ path: '/f', mode: 0o644, modifiedMs: 1, content: new Uint8Array(100_000) }];
  expect(packState({ directory: '/', variables: new Map(), entries }).length).toBeLessThan(100_200);
});

it('rejects the format of another release', () => {
  const packed = Buffer.from(packState({ directory: '/', variables: new Map(), entries: [] }));
  expect(unpackState(Buffer.from(packed.toString('latin1').replace('"form":1', '"form":2'), 'latin1'))).toBe(undefined);
});

it('keeps any session', () => {
  const content = fc.option(fc.uint8Array({ maxLength: 20 }), { nil: undefined });
  const entry = fc.record({ path: fc.string(), mode: fc.nat(0o777), modifiedMs: fc.nat(), content });
  const entries = fc.array(
    entry.map(({ content: found, ...rest }) => (found ? { ...rest, content: Buffer.from(found) } : rest)),
  );
  const variables = fc.array(fc.tuple(fc.string(), fc.string())).map((pairs) => new Map(pairs));
  fc.assert(
    fc.property(fc.record({ directory: fc.string(), variables, entries }), (state) => {
      expect(unpackState(packState(state))).toEqual(state);
    }),
    { numRuns: 200 },
  );
});
