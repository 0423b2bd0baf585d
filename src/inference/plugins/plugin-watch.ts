import type { ModelEvent } from '../../core/conversation/event.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { NoteStage, Plugin, ReplyWatch } from '../../core/plugin.js';
import type { JsonObject } from '../../core/json/json.js';
import { errorOfPlugin, stageOf } from './plugin-stages.js';

type Batch = readonly ModelEvent[];

/**
 * The watch of one answer by a plugin. Its stages report the time so far, including waiting, and the cost of the models
 * that it called. It fails like other hooks. It is never skipped, because the events that it holds back would be lost.
 */
export class PluginWatch implements ReplyWatch {
  private spentMs = 0;
  /** Start of the work, by `performance.now()`; undefined while it does not work. */
  private beganAt: number | undefined;
  private readonly watch: ReplyWatch | undefined;

  /**
   * @param start makes the watch, where there is anything to watch
   * @param spent the cost so far of the models that it called
   */
  constructor(
    private readonly plugin: Plugin,
    start: (note: NoteStage) => ReplyWatch | undefined,
    { spent, addStage }: { readonly spent: () => PicoUsd; readonly addStage: (stage: JsonObject) => void },
  ) {
    this.watch = start((note) => {
      const running = this.beganAt === undefined ? 0 : performance.now() - this.beganAt;
      addStage(stageOf(plugin, note, { milliseconds: this.spentMs + running, cost: spent() }));
    });
  }

  get isWatching(): boolean {
    return this.watch !== undefined;
  }

  get overdueMs(): number | undefined {
    return this.watch?.overdueMs;
  }

  pass(batch: Batch): Batch | Promise<Batch> {
    return this.atWork(() => this.watch!.pass(batch));
  }

  release(): Batch | Promise<Batch> {
    return this.atWork(() => this.watch!.release?.() ?? []);
  }

  /** Avoids an await when the result is synchronous. */
  private atWork(work: () => Batch | Promise<Batch>): Batch | Promise<Batch> {
    this.beganAt = performance.now();
    try {
      const passed = work();
      if (passed instanceof Promise) return this.waitedFor(passed);
      this.rest();
      return passed;
    } catch (error) {
      throw errorOfPlugin(this.plugin, error);
    }
  }

  private async waitedFor(passing: Promise<Batch>): Promise<Batch> {
    try {
      return await passing;
    } catch (error) {
      throw errorOfPlugin(this.plugin, error);
    } finally {
      this.rest();
    }
  }

  private rest(): void {
    this.spentMs += performance.now() - this.beganAt!;
    this.beganAt = undefined;
  }
}
