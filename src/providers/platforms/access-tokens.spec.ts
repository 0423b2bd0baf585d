/**
 * Goal: concurrent calls share one fetch, a call with a token makes none, and a failure is repeated for one second
 * only. Method: a clock that is moved by hand, fetches that are settled by hand.
 */
import { StandingClock } from '../../../test/support/ahead-clock.js';
import { ProviderFault } from '../../core/errors.js';
import {
  AccessTokens,
  FAILURE_KEPT_MS,
  RENEWED_AHEAD_MS,
  TOKENS_MAX,
  YOUNG_MS,
  type AccessToken,
} from './access-tokens.js';

const HOUR_MS = 3_600_000;

class Issuer {
  fetchCount = 0;
  private pending: { resolve(token: AccessToken): void; reject(fault: unknown): void }[] = [];

  readonly fetch = (): Promise<AccessToken> => {
    this.fetchCount++;
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  };

  give(text: string, expiresAtMs: number): void {
    this.pending.shift()!.resolve({ text, expiresAtMs });
  }

  fail(): void {
    this.pending.shift()!.reject(new ProviderFault('unavailable', 'down'));
  }
}

let clock: StandingClock;
let tokens: AccessTokens;
let issuer: Issuer;

beforeEach(() => {
  clock = new StandingClock();
  tokens = new AccessTokens(clock);
  issuer = new Issuer();
});

const want = (key = 'k'): string | Promise<string> => tokens.tokenFor(key, issuer.fetch);

async function withToken(text = 't1', lifetimeMs = HOUR_MS): Promise<void> {
  const token = want();
  issuer.give(text, clock.now() + lifetimeMs);
  expect(await token).toBe(text);
}

it('is fetched once for all waiting calls, and cached afterwards', async () => {
  const waiting = [want(), want(), want()];
  issuer.give('t1', clock.now() + HOUR_MS);
  expect(await Promise.all(waiting.map((one) => Promise.resolve(one)))).toEqual(['t1', 't1', 't1']);
  expect([want(), issuer.fetchCount]).toEqual(['t1', 1]);
});

it('is renewed ahead of its end, while the old one still serves', async () => {
  await withToken();
  clock.aheadMs += HOUR_MS - RENEWED_AHEAD_MS - 1;
  expect([want(), issuer.fetchCount]).toEqual(['t1', 1]);
  clock.aheadMs += 1;
  expect([want(), want(), issuer.fetchCount]).toEqual(['t1', 't1', 2]);
  issuer.give('t2', clock.now() + HOUR_MS);
  await Promise.resolve();
  expect(want()).toBe('t2');
});

it('that lives for minutes only is renewed at half its time', async () => {
  await withToken('t1', 120_000);
  clock.aheadMs += 59_999;
  expect([want(), issuer.fetchCount]).toEqual(['t1', 1]);
  clock.aheadMs += 1;
  expect([want(), issuer.fetchCount]).toEqual(['t1', 2]);
});

it('is not used at its end', async () => {
  await withToken();
  clock.aheadMs += HOUR_MS;
  const next = want();
  issuer.give('t2', clock.now() + HOUR_MS);
  expect(await next).toBe('t2');
});

it('that cannot be renewed continues to serve, and its service is called at most once a second', async () => {
  await withToken();
  clock.aheadMs += HOUR_MS - RENEWED_AHEAD_MS;
  expect(want()).toBe('t1');
  issuer.fail();
  await new Promise(setImmediate);
  expect([want(), issuer.fetchCount]).toEqual(['t1', 2]);
  clock.aheadMs += FAILURE_KEPT_MS;
  expect([want(), issuer.fetchCount]).toEqual(['t1', 3]);
});

it('that cannot be had fails all who wait, and others for a second', async () => {
  const waiting = [want(), want()];
  issuer.fail();
  for (const one of waiting) await expect(one).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(want()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(issuer.fetchCount).toBe(1);
  clock.aheadMs += FAILURE_KEPT_MS;
  const next = want();
  issuer.give('t1', clock.now() + HOUR_MS);
  expect([await next, issuer.fetchCount]).toEqual(['t1', 2]);
});

it('of one credential does not wait for that of another', async () => {
  void want('slow');
  const other = new Issuer();
  const token = tokens.tokenFor('quick', other.fetch);
  other.give('q', clock.now() + HOUR_MS);
  expect(await token).toBe('q');
});

it('that was refused is fetched anew, but not by those who were refused with the one before it', async () => {
  await withToken();
  tokens.forget('k');
  expect(want()).toBe('t1');
  clock.aheadMs += YOUNG_MS;
  tokens.forget('k');
  const next = want();
  issuer.give('t2', clock.now() + HOUR_MS);
  expect(await next).toBe('t2');
  tokens.forget('k');
  expect(want()).toBe('t2');
});

it('is kept for so many credentials, and those used longest ago go first', async () => {
  await withToken();
  for (let number = 0; number < TOKENS_MAX - 1; number++) {
    const one = want(`n${number}`);
    issuer.give('n', clock.now() + HOUR_MS);
    await one;
  }
  expect([want(), want('n0')]).toEqual(['t1', 'n']);
  void want('one more');
  expect(want()).toBe('t1');
  const gone = want('n1');
  expect(gone).toBeInstanceOf(Promise);
});
