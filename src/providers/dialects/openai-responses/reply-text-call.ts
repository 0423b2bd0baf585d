import type { ModelEvent } from '../../../core/conversation/event.js';
import type { ReplyCall } from './reply-call.js';

const BEGINNING = '{"input":"';

/** One call of a custom tool: its text becomes the one argument of a function, however it is cut. */
export class ReplyTextCall {
  private read = 0;
  private hasBegun = false;
  private hasEnded = false;

  constructor(private readonly call: ReplyCall) {}

  add(text: string, out: ModelEvent[]): void {
    if (text === '' || this.hasEnded) return;
    this.read += text.length;
    this.begin(out);
    // A pair of surrogates that is cut apart is escaped in halves, which read as the pair again.
    this.call.add(JSON.stringify(text).slice(1, -1), out);
  }

  /** @param text all of its input; the rest that did not come in pieces is emitted now */
  complete(text: string, out: ModelEvent[]): void {
    if (text.length > this.read) this.add(text.slice(this.read), out);
  }

  mayHave(text: string): boolean {
    return this.read === 0 || this.read === text.length;
  }

  end(out: ModelEvent[]): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.begin(out);
    this.call.add('"}', out);
    this.call.end(out);
  }

  private begin(out: ModelEvent[]): void {
    if (!this.hasBegun) this.call.add(BEGINNING, out);
    this.hasBegun = true;
  }
}
