import { ReplyRefused } from '../../core/generation/ending.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import { GatewayError } from '../../core/errors.js';
import { plainWords } from '../../core/json/plain-words.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import type { NoteStage, ReplyWatch } from '../../core/plugin.js';
import { ended } from '../../core/text/ended.js';
import type { Flag, ModerationEngine } from './engine.js';
import { listed, metadataOf, noteOf } from './refusal.js';

type Batch = readonly ModelEvent[];

/** Characters after which what is held back is judged. */
const WINDOW = 256;
/** The same of a reply that goes out whole anyway. */
const WINDOW_WHOLE = 16_384;
/** How long it is held back at most before that, in milliseconds. */
const WINDOW_MS = 2_000;
/** What each window is read with of what came before it, in characters. Chosen: a long sentence or two. */
const TAIL = 1_024;

/** What judges the replies to one request. */
interface WatchParts {
  readonly engine: ModerationEngine;
  readonly context: ExtensionContext;
  readonly model: string;
  readonly isStreamed: boolean;
  readonly note: NoteStage;
}

/**
 * Holds an answer back until it is judged: its text, its reasoning and the arguments of its tools, in windows, each
 * with the end of what came before it. One judgement is under way at a time, and the provider waits for it.
 */
export class ModerationWatch implements ReplyWatch {
  private held: ModelEvent[] = [];
  /** What of it is not judged. */
  private fresh: string[] = [];
  private freshLength = 0;
  private tail = '';
  /** When the first of it came, by `performance.now()`. */
  private heldSince: number | undefined;
  /** What the latest words are part of: a block of a tool stands for itself. */
  private place = '';
  /** Why nothing more goes out. */
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

  tell(batch: Batch): Batch | Promise<Batch> {
    if (this.refusal) throw this.refusal;
    const told: ModelEvent[] = [];
    let endsTool = false;
    for (const event of batch) {
      this.read(event);
      endsTool ||= event.type === 'block-end' && this.place.startsWith('tool');
      if (this.heldSince === undefined || event.type === 'ping') told.push(event);
      else this.held.push(event);
    }
    const isOver = batch.at(-1)?.type === 'reply-end';
    // A tool is run when its arguments are judged.
    const isDue = isOver || endsTool || this.freshLength >= this.windowMax || this.overdueMs === 0;
    if (!isDue) return told;
    const judged = this.judged();
    if (judged instanceof Promise) return judged.then((released) => this.asLast(isOver, [...told, ...released]));
    return this.asLast(isOver, [...told, ...judged]);
  }

  release(): Batch | Promise<Batch> {
    return this.judged();
  }

  private read(event: ModelEvent): void {
    if (event.type === 'block-start') {
      const { type } = event.block;
      const isTool = type === 'tool-use' || type === 'server-tool-use';
      const place = isTool ? `tool ${event.index}` : type;
      // Texts go on over blocks, which citations part.
      if (place !== this.place && (this.tail !== '' || this.freshLength > 0)) this.add('\n');
      this.place = place;
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
    if (this.freshLength === 0) return this.letGo([]);
    const text = this.tail + this.fresh.splice(0).join('');
    this.freshLength = 0;
    this.tail = text.slice(-TAIL);
    const done = (flags: readonly Flag[]): Batch => {
      this.windows++;
      return this.letGo(flags);
    };
    try {
      const flags = this.ask(text);
      return flags instanceof Promise ? flags.then(done).catch((error: unknown) => this.refuse(error)) : done(flags);
    } catch (error) {
      return this.refuse(error);
    }
  }

  private ask(text: string): readonly Flag[] | Promise<readonly Flag[]> {
    const { engine, context } = this.parts;
    context.signal.throwIfAborted();
    // Arguments are JSON, whose escapes would stand between words.
    return engine.judge(
      { of: 'reply', texts: [{ parts: [plainWords(text)], by: 'assistant' }], pictures: [] },
      context,
    );
  }

  private letGo(flags: readonly Flag[]): Batch {
    if (flags.length > 0) {
      this.tellStage(flags);
      throw new ReplyRefused(`Moderation refused this answer: ${listed(flags)}.`, metadataOf(flags, this.parts.model));
    }
    this.heldSince = undefined;
    return this.held.splice(0);
  }

  /** What fails is not passed on. */
  private refuse(error: unknown): never {
    this.parts.context.signal.throwIfAborted();
    this.held = [];
    this.refusal =
      error instanceof ExtensionFault
        ? new GatewayError('unavailable', ended(`The plugin moderation failed: ${error.message}`), {}, { cause: error })
        : (error as Error);
    throw this.refusal;
  }

  private asLast(isOver: boolean, events: Batch): Batch {
    if (isOver && this.windows > 0) this.tellStage([]);
    return events;
  }

  private tellStage(flags: readonly Flag[]): void {
    const { engine, note } = this.parts;
    note(noteOf(engine, 'reply', flags, { windows: this.windows }));
  }
}
