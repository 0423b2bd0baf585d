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

/** A person whom an issuer of OpenID Connect has authenticated. */
export interface Person {
  readonly issuer: string;
  /** The issuer's id of the person. */
  readonly subject: string;
  /** For readers; no id. */
  readonly name: string;
}

/** The caller, authenticated by the key of this request. Every row read or written is scoped by it. */
export interface Caller {
  readonly accountId: string;
  readonly workspaceId: string;
  /** Lowercase SHA-256 hex of the key's first secret: its id in the API, whichever secret is used. */
  readonly keyHash: string;
  /** Hash of the presented secret; absent: it is the key's first secret, with `keyHash`. */
  readonly secretHash?: string;
  readonly kind: KeyKind;
  /**
   * Id of the workspace that a management key is bound to, beyond which it manages nothing; absent: it is not bound.
   */
  readonly boundTo?: string;
  /** Id of the console session of the request; absent: the request presented the key itself. */
  readonly sessionId?: string;
  /**
   * The person that an issuer signed in to the console without a key. `keyHash` is then the hash of issuer and subject.
   */
  readonly person?: Person;
  /** The opaque user that the key was created for, `null` when it was created for none. */
  readonly userId: string | null;
  /** The addresses that the gateway and providers may reach for it; absent: all. */
  readonly egress?: Egress;
  /** Limits of the key itself; absent: none. */
  readonly rateLimits?: RateLimits;
  /** Ids of models that the key may use, `*` standing for any characters; absent: all. */
  readonly allowedModels?: readonly string[];
  /** Tags of the key, else of its workspace: requests have them unless they name others. Absent: none. */
  readonly tags?: Tags;
  /** Names that each request must have, and that are not among `tags`. Absent: none. */
  readonly requiredTags?: readonly string[];
}

/** The part of a caller that decides which rules apply to it. */
export type RuledCaller = Pick<Caller, 'accountId' | 'workspaceId' | 'keyHash' | 'userId' | 'allowedModels'>;

/** Limits of the resources that a key may manage. Each statement that reads managed rows is limited to them. */
export interface Reach {
  readonly accountId: string;
  /** The one workspace whose resources it may manage; undefined: those of the whole account. */
  readonly boundTo: string | undefined;
}

export const reachOf = ({ accountId, boundTo }: Pick<Caller, 'accountId' | 'boundTo'>): Reach => ({
  accountId,
  boundTo,
});

/** For what no key requests. */
export const wholeAccount = (accountId: string): Reach => ({ accountId, boundTo: undefined });
