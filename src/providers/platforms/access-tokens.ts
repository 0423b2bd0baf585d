import type { ProviderFault } from '../../core/errors.js';
import type { Clock } from '../../core/time.js';

/** A token that a cloud's token service gave for a credential. */
export interface AccessToken {
  readonly text: string;
  readonly expiresAtMs: number;
}

/** Credentials whose tokens are kept. */
export const TOKENS_MAX = 1_000;
/** Ahead of its end a token is fetched anew while calls still go with the old one. */
export const RENEWED_AHEAD_MS = 5 * 60_000;
/** A token this close to its end may be over when the provider reads it. */
const SPENT_AHEAD_MS = 10_000;
/** A failure is told to whoever asks meanwhile: no more often than that is a token service asked in vain. */
export const FAILURE_KEPT_MS = 1_000;
/** A token younger than that is not what a provider refuses: whoever was refused called with the one before it. */
export const YOUNG_MS = 5_000;

interface Entry {
  token: AccessToken | undefined;
  obtainedAtMs: number;
  /** One for all who wait. */
  refresh: Promise<string> | undefined;
  failure: { readonly fault: ProviderFault; readonly atMs: number } | undefined;
}

/**
 * Tokens by credential, each fetched once for all calls that want it and renewed before it ends. No credential's
 * service holds up the calls of another. Safe to share.
 */
export class AccessTokens {
  /** By rising use. */
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  /**
   * At once where there is one. What is fetched ends with no call's signal: others may wait for it.
   * @param key of the credential: a hash of it
   * @param fetch makes a new one; bounded in time by itself, and rejects with a `ProviderFault`
   */
  tokenFor(key: string, fetch: () => Promise<AccessToken>): string | Promise<string> {
    const entry = this.entryOf(key);
    const now = this.clock.now();
    const { token, failure } = entry;
    if (token !== undefined && now < token.expiresAtMs - SPENT_AHEAD_MS) {
      if (now >= renewalAt(token, entry.obtainedAtMs) && !isRecent(failure, now)) {
        // Nobody waits for it, and who comes after a failure tries again.
        this.refresh(entry, fetch).catch(() => undefined);
      }
      return token.text;
    }
    if (entry.refresh) return entry.refresh;
    if (failure !== undefined && isRecent(failure, now)) return Promise.reject(failure.fault);
    return this.refresh(entry, fetch);
  }

  /** The provider refuses the token of this credential. */
  forget(key: string): void {
    const entry = this.entries.get(key);
    if (entry && this.clock.now() - entry.obtainedAtMs >= YOUNG_MS) entry.token = undefined;
  }

  private refresh(entry: Entry, fetch: () => Promise<AccessToken>): Promise<string> {
    entry.refresh ??= fetch()
      .then(
        (token) => {
          entry.token = token;
          entry.obtainedAtMs = this.clock.now();
          entry.failure = undefined;
          return token.text;
        },
        (fault: ProviderFault) => {
          entry.failure = { fault, atMs: this.clock.now() };
          throw fault;
        },
      )
      .finally(() => {
        entry.refresh = undefined;
      });
    return entry.refresh;
  }

  private entryOf(key: string): Entry {
    const known = this.entries.get(key);
    if (known) {
      this.entries.delete(key);
      this.entries.set(key, known);
      return known;
    }
    if (this.entries.size >= TOKENS_MAX) {
      // The one used longest ago; whoever waits for it holds its promise.
      for (const oldest of this.entries.keys()) {
        this.entries.delete(oldest);
        break;
      }
    }
    const entry: Entry = { token: undefined, obtainedAtMs: 0, refresh: undefined, failure: undefined };
    this.entries.set(key, entry);
    return entry;
  }
}

/** Of one that lives for minutes only, at half its time. */
const renewalAt = ({ expiresAtMs }: AccessToken, obtainedAtMs: number): number =>
  Math.max(expiresAtMs - RENEWED_AHEAD_MS, obtainedAtMs + (expiresAtMs - obtainedAtMs) / 2);

const isRecent = (failure: Entry['failure'], now: number): boolean =>
  failure !== undefined && now - failure.atMs < FAILURE_KEPT_MS;
