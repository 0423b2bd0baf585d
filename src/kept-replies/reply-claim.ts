import { createHash } from 'node:crypto';
import type { Caller } from '../core/caller.js';
import type { GenerationId } from '../core/ids.js';
import type { KeptKind } from './kept-reply.entity.js';
import type { ReplyName } from './kept-replies.repository.js';

/** A request that is to be answered once. */
export interface ReplyClaim {
  readonly caller: Caller;
  readonly kind: KeptKind;
  /** SHA-256, hex: unique for the key and kind. */
  readonly name: string;
  /** SHA-256 of route and body, hex. It is stored under a key of the vault. */
  readonly fingerprint: string;
  /** Id of the generation that its request will be; absent: the request is not known by one. */
  readonly generationId?: GenerationId;
  /** Whether the contents of the reply may be stored and replayed. */
  readonly mayKeep: boolean;
  /** Whether the stream can be resumed by the id of its generation. */
  readonly resumable: boolean;
  /** How long it is kept from now on, in milliseconds. */
  readonly ttlMs: number;
  /** How long the reply stays after its end; absent: `ttlMs` counts from its beginning. */
  readonly ttlAfterEndMs?: number;
}

/** What finds the reply of a claim. */
export type NamedReply = Pick<ReplyClaim, 'caller' | 'kind' | 'name' | 'fingerprint' | 'mayKeep'>;

type ClaimName = Pick<ReplyClaim, 'caller' | 'kind' | 'name'>;

/** Name of a claim in the database and in Redis. */
export const nameOf = ({ caller: { keyHash }, kind, name }: ClaimName): ReplyName => ({ keyHash, kind, name });

/** Key of a claim in the maps of this process. */
export const keyOf = ({ caller: { keyHash }, kind, name }: ClaimName): string => `${keyHash} ${kind} ${name}`;

/** The name of a claim for a text of the caller. */
export const hashName = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Contexts of sealed contents: they open as what they were sealed as. */
export const headContext = (id: string): string => JSON.stringify(['kept-reply', id, 'head']);
export const partContext = (id: string, number: number): string => JSON.stringify(['kept-reply', id, number]);
