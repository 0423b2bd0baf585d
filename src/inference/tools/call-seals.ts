import type { BlockStart, ModelEvent } from '../../core/conversation/event.js';

type BlockEvent = Extract<ModelEvent, { type: 'block-start' | 'block-end' }>;

const NONE: readonly BlockEvent[] = [];

/**
 * Holds back what a vendor sealed of a call, which stands right before the call and names it, until it is seen whose
 * call that is: one of the gateway's tools is told under another id, and its seal has to go with it. One per reply.
 */
export class CallSeals {
  private held: readonly BlockEvent[] = NONE;

  /** To be asked behind `release`. @returns whether the event is one of a seal's, and is held */
  hold(event: ModelEvent): boolean {
    const begins = event.type === 'block-start' && this.held.length === 0 && callIdIn(event.block) !== undefined;
    const ends = event.type === 'block-end' && this.held.length === 1;
    if (begins || ends) this.held = [...this.held, event];
    return begins || ends;
  }

  /**
   * What was held, now that the next event is seen.
   * @param id under which the call is told that this event begins; absent: its own
   */
  release(next: ModelEvent, id: string | undefined): readonly BlockEvent[] {
    const { held } = this;
    // A seal is over with its second event.
    if (held.length < 2) return NONE;
    this.held = NONE;
    const isCall = next.type === 'block-start' && next.block.type === 'tool-use';
    if (id === undefined || !isCall) return held;
    const { id: given } = next.block;
    return held.map((event) => (event.type === 'block-start' ? renamed(event, given, id) : event));
  }
}

const callIdIn = (block: BlockStart): string | undefined =>
  block.type === 'redacted-thinking' ? block.mark?.id : undefined;

/** The bytes that it was read from would say the call's first id. */
function renamed(event: BlockEvent & { type: 'block-start' }, given: string, id: string): BlockEvent {
  const { block, index } = event;
  if (block.type !== 'redacted-thinking' || block.mark?.id !== given) return event;
  return { type: 'block-start', index, block: { ...block, mark: { ...block.mark, id } } };
}
