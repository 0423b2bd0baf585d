import type { ProviderFault } from '../../core/errors.js';
import type { Clock } from '../../core/time.js';

/** A token from a cloud's token service. */
export interface AccessToken {
  readonly text: string;
  readonly expiresAtMs: number;
}

/** Credentials whose tokens are kept. */
export const TOKENS_MAX = 1_000;
/** The time before its expiry at which a token is renewed, while calls still use it. */
export const RENEWED_AHEAD_MS = 5 * 60_000;
/** A token that expires within this time may have expired when the provider reads it. */
const SPENT_AHEAD_MS = 10_000;
/** A failure is repeated to other calls for this long, which limits how often a failing token service is called. */
export const FAILURE_KEPT_MS = 1_000;
/** A refusal does not discard a token that is younger than this: the refused call used the previous token. */
export const YOUNG_MS = 5_000;

interface Entry {
  token: AccessToken | undefined;
  obtainedAtMs: number;
  /** The running renewal, which all waiting calls share. */
  refresh: Promise<string> | undefined;
  failure: { readonly fault: ProviderFault; readonly atMs: number } | undefined;
}

/**
 * Tokens by credential. Each is fetched once for all calls that need it, and renewed before it expires. A slow token
 * service delays only the calls with its credential. Safe to share.
 */
export class AccessTokens {
  /** Least recently used first. */
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  /**
   * Returns a kept token at once. No call's signal cancels a fetch: other calls may wait for it.
   * @param key a hash of the credential
   * @param fetch makes a new token; bounded in time by itself, and rejects with a `ProviderFault`
   */
  tokenFor(key: string, fetch: () => Promise<AccessToken>): string | Promise<string> {
    const entry = this.entryOf(key);
    const now = this.clock.now();
    const { token, failure } = entry;
    if (token !== undefined && now < token.expiresAtMs - SPENT_AHEAD_MS) {
      if (now >= renewalAt(token, entry.obtainedAtMs) && !isRecent(failure, now)) {
        // No call waits for this renewal, and after a failure the next call tries again.
        this.refresh(entry, fetch).catch(() => undefined);
      }
      return token.text;
    }
    if (entry.refresh) return entry.refresh;
    if (failure !== undefined && isRecent(failure, now)) return Promise.reject(failure.fault);
    return this.refresh(entry, fetch);
  }

  /** Called when the provider refuses the token of this credential. */
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
      // The least recently used one. Calls that wait for it have its promise.
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

/** A token that lives for only minutes is renewed after half its time. */
const renewalAt = ({ expiresAtMs }: AccessToken, obtainedAtMs: number): number =>
  Math.max(expiresAtMs - RENEWED_AHEAD_MS, obtainedAtMs + (expiresAtMs - obtainedAtMs) / 2);

const isRecent = (failure: Entry['failure'], now: number): boolean =>
  failure !== undefined && now - failure.atMs < FAILURE_KEPT_MS;
