import { charactersOf, type ModelEvent, type UnifiedStop } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import type { NoteStage, Plugin, ReplyWatch } from '../../core/plugin.js';
import { flag, optional } from '../../shared/http/schema.js';
import type { HealOutcome, TextToHeal } from '../../tools/heal-json/heal-json.js';

type Batch = readonly ModelEvent[];

/**
 * Maximum text of one answer that is held back, in UTF-16 units. Chosen: a text with a few faults is repaired in 0.3 s.
 */
const LENGTH_MAX = 1024 * 1024;
/** Stop reasons after which the answer is complete. */
const WHOLE: readonly UnifiedStop[] = ['end-turn', 'stop-sequence', 'other'];
/** Stop reasons after which the text is not the answer yet. */
const UNDECIDED: readonly UnifiedStop[] = ['tool-use', 'pause'];

/** Repairs requested JSON that came out malformed (docs/use/plugins/response-healing.md). */
export const responseHealing: Plugin = {
  id: 'response-healing',
  options: {
    enabled: optional(flag()),
  },
  watch: (request, _options, context, note) =>
    request.outputFormat && new HealingWatch(request.outputFormat, context, note),
};

/** Holds an answer back from its first text on, and heals its last text. */
class HealingWatch implements ReplyWatch {
  private readonly held: ModelEvent[] = [];
  private heldLength = 0;
  private isHolding = false;
  private isTooLong = false;

  constructor(
    private readonly format: NonNullable<ModelRequest['outputFormat']>,
    private readonly context: ExtensionContext,
    private readonly note: NoteStage,
  ) {}

  pass(batch: Batch): Batch | Promise<Batch> {
    const passed: ModelEvent[] = [];
    for (const event of batch) {
      if (event.type === 'block-start' && event.block.type === 'text') this.isHolding ||= !this.isTooLong;
      if (this.isHolding && event.type !== 'ping') this.hold(event);
      else passed.push(event);
    }
    if (this.heldLength > LENGTH_MAX) {
      this.isTooLong = true;
      this.note({ summary: 'not-healed', data: { reason: 'too long' } });
      return [...passed, ...this.drain()];
    }
    const last = batch.at(-1);
    if (!this.isHolding || last?.type !== 'reply-end') return passed;
    return this.healed(this.drain(), last.stop.unified).then((healed) => [...passed, ...healed]);
  }

  private hold(event: ModelEvent): void {
    this.held.push(event);
    if (event.type === 'block-delta') this.heldLength += charactersOf(event.delta);
  }

  private drain(): Batch {
    this.isHolding = false;
    this.heldLength = 0;
    return this.held.splice(0);
  }

  private async healed(events: Batch, stop: UnifiedStop): Promise<Batch> {
    const index = lastTextOf(events);
    if (index === undefined || UNDECIDED.includes(stop)) return events;
    const text = events.map((event) => textOf(event, index) ?? '').join('');
    const { format } = this;
    const task: TextToHeal = {
      text,
      isCut: !WHOLE.includes(stop),
      ...(format.type === 'json-schema' && { schema: format.schema }),
    };
    const outcome = await this.outcomeOf(task);
    if (outcome?.is === 'beyond-repair') {
      this.note({ summary: 'not-healed', data: { reason: task.isCut ? 'cut off' : 'beyond repair' } });
    }
    if (outcome?.is !== 'healed') return events;
    this.note({ summary: 'healed' });
    return withText(events, index, outcome.text);
  }

  /** @returns undefined where there was no capacity or time for it */
  private async outcomeOf(task: TextToHeal): Promise<HealOutcome | undefined> {
    const { workers, signal } = this.context;
    try {
      return (await workers.run('heal-json', () => task, signal)) as HealOutcome;
    } catch (error) {
      if (!(error instanceof ExtensionFault)) throw error;
      this.note({ summary: 'not-healed', data: { reason: error.message } });
      return undefined;
    }
  }
}

function textOf(event: ModelEvent, index: number): string | undefined {
  if (event.type !== 'block-delta' || event.index !== index || event.delta.type !== 'text') return undefined;
  return event.delta.text;
}

/** The index of the last block of text that is not blank. */
function lastTextOf(events: Batch): number | undefined {
  const last = events.findLast(
    (event) => event.type === 'block-delta' && event.delta.type === 'text' && event.delta.text.trim() !== '',
  );
  return last?.type === 'block-delta' ? last.index : undefined;
}

function withText(events: Batch, index: number, text: string): Batch {
  const first = events.findIndex((event) => textOf(event, index) !== undefined);
  return events.flatMap((event, eventIndex): ModelEvent[] => {
    if (textOf(event, index) === undefined) return [event];
    return eventIndex === first ? [{ type: 'block-delta', index, delta: { type: 'text', text } }] : [];
  });
}
