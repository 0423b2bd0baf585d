import type { ModelEvent } from '../../core/conversation/event.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { NoteStage, Plugin, ReplyWatch } from '../../core/plugin.js';
import type { JsonObject } from '../../core/json/json.js';
import { failureOf, stageOf } from './plugin-stages.js';

type Batch = readonly ModelEvent[];

/**
 * How a plugin watches one answer: its stages tell how long it has taken by then, what it waited for included, and what
 * the models cost that it asked. It fails as plugins do. It is never left out: what it holds back would go with it.
 */
export class PluginWatch implements ReplyWatch {
  private spentMs = 0;
  /** By `performance.now()`, while it is at work. */
  private beganAt: number | undefined;
  private readonly watch: ReplyWatch | undefined;

  /**
   * @param start makes the watch, where there is anything to watch
   * @param spent what models were paid that it has asked by then
   */
  constructor(
    private readonly plugin: Plugin,
    start: (note: NoteStage) => ReplyWatch | undefined,
    { spent, tell }: { readonly spent: () => PicoUsd; readonly tell: (stage: JsonObject) => void },
  ) {
    this.watch = start((note) => {
      const running = this.beganAt === undefined ? 0 : performance.now() - this.beganAt;
      tell(stageOf(plugin, note, { milliseconds: this.spentMs + running, cost: spent() }));
    });
  }

  get isWatching(): boolean {
    return this.watch !== undefined;
  }

  get overdueMs(): number | undefined {
    return this.watch?.overdueMs;
  }

  tell(batch: Batch): Batch | Promise<Batch> {
    return this.atWork(() => this.watch!.tell(batch));
  }

  release(): Batch | Promise<Batch> {
    return this.atWork(() => this.watch!.release?.() ?? []);
  }

  /** No turn of the microtask queue for what is at hand. */
  private atWork(work: () => Batch | Promise<Batch>): Batch | Promise<Batch> {
    this.beganAt = performance.now();
    try {
      const told = work();
      if (told instanceof Promise) return this.waitedFor(told);
      this.rest();
      return told;
    } catch (error) {
      throw failureOf(this.plugin, error);
    }
  }

  private async waitedFor(telling: Promise<Batch>): Promise<Batch> {
    try {
      return await telling;
    } catch (error) {
      throw failureOf(this.plugin, error);
    } finally {
      this.rest();
    }
  }

  private rest(): void {
    this.spentMs += performance.now() - this.beganAt!;
    this.beganAt = undefined;
  }
}
