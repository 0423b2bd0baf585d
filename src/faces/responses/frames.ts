import type { ModelEvent, StopReason } from '../../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../../core/conversation/usage.js';
import type { GatewayError } from '../../core/errors.js';
import { printJson, type JsonObject } from '../../core/json/json.js';
import { DONE_FRAME, writeFrame } from '../../core/stream/sse.js';
import type { FramePrinter } from '../../shared/http/frame-printer.js';
import type { GenerationView } from '../common/face.js';
import type { EventWriter } from './item-sink.js';
import { OutputItems, type ReplyOptions } from './output-items.js';
import { endingOf, lastStatus, responseHead, tailOf, viewEnd, viewFailure } from './view-response.js';

/**
 * Prints a reply's events as the stream of the responses format (docs/use/responses.md#events). One instance per reply;
 * the events must obey the grammar.
 */
export class ResponseFrames implements FramePrinter, EventWriter {
  private text = '';
  private sequence = 0;
  private hasBegun = false;
  private usage: Usage = NO_USAGE;
  private readonly items: OutputItems;

  constructor(
    private readonly generation: GenerationView,
    private readonly echo: JsonObject,
    options: ReplyOptions,
  ) {
    this.items = new OutputItems(tailOf(generation), options, this);
  }

  print(events: readonly ModelEvent[]): string | undefined {
    // Texts that came together are sent together: an event of this format is longer than any other.
    let words = '';
    for (let index = 0; index < events.length; index++) {
      const event = events[index]!;
      if (event.type === 'block-delta' && event.delta.type === 'text' && this.items.message) {
        words += event.delta.text;
        continue;
      }
      if (words !== '') this.items.message?.words(words);
      words = '';
      this.add(event);
    }
    if (words !== '') this.items.message?.words(words);
    return this.taken();
  }

  /** The end of a stream that fails, and the sentinel. The status was already sent. */
  fail(error: GatewayError): string {
    this.begin();
    const { generation, echo } = this;
    // Finished items alone: what was cut off is of no use to the caller.
    const output = this.items.output.filter((item) => item !== undefined);
    this.write('response.failed', { response: viewFailure(generation, echo, { error, output }) });
    return (this.taken() ?? '') + DONE_FRAME;
  }

  write(type: string, members: JsonObject): void {
    this.text += writeFrame(type, printJson({ type, sequence_number: this.sequence++, ...members }));
  }

  writePiece(type: string, opening: string, piece: string, closing: string): void {
    const number = this.sequence++;
    this.text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${number},${opening}${JSON.stringify(piece)}${closing}\n\n`;
  }

  private add(event: ModelEvent): void {
    switch (event.type) {
      case 'reply-start':
        this.begin();
        break;
      case 'block-start':
        this.items.begin(event.block);
        break;
      case 'block-delta':
        this.items.grow(event.delta);
        break;
      case 'block-end':
        this.items.end();
        break;
      case 'usage':
        this.usage = mergeUsage(this.usage, event.usage);
        break;
      case 'reply-end':
        this.finish(event.stop);
        break;
      case 'ping':
        // Comments keep the connection alive.
        break;
    }
  }

  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const response = responseHead(this.generation, this.echo);
    this.write('response.created', { response });
    this.write('response.in_progress', { response });
    const { upstreamBody } = this.generation;
    if (upstreamBody !== undefined) this.write('response.debug', { debug: { echo_upstream_body: upstreamBody } });
  }

  private finish(stop: StopReason): void {
    const ending = endingOf(stop);
    this.items.finish(lastStatus(ending));
    const { output } = this.items;
    const response = viewEnd(this.generation, this.echo, { stop, usage: this.usage, output });
    this.write(`response.${ending.status}`, { response });
    this.text += DONE_FRAME;
  }

  private taken(): string | undefined {
    const { text } = this;
    this.text = '';
    return text === '' ? undefined : text;
  }
}

/** The end of a stream whose process has stopped: its items are not known where it is read. */
export function lostFrames(generation: GenerationView, echo: JsonObject, error: GatewayError): string {
  const type = 'response.failed';
  const response = viewFailure(generation, echo, { error, output: [] });
  return writeFrame(type, printJson({ type, sequence_number: 0, response })) + DONE_FRAME;
}
