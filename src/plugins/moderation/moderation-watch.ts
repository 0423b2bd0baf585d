import { ReplyRefused } from '../../core/generation/ending.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import { unescapeJson } from '../../core/json/unescape-json.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import type { NoteStage, ReplyWatch } from '../../core/plugin.js';
import { ensureFullStop } from '../../core/text/ensure-full-stop.js';
import type { Flag, ModerationInput, ModerationEngine } from './engine.js';
import { QUESTION_MAX } from './guard-model.js';
import { listed, metadataOf, noteOf } from './refusal.js';

type Batch = readonly ModelEvent[];

/** Held-back characters at which a window is judged. */
const WINDOW = 256;
/** Window of a reply that is sent whole. */
const WINDOW_WHOLE = 16_384;
/** Characters of a token of an answer, for the length of its first window. Chosen: English has about four. */
const CHARACTERS_PER_TOKEN = 4;
/** Longest time that text is held back before it is judged, in milliseconds. */
const WINDOW_MS = 2_000;
/** Characters of preceding text that are judged with each window. Chosen: a long sentence or two. */
const TAIL = 1_024;

/** The first window of the answer to a request, at its usual length, with the longest question. */
export function firstWindowOf({ stream, maxOutputTokens = Infinity }: ModelRequest): ModerationInput {
  const most = stream ? WINDOW : WINDOW_WHOLE;
  const text = 'x'.repeat(QUESTION_MAX + Math.min(most, maxOutputTokens * CHARACTERS_PER_TOKEN));
  return { of: 'reply', texts: [{ parts: [text], by: 'assistant' }], pictures: [] };
}

/** Dependencies and options of the watch over the replies to one request. */
interface WatchParts {
  readonly engine: ModerationEngine;
  readonly context: ExtensionContext;
  readonly model: string;
  readonly isStreamed: boolean;
  readonly note: NoteStage;
}

/**
 * Holds an answer back until it is judged: its text, its reasoning and its tool arguments, in windows, each with the
 * end of the text before it. One judgement runs at a time, and the provider waits for it.
 */
export class ModerationWatch implements ReplyWatch {
  private held: ModelEvent[] = [];
  /** The text that is not judged yet. */
  private fresh: string[] = [];
  private freshLength = 0;
  private tail = '';
  /** When the first held event arrived, by `performance.now()`. */
  private heldSince: number | undefined;
  /** The unit of the latest text: each tool block is a separate one. */
  private unit = '';
  /** Why nothing more is sent. */
  private refusal: Error | undefined;
  private windows = 0;
  private readonly windowMax: number;

  constructor(private readonly parts: WatchParts) {
    this.windowMax = parts.isStreamed ? WINDOW : WINDOW_WHOLE;
  }

  get overdueMs(): number | undefined {
    if (this.heldSince === undefined || !this.parts.isStreamed) return undefined;
    return Math.max(0, this.heldSince + WINDOW_MS - performance.now());
  }

  pass(batch: Batch): Batch | Promise<Batch> {
    if (this.refusal) throw this.refusal;
    const passed: ModelEvent[] = [];
    let endsTool = false;
    for (const event of batch) {
      this.read(event);
      endsTool ||= event.type === 'block-end' && this.unit.startsWith('tool');
      if (this.heldSince === undefined || event.type === 'ping') passed.push(event);
      else this.held.push(event);
    }
    const isOver = batch.at(-1)?.type === 'reply-end';
    // A tool may run only when its arguments are judged.
    const isDue = isOver || endsTool || this.freshLength >= this.windowMax || this.overdueMs === 0;
    if (!isDue) return passed;
    const judged = this.judged();
    if (judged instanceof Promise) return judged.then((released) => this.asLast(isOver, [...passed, ...released]));
    return this.asLast(isOver, [...passed, ...judged]);
  }

  release(): Batch | Promise<Batch> {
    return this.judged();
  }

  private read(event: ModelEvent): void {
    if (event.type === 'block-start') {
      const { type } = event.block;
      const isTool = type === 'tool-use' || type === 'server-tool-use';
      const unit = isTool ? `tool ${event.index}` : type;
      // Citations split a text into blocks, so text continues across them.
      if (unit !== this.unit && (this.tail !== '' || this.freshLength > 0)) this.add('\n');
      this.unit = unit;
    } else if (event.type === 'block-delta') {
      const { delta } = event;
      if (delta.type === 'text' || delta.type === 'thinking') this.add(delta.text);
      else if (delta.type === 'input-json') this.add(delta.json);
    }
  }

  private add(text: string): void {
    if (text === '') return;
    this.fresh.push(text);
    this.freshLength += text.length;
    this.heldSince ??= performance.now();
  }

  private judged(): Batch | Promise<Batch> {
    if (this.freshLength === 0) return this.releaseHeld([]);
    const text = this.tail + this.fresh.splice(0).join('');
    this.freshLength = 0;
    this.tail = text.slice(-TAIL);
    const done = (flags: readonly Flag[]): Batch => {
      this.windows++;
      return this.releaseHeld(flags);
    };
    try {
      const flags = this.judge(text);
      return flags instanceof Promise ? flags.then(done).catch((error: unknown) => this.refuse(error)) : done(flags);
    } catch (error) {
      return this.refuse(error);
    }
  }

  private judge(text: string): readonly Flag[] | Promise<readonly Flag[]> {
    const { engine, context } = this.parts;
    context.signal.throwIfAborted();
    // The escapes of JSON arguments would separate words.
    return engine.judge(
      { of: 'reply', texts: [{ parts: [unescapeJson(text)], by: 'assistant' }], pictures: [] },
      context,
    );
  }

  private releaseHeld(flags: readonly Flag[]): Batch {
    if (flags.length > 0) {
      this.noteVerdict(flags);
      throw new ReplyRefused(`Moderation refused this answer: ${listed(flags)}.`, metadataOf(flags, this.parts.model));
    }
    this.heldSince = undefined;
    return this.held.splice(0);
  }

  /** Nothing is sent after a failure. */
  private refuse(error: unknown): never {
    this.parts.context.signal.throwIfAborted();
    this.held = [];
    this.refusal =
      error instanceof ExtensionFault
        ? new GatewayError(
            'unavailable',
            ensureFullStop(`The plugin moderation failed: ${error.message}`),
            {},
            { cause: error },
          )
        : (error as Error);
    throw this.refusal;
  }

  private asLast(isOver: boolean, events: Batch): Batch {
    if (isOver && this.windows > 0) this.noteVerdict([]);
    return events;
  }

  private noteVerdict(flags: readonly Flag[]): void {
    const { engine, note } = this.parts;
    note(noteOf(engine, 'reply', flags, { windows: this.windows }));
  }
}
