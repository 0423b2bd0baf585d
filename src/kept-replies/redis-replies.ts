import { Injectable } from '@nestjs/common';
import { isJsonObject, parseJson } from '../core/json/json.js';
import { Clock } from '../core/time.js';
import { SharedValues } from '../shared/redis/shared-values.js';
import { ReplySeals } from '../vault/seal-ring.js';
import type { ReplyName } from './kept-replies.repository.js';
import { ReplyLog, type ReplyHead } from './reply-log.js';

/** A complete reply of the response cache. */
export interface RedisReply {
  readonly log: ReplyLog;
  /** Milliseconds since it was stored. */
  readonly ageMs: number;
  /** Milliseconds until it expires. */
  readonly expiresInMs: number;
}

/** The line that is stored before the bytes of a reply. Times are epoch milliseconds. */
interface Preface {
  readonly generationId: string | undefined;
  readonly head: ReplyHead;
  readonly storedAt: number;
  readonly expiresAt: number;
}

/** Length of the id of a data key. */
const KEY_ID_LENGTH = 36;
const LINE_END = 0x0a;

/** Complete replies of the response cache in Redis, sealed: read in one step instead of from the database. */
@Injectable()
export class RedisReplies {
  constructor(
    private readonly values: SharedValues,
    private readonly seals: ReplySeals,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined where there is none that can be opened */
  async find(name: ReplyName): Promise<RedisReply | undefined> {
    const value = await this.values.read(keyOf(name));
    if (!value) return undefined;
    const keyId = value.toString('latin1', 0, KEY_ID_LENGTH);
    await this.seals.prepareKeys([keyId]);
    const plain = this.seals.openBytes({ keyId, sealed: value.subarray(KEY_ID_LENGTH) }, contextOf(name));
    return plain && this.replyOf(plain);
  }

  /** @param expiresInMs milliseconds until it expires */
  async store(name: ReplyName, log: ReplyLog, ageMs: number, expiresInMs: number): Promise<void> {
    if (!log.isKept || !log.head) return;
    const now = this.clock.now();
    const preface = {
      generationId: log.generationId,
      head: log.head,
      storedAt: now - ageMs,
      expiresAt: now + expiresInMs,
    };
    const plain = Buffer.concat([Buffer.from(`${JSON.stringify(preface)}\n`), ...log.partsFrom(0)]);
    const { keyId, sealed } = this.seals.sealBytes(plain, contextOf(name));
    await this.values.write(keyOf(name), Buffer.concat([Buffer.from(keyId, 'latin1'), sealed]), expiresInMs);
  }

  async remove(name: ReplyName): Promise<void> {
    await this.values.remove(keyOf(name));
  }

  private replyOf(plain: Buffer): RedisReply | undefined {
    const end = plain.indexOf(LINE_END);
    const preface = parseJson(plain.toString('utf8', 0, end));
    if (!isJsonObject(preface)) return undefined;
    const { generationId, head, storedAt, expiresAt } = preface as unknown as Preface;
    const now = this.clock.now();
    if (expiresAt <= now) return undefined;
    const log = new ReplyLog({ isKept: true });
    log.generationId = generationId;
    log.open(head);
    log.append(plain.subarray(end + 1));
    log.finish({ kind: 'complete' });
    return { log, ageMs: Math.max(0, now - storedAt), expiresInMs: expiresAt - now };
  }
}

const keyOf = ({ keyHash, kind, name }: ReplyName): string => `${kind}:${keyHash}:${name}`;
/** A value opens under its own name alone. */
const contextOf = (name: ReplyName): string => JSON.stringify(['shared-reply', keyOf(name)]);
