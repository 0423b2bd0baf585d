import type { Egress } from './egress.js';
import type { Tags } from './tags.js';

/** Limits per minute; absent: unlimited. */
export interface RateLimits {
  readonly requestsPerMinute?: number;
  /** Prompts and answers together. */
  readonly tokensPerMinute?: number;
}

/** The purpose of a key. Management keys never infer; inference keys never manage. */
export type KeyKind = 'inference' | 'management';

/** The caller, authenticated by the key of this request. Every row read or written is scoped by it. */
export interface Caller {
  readonly accountId: string;
  readonly workspaceId: string;
  /** Lowercase SHA-256 hex of the key's first secret: its id in the API, whichever secret is used. */
  readonly keyHash: string;
  /** The same of the secret that this request presented; absent: it is the first. */
  readonly secretHash?: string;
  readonly kind: KeyKind;
  /** Of a management key that is bound to a workspace: the id of that workspace, beyond which it manages nothing. */
  readonly boundTo?: string;
  /** Of the console, where the request presented one in place of the key; absent: it presented the key. */
  readonly sessionId?: string;
  /** The opaque user that the key was created for, `null` when it was created for none. */
  readonly userId: string | null;
  /** The addresses that the gateway and providers may reach for it; absent: all. */
  readonly egress?: Egress;
  /** Of the key itself; absent: none. */
  readonly rateLimits?: RateLimits;
  /** Ids of models that the key may use, `*` standing for any characters; absent: all. */
  readonly allowedModels?: readonly string[];
  /** Of the key, else of its workspace: requests have them unless they name others. Absent: none. */
  readonly tags?: Tags;
  /** Names that each request must have, and that are not among `tags`. Absent: none. */
  readonly requiredTags?: readonly string[];
}

/** What a key may manage: each managed row that it names or lists is read within this. */
export interface Reach {
  readonly accountId: string;
  /** The one workspace that it reaches; undefined: all of the account. */
  readonly boundTo: string | undefined;
}

export const reachOf = ({ accountId, boundTo }: Pick<Caller, 'accountId' | 'boundTo'>): Reach => ({
  accountId,
  boundTo,
});

/** For what no key requests. */
export const wholeAccount = (accountId: string): Reach => ({ accountId, boundTo: undefined });
