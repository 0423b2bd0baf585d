import type { Egress } from './egress.js';

/** How much may be asked in a minute; absent: as much as one likes. */
export interface RateLimits {
  readonly requestsPerMinute?: number;
  /** Prompts and answers together. */
  readonly tokensPerMinute?: number;
}

/** What a key may be used for. Management keys never infer; inference keys never manage. */
export type KeyKind = 'inference' | 'management';

/** Who is asking, as proven by the key of this request. Every row read or written is scoped by it. */
export interface Caller {
  readonly accountId: string;
  readonly workspaceId: string;
  /** Lowercase SHA-256 hex of the key's first secret: its id in the API, whatever secret it is used by. */
  readonly keyHash: string;
  /** The same of the secret that this request presented; absent: it is the first. */
  readonly secretHash?: string;
  readonly kind: KeyKind;
  /** The opaque user the key was made for, `null` when it was made for nobody in particular. */
  readonly userId: string | null;
  /** Where the gateway and providers may be sent by it; absent: everywhere. */
  readonly egress?: Egress;
  /** Of the key itself; absent: none. */
  readonly rateLimits?: RateLimits;
  /** Ids of models that the key may use, `*` standing for any characters; absent: all. */
  readonly allowedModels?: readonly string[];
}
