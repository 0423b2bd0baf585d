import type { ModelRequest } from '../../core/conversation/request.js';
import { toolIdsIn } from './tool-ids.js';

/** The ids of one reply's tool calls. One per reply. */
export class ReplyCallIds {
  /** Of the conversation and this reply; undefined before the first call. */
  private used: Set<string> | undefined;
  private calls = 0;

  constructor(private readonly request: Pick<ModelRequest, 'messages'>) {}

  /**
   * The provider's id, or one of our own where it gave none or one that stands for another call already: vendors refuse
   * a conversation with two of them. Unique in its conversation, and the same when the reply is read again.
   */
  next(givenId: string | undefined): string {
    const { messages } = this.request;
    this.used ??= new Set(toolIdsIn(messages));
    const own = `call_${messages.length}_${this.calls++}`;
    let id = givenId ?? own;
    for (let attempt = 0; this.used.has(id); attempt++) id = attempt === 0 ? own : `${own}_${attempt}`;
    this.used.add(id);
    return id;
  }
}
