import type { JsonBody } from './recorded-request.js';

// Reads event streams independently of the code under test, for assertions: slow, simple, strict.

/** One server-sent event, or a comment. */
export interface RawFrame {
  /** Empty when the frame had no `event:` line. */
  readonly event: string;
  /** Undefined when the frame had no `data:` line. */
  readonly data: string | undefined;
  readonly comments: readonly string[];
}

/** Every frame of a whole stream. Text after the last blank line is a truncated frame, and an error. */
export function readFrames(stream: string | Uint8Array): RawFrame[] {
  const text = typeof stream === 'string' ? stream : new TextDecoder('utf-8', { fatal: true }).decode(stream);
  const blocks = text.replace(/\r\n?/g, '\n').split('\n\n');
  const rest = blocks.pop();
  if (rest !== '') throw new Error(`The stream ends inside a frame: ${JSON.stringify(rest)}`);
  return blocks.map(readBlock);
}

function readBlock(block: string): RawFrame {
  let event = '';
  const data: string[] = [];
  const comments: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === '' && line.startsWith(':')) comments.push(value ?? '');
    else if (field === 'event') event = value ?? '';
    else if (field === 'data') data.push(value ?? '');
    else throw new Error(`A line that no client needs: ${JSON.stringify(line)}`);
  }
  return { event, data: data.length > 0 ? data.join('\n') : undefined, comments };
}

/** Violations of the Messages stream grammar, one sentence each (docs/use/streaming.md#order-of-events). */
export function messagesGrammarFaults(frames: readonly RawFrame[]): string[] {
  const faults: string[] = [];
  const check = new MessagesGrammar((fault) => faults.push(fault));
  for (const frame of frames) check.see(frame);
  check.finish();
  return faults;
}

/**
 * The parsed events of a Messages stream, without pings, comments and the end marker. @throws when the grammar is
 * violated
 */
export function readMessagesEvents(stream: string | Uint8Array): JsonBody[] {
  const frames = readFrames(stream);
  const faults = messagesGrammarFaults(frames);
  if (faults.length > 0) throw new Error(`The stream breaks the grammar of Messages:\n${faults.join('\n')}`);
  return frames
    .filter(({ data, event }) => data !== undefined && event !== '' && event !== 'ping')
    .map(({ data }) => JSON.parse(data!));
}

/** The deltas that are allowed in each block. Server tools receive their input as tools do. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
  mcp_tool_use: ['input_json_delta'],
};

class MessagesGrammar {
  private stage: 'before' | 'blocks' | 'delta' | 'stopped' | 'done' = 'before';
  private failed = false;
  private blocks = 0;
  private openBlock: string | undefined;

  constructor(private readonly report: (fault: string) => void) {}

  see({ event, data }: RawFrame): void {
    if (data === undefined) {
      if (event !== '') this.report(`${event} has no data`);
      return;
    }
    if (this.stage === 'done') this.report(`${event || data} follows the sentinel`);
    if (data === '[DONE]') return this.seeSentinel(event);
    const value = this.parse(data);
    if (value?.type !== event) this.report(`the event ${event} holds the type ${value?.type}`);
    if (event === 'ping') return;
    if (this.failed) this.report(`${event} follows an error`);
    this.seeEvent(event, value);
  }

  finish(): void {
    if (this.stage !== 'done') this.report('the stream has no sentinel');
  }

  private parse(data: string): JsonBody {
    try {
      return JSON.parse(data);
    } catch {
      this.report(`not JSON: ${data}`);
      return undefined;
    }
  }

  private seeSentinel(event: string): void {
    if (event !== '') this.report(`the sentinel is named ${event}`);
    if (this.stage !== 'stopped' && !this.failed) this.report('the sentinel comes before the end');
    this.stage = 'done';
  }

  private seeEvent(event: string, value: JsonBody): void {
    switch (event) {
      case 'message_start':
        this.expect(this.stage === 'before', 'message_start is not first, or comes twice');
        this.stage = 'blocks';
        break;
      case 'content_block_start':
        this.expect(this.stage === 'blocks' && this.openBlock === undefined, 'a block starts where none may');
        this.expect(value?.index === this.blocks, `block ${value?.index} starts where ${this.blocks} is due`);
        this.openBlock = String(value?.content_block?.type);
        this.blocks++;
        break;
      case 'content_block_delta': {
        const allowed = DELTAS[this.openBlock ?? ''];
        this.expect(
          this.openBlock !== undefined && value?.index === this.blocks - 1,
          'a delta stands in no open block',
        );
        this.expect(
          !allowed || allowed.includes(value?.delta?.type),
          `${value?.delta?.type} stands in ${this.openBlock}`,
        );
        break;
      }
      case 'content_block_stop':
        this.expect(this.openBlock !== undefined && value?.index === this.blocks - 1, 'a block stops that is not open');
        this.openBlock = undefined;
        break;
      case 'message_delta':
        this.expect(
          this.stage === 'blocks' && this.openBlock === undefined,
          'message_delta comes inside a block or twice',
        );
        this.expect(typeof value?.delta?.stop_reason === 'string', 'message_delta has no stop_reason');
        this.stage = 'delta';
        break;
      case 'message_stop':
        this.expect(this.stage === 'delta', 'message_stop does not follow message_delta');
        this.stage = 'stopped';
        break;
      case 'error':
        this.expect(this.stage !== 'stopped', 'an error follows the end');
        this.failed = true;
        break;
      default:
        this.report(`unknown event ${event}`);
    }
  }

  private expect(isAllowed: boolean, fault: string): void {
    if (!isAllowed) this.report(fault);
  }
}
