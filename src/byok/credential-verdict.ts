import type { FaultKind, ProviderFault } from '../core/errors.js';

/** The state of a credential after a call. */
export type Finding =
  | { readonly status: 'ok'; readonly reason: null }
  | { readonly status: 'failing'; readonly reason: string };

export const WORKS: Finding = { status: 'ok', reason: null };

/** The conclusion about a credential from a failed call. */
interface Verdict {
  /** Null: the failure does not show whether the credential works. */
  readonly works: false | null;
  readonly words: string;
}

/** A kind of fault without a row does not compile. */
export const VERDICTS: Readonly<Record<FaultKind, Verdict>> = {
  'refused-credential': { works: false, words: 'The provider refuses the credential' },
  'payment-required': { works: false, words: "The credential's account at the provider has nothing left to spend" },
  unreachable: { works: null, words: 'The provider cannot be reached' },
  'timed-out': { works: null, words: 'The provider did not answer in time' },
  'not-found': { works: null, words: 'The provider does not serve the model to this credential' },
  'rejected-request': { works: null, words: 'The provider refuses the request of the test' },
  'too-large': { works: null, words: 'The provider refuses the request of the test' },
  'rate-limited': { works: null, words: 'The provider limits the rate of calls at the moment' },
  unavailable: { works: null, words: 'The provider is not available at the moment' },
  overloaded: { works: null, words: 'The provider is overloaded at the moment' },
  'server-error': { works: null, words: 'The provider failed' },
  'malformed-reply': { works: null, words: 'The provider sent a malformed reply' },
};

/** The stored reason of a refusal: never the provider's message, because some repeat what they were sent. */
export function reasonOf({ kind, detail }: ProviderFault): string {
  const { words } = VERDICTS[kind];
  return detail.status === undefined ? `${words}.` : `${words} (status ${detail.status}).`;
}
