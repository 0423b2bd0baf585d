import type { ModelEvent } from './conversation/event.js';
import type { Reply } from './conversation/reply.js';
import type { ModelRequest } from './conversation/request.js';
import type { ExtensionContext, OptionsSchema } from './extension.js';
import type { JsonObject } from './json/json.js';
import type { PicoUsd } from './money/credits.js';
import type { CatalogSnapshot } from './routing/catalog.js';
import type { Leg } from './routing/plan.js';
import type { Step } from './stream/step.js';

/** What a judge says: let it pass, or refuse it with what the caller is told. */
export type Verdict =
  { readonly passes: true } | { readonly passes: false; readonly message: string; readonly metadata: JsonObject };

/**
 * Part of the way of a request, which callers and defaults switch on by its id. One file and one line in the list of
 * plugins; each hook is optional. They run in this order: `choose`, `prepare`, `rewrite`, `judgeRequest`, for each leg
 * `fit`, then `answer` or the provider, `watch`, `judgeReply`. Hooks before the hold are pure but for `prepare`. A hook
 * that fails fails the request, unless the plugin is skippable.
 * @typeParam Options what is said of it in `plugins[]`, as `options` has it
 */
export interface Plugin<Options extends JsonObject = JsonObject> {
  readonly id: string;
  readonly options: OptionsSchema;
  /** A failure leaves it out, visibly. */
  readonly isSkippable: boolean;
  /** The most that its own work on one request can cost: held before that. Absent: nothing. */
  fee?(options: Options): PicoUsd;
  /** The models to try instead of those that were asked for, in order; undefined: as asked. Pure. */
  choose?(request: ModelRequest, options: Options, catalog: CatalogSnapshot): readonly string[] | undefined;
  /** What has to be fetched or found out before the request is whole. May wait, and may cost its fee. */
  prepare?(request: ModelRequest, options: Options, context: ExtensionContext): Promise<ModelRequest>;
  /** The request as it goes on. Pure. */
  rewrite?(request: ModelRequest, options: Options): ModelRequest;
  /** The request as one leg can take it, before it is asked whether it can. Pure. */
  fit?(request: ModelRequest, leg: Leg, options: Options): ModelRequest;
  /**
   * A step of the answer's events, one per reply; undefined where there is nothing to watch. What it
   * gives obeys the grammar.
   */
  watch?(request: ModelRequest, options: Options): Step<ModelEvent, ModelEvent> | undefined;
  judgeRequest?(request: ModelRequest, options: Options, context: ExtensionContext): Promise<Verdict>;
  /** Of a whole reply, before it goes out. */
  judgeReply?(reply: Reply, options: Options, context: ExtensionContext): Promise<Verdict>;
  /** Answers in the place of a provider, by `context.infer` and whatever else. */
  answer?(request: ModelRequest, options: Options, context: ExtensionContext): AsyncIterable<readonly ModelEvent[]>;
}
