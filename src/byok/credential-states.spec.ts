// Goal: what calls find of a credential is kept, at most one write a second, and the last finding is never dropped.
// Method: a clock and timers moved by hand, and a repository that records what is written.
import { Clock } from '../core/time.js';
import type { CredentialStore, CredentialState } from './credential-store.js';
import { CredentialStates } from './credential-states.js';
import { WORKS, type Finding } from './credential-verdict.js';
import type { CredentialsRepository } from './credentials.repository.js';

const FAILS: Finding = { status: 'failing', reason: 'The provider refuses the credential.' };
const BROKE: Finding = { status: 'failing', reason: 'The account has nothing left to spend.' };

class ManualClock extends Clock {
  at = 1_000_000;
  override now(): number {
    return this.at;
  }
}

describe('findings of calls', () => {
  let clock: ManualClock;
  let state: CredentialState;
  let written: [string | null, number][];
  let states: CredentialStates;

  beforeEach(() => {
    jest.useFakeTimers();
    clock = new ManualClock();
    written = [];
    state = { row: { accountId: 'a', id: 'c', wrappedKey: Buffer.of(1) }, changedAtMs: 0, status: 'untested', reason: null, writtenAtMs: 0, usedAtMs: 0 }; // oxfmt-ignore
    const beganAt = clock.now();
    const store: Pick<CredentialStore, 'stateOf'> = { stateOf: async () => state };
    const repository: Pick<CredentialsRepository, 'noteState'> = {
      noteState: async (_, { status, reason }, at) => void written.push([reason ?? status, at.getTime() - beganAt]),
    };
    states = new CredentialStates(store as CredentialStore, repository as CredentialsRepository, clock);
  });
  afterEach(() => jest.useRealTimers());

  async function observe(...findings: readonly Finding[]): Promise<void> {
    for (const finding of findings) {
      states.observed({ caller: {} as never, id: 'c', calledAtMs: clock.now() }, finding);
      await jest.advanceTimersByTimeAsync(0);
    }
  }
  async function pass(ms: number): Promise<void> {
    clock.at += ms;
    await jest.advanceTimersByTimeAsync(ms);
  }

  it('within a second of a write are written when it is over, the last alone', async () => {
    await observe(WORKS);
    await pass(200);
    await observe(FAILS, WORKS, BROKE, FAILS);
    expect(written).toEqual([['ok', 0]]);
    await pass(800);
    expect(written).toEqual([['ok', 0], [FAILS.reason, 1_000]]);
    await pass(5_000);
    await observe(FAILS, WORKS);
    expect(written.slice(2)).toEqual([['ok', 6_000]]);
  }); // oxfmt-ignore

  it('that are what is written already are written no more', async () => {
    await observe(WORKS);
    await pass(200);
    await observe(FAILS, WORKS);
    await pass(5_000);
    expect(written).toEqual([['ok', 0]]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that stay the same are written once a minute, with the use', async () => {
    await observe(WORKS);
    await pass(59_000);
    await observe(WORKS);
    await pass(1_000);
    await observe(WORKS, WORKS);
    await pass(1_000);
    await observe(WORKS);
    expect(written).toEqual([['ok', 0], ['ok', 60_000]]);
  }); // oxfmt-ignore

  it('are not written again by a process that reads the use of another', async () => {
    state = { ...state, status: 'ok', usedAtMs: clock.now() - 30_000 };
    await observe(WORKS);
    expect(written).toEqual([]);
    await pass(30_000);
    await observe(WORKS);
    expect(written).toEqual([['ok', 30_000]]);
  });

  it('of calls before the credential changed are dropped', async () => {
    state = { ...state, changedAtMs: clock.now() + 1 };
    await observe(FAILS);
    await pass(5_000);
    expect(written).toEqual([]);
  });
});
