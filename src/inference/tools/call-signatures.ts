import type { BlockStart, ModelEvent } from '../../core/conversation/event.js';

type BlockEvent = Extract<ModelEvent, { type: 'block-start' | 'block-end' }>;

const NONE: readonly BlockEvent[] = [];

/**
 * Holds back a vendor's seal of a call, which precedes the call and names it, until the owner of the call is known: a
 * call of one of the gateway's tools gets another id, and its seal has to follow. One per reply.
 */
export class CallSignatures {
  private held: readonly BlockEvent[] = NONE;

  /**
   * Called after `release`.
   * @returns whether the event belongs to a signature and is held
   */
  hold(event: ModelEvent): boolean {
    const begins = event.type === 'block-start' && this.held.length === 0 && callIdIn(event.block) !== undefined;
    const ends = event.type === 'block-end' && this.held.length === 1;
    if (begins || ends) this.held = [...this.held, event];
    return begins || ends;
  }

  /**
   * Emits what was held, now that the next event is known.
   * @param id the id under which the call that this event begins is emitted; absent: its own
   */
  release(next: ModelEvent, id: string | undefined): readonly BlockEvent[] {
    const { held } = this;
    // A seal ends with its second event.
    if (held.length < 2) return NONE;
    this.held = NONE;
    const isCall = next.type === 'block-start' && next.block.type === 'tool-use';
    if (id === undefined || !isCall) return held;
    const { id: callId } = next.block;
    return held.map((event) => (event.type === 'block-start' ? renamed(event, callId, id) : event));
  }
}

const callIdIn = (block: BlockStart): string | undefined =>
  block.type === 'redacted-thinking' ? block.mark?.id : undefined;

/** Omits the source bytes, which state the call's first id. */
function renamed(event: BlockEvent & { type: 'block-start' }, callId: string, id: string): BlockEvent {
  const { block, index } = event;
  if (block.type !== 'redacted-thinking' || block.mark?.id !== callId) return event;
  return { type: 'block-start', index, block: { ...block, mark: { ...block.mark, id } } };
}
