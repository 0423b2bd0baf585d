import type { Egress } from './egress.js';

/** What a key may be used for. Management keys never infer; inference keys never manage. */
export type KeyKind = 'inference' | 'management';

/** Who is asking, as proven by the key of this request. Every row read or written is scoped by it. */
export interface Caller {
  readonly accountId: string;
  readonly workspaceId: string;
  /** Lowercase SHA-256 hex of the key: its id in the API. */
  readonly keyHash: string;
  readonly kind: KeyKind;
  /** The opaque user the key was made for, `null` when it was made for nobody in particular. */
  readonly userId: string | null;
  /** Where the gateway and providers may be sent by it; absent: everywhere. */
  readonly egress?: Egress;
}
