import { MINUTE_MS } from '../core/time.js';
import type { ReplySeals } from '../vault/seal-ring.js';
import { LEASE_MS, type KeptRepliesRepository, type StoredPart, type WrittenState } from './kept-replies.repository.js';
import type { KeptState } from './kept-reply.entity.js';
import { headContext, partContext, type ReplyClaim } from './reply-claim.js';
import { ReplyLog } from './reply-log.js';

/** A lease survives the failure of two renewals. */
const LEASE_RENEWED_MS = LEASE_MS / 3;
/** How long a finished reply may wait in memory for the database. */
const UNSTORED_MS_MAX = 5 * MINUTE_MS;
/** Limit of replies in memory, in bytes: further ones are not kept. Chosen. */
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;

/** A reply that this process writes. */
export interface WrittenReply {
  readonly id: string;
  readonly claim: ReplyClaim;
  readonly log: ReplyLog;
  /** The time of its end, by `performance.now()`; undefined: it has not ended. */
  readonly endedAt: number | undefined;
  /** State of the reply in the database after its end; undefined while it runs, or if another process owns its row. */
  readonly endState: KeptState | undefined;
}

interface Writing extends WrittenReply {
  /** Index of the first part of the log that is not sealed. */
  at: number;
  /** Whether the head of the reply is stored. */
  hasHead: boolean;
  /** Rows of parts. */
  rows: number;
  /** Sealed parts whose storage is not confirmed. */
  unstored: StoredPart[];
  endedAt: number | undefined;
  endState: KeptState | undefined;
  /** The values that the database has. */
  stored: { readonly isKept: boolean; readonly generationId: string | undefined };
  /** The last renewal of its lease, by `performance.now()`. */
  leasedAt: number;
}

/** The replies of requests that run in this process, and what of them the database has. */
export class WrittenReplies {
  private readonly byLog = new Map<ReplyLog, Writing>();
  /** Kept up to date by the logs, because each request asks for it. */
  private bytesInMemory = 0;

  /**
   * @param owner id of this process, as in its claims
   * @param onForgotten called with each reply that is stored, or that another process has taken for lost
   */
  constructor(
    private readonly replies: KeptRepliesRepository,
    private readonly seals: ReplySeals,
    private readonly owner: string,
    private readonly onForgotten: (written: WrittenReply) => void,
  ) {}

  get size(): number {
    return this.byLog.size;
  }

  get hasMemory(): boolean {
    return this.bytesInMemory < MEMORY_BYTES_MAX;
  }

  /** @returns the log of a claim that is stored under this id */
  add(id: string, claim: ReplyClaim, isKept: boolean): ReplyLog {
    const log = new ReplyLog({ isKept });
    log.generationId = claim.generationId;
    log.onResized = (bytes) => (this.bytesInMemory += bytes);
    this.byLog.set(log, {
      id,
      claim,
      log,
      at: 0,
      hasHead: false,
      rows: 0,
      unstored: [],
      endedAt: undefined,
      endState: undefined,
      stored: { isKept, generationId: claim.generationId },
      leasedAt: performance.now(),
    });
    return log;
  }

  /** @returns undefined: the reply is stored completely, or another process writes it */
  find(log: ReplyLog): WrittenReply | undefined {
    return this.byLog.get(log);
  }

  /** Marks the reply as complete, so that the next round stores the rest. */
  markEnded(log: ReplyLog): void {
    const written = this.byLog.get(log);
    if (written) written.endedAt = performance.now();
  }

  /** Stops storing the reply. */
  release(log: ReplyLog): void {
    if (!this.byLog.delete(log)) return;
    log.onResized = undefined;
    this.bytesInMemory -= log.size;
  }

  /** Stores what is new and renews leases, in one command. A failed one is repeated in the next round. */
  async writeDue(): Promise<void> {
    const now = performance.now();
    const all = [...this.byLog.values()].filter((written) => isDue(written, now));
    if (all.length === 0) return;
    for (const written of all) this.sealNew(written);
    const states = all.map((written) => this.stateOf(written));
    const ended = all.filter((_, index) => states[index]!.ended);
    const counts = all.map(({ unstored }) => unstored.length);
    try {
      const parts = all.flatMap(({ unstored }) => unstored);
      const own = await this.replies.write(this.owner, states, parts);
      for (const [index, written] of all.entries()) {
        written.unstored.splice(0, counts[index]);
        this.noteStored(written, states[index]!, own.get(written.id));
        written.leasedAt = now;
      }
      for (const written of ended) this.forget(written);
    } catch (error) {
      for (const written of ended) if (now - written.endedAt! > UNSTORED_MS_MAX) this.forget(written);
      throw error;
    }
  }

  /** @param own its state in the database; undefined: taken for lost while this process did not answer, or removed */
  private noteStored(written: Writing, { head, state, generationId, ended }: WrittenState, own?: KeptState): void {
    written.hasHead ||= head !== undefined;
    written.stored = { isKept: state !== 'dropped', generationId };
    if (ended) written.endState = own;
    // Readers in this process continue.
    if (!own) this.forget(written);
  }

  private forget(written: Writing): void {
    this.release(written.log);
    this.onForgotten(written);
  }

  private sealNew(written: Writing): void {
    const { id, log } = written;
    if (!log.isKept) {
      written.unstored = [];
      return;
    }
    const fresh = log.partsFrom(written.at);
    if (fresh.length === 0) return;
    written.at += fresh.length;
    const number = written.rows++;
    const sealed = this.seals.sealBytes(Buffer.concat(fresh), partContext(id, number));
    written.unstored.push({ ...sealed, replyId: id, number });
  }

  private stateOf({ id, claim, log, hasHead, rows, endedAt }: Writing): WrittenState {
    const ended = endedAt !== undefined;
    const isNew = log.isKept && !hasHead && log.head !== undefined;
    const head = isNew ? this.seals.sealBytes(Buffer.from(JSON.stringify(log.head)), headContext(id)) : undefined;
    return {
      id,
      generationId: log.generationId,
      state: log.isKept ? (ended ? 'kept' : 'running') : 'dropped',
      head,
      parts: rows,
      ended,
      ttlMs: ended ? claim.ttlAfterEndMs : undefined,
    };
  }
}

/** Whether the reply has something to be stored, or a lease to be renewed. */
function isDue({ log, at, hasHead, unstored, endedAt, stored, leasedAt }: Writing, now: number): boolean {
  if (endedAt !== undefined || now - leasedAt > LEASE_RENEWED_MS) return true;
  if (log.isKept !== stored.isKept || log.generationId !== stored.generationId) return true;
  return log.isKept && (log.count > at || unstored.length > 0 || (!hasHead && log.head !== undefined));
}
