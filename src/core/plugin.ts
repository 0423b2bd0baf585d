import type { ModelEvent } from './conversation/event.js';
import type { ParsedFile } from './conversation/parsed-file.js';
import type { ModelRequest } from './conversation/request.js';
import type { WebCitation } from './conversation/web-citation.js';
import type { ConsultationKind } from './conversation/usage.js';
import type { ExtensionContext, OptionsSchema } from './extension.js';
import type { JsonObject } from './json/json.js';
import type { PicoUsd } from './money/credits.js';
import type { Leg } from './routing/plan.js';
import type { Choice, ChoiceInputs } from './routing/route-inputs.js';

type Batch = readonly ModelEvent[];

/**
 * The path of a plugin's options for errors: the index of its entry, or its id where a default or the model name sets
 * it.
 */
export function pluginPath({ plugins }: Pick<ModelRequest, 'plugins'>, id: string): string {
  const at = plugins.findIndex((entry) => entry.id === id);
  return `plugins.${at === -1 ? id : at}`;
}

/** A description of what a stage changed or judged, for the routing metadata's `pipeline`. Never content. */
export interface StageNote {
  readonly summary: string;
  readonly data?: JsonObject;
}

/** A request as changed by a plugin. */
export interface Prepared {
  readonly request: ModelRequest;
  /** Absent: it did nothing, and no stage is reported. */
  readonly note?: StageNote;
  /** Files that it converted to text: returned with the answer. */
  readonly files?: readonly ParsedFile[];
}

/** A request after a plugin called a model or an external service. That cost is charged by `context.charge`. */
export interface Consulted extends Prepared {
  /** Pages that it added: cited by the blocks of the answer that use them. */
  readonly sources?: readonly WebCitation[];
  /** Whether the plugin added the output of models that it consulted, which is not reviewed. */
  readonly isOfModels?: boolean;
}

/** The context of work before the plan: nothing that costs, and no external service. */
export type LocalContext = Pick<ExtensionContext, 'caller' | 'signal' | 'workers' | 'catalog' | 'parsedFiles'>;

/** A model that `consult` would call. */
export interface PlannedConsultation {
  readonly kind: ConsultationKind;
  /** The first of them that can be planned is sent. */
  readonly requests: readonly ModelRequest[];
  /** The limit for the uses of all its tools together. */
  readonly toolUsesMax: number;
  /** False: the output of other models will be part of the requests, so their bound is unknown. */
  readonly isWhole: boolean;
}

/** Calls that a plugin requires. */
export interface RequiredCalls {
  readonly calls: readonly PlannedConsultation[];
  /** Whether one of the calls is sufficient. */
  readonly isAnyOf?: boolean;
}

/** The part of the context that exists before any call. */
export type PlanningContext = Pick<ExtensionContext, 'catalog' | 'isSandbox'>;

/** Reports a stage. */
export type NoteStage = (note: StageNote) => void;

/**
 * Tokens that remain of a text that may be shortened (`TextBlock.keeps`), as `textTokens` counts them. Chosen.
 */
export const SHORTENED_LEAST = 1_000;

/** Filters the events of one answer before they are sent. */
export interface ReplyWatch {
  /**
   * @param batch every batch of the reply; with the last, the events that were held back are released at the latest
   * @returns the events to send now, which obey the grammar; empty: none yet
   * @throws GatewayError to end the reply: a `ReplyRefused` where the caller pays for what came
   */
  pass(batch: Batch): Batch | Promise<Batch>;
  /** Milliseconds that held-back events may wait for more; undefined: none are held back. */
  readonly overdueMs?: number | undefined;
  /** Called after that time. @returns and throws as `pass` */
  release?(): Batch | Promise<Batch>;
}

/**
 * A stage of a request that callers and defaults enable by its id. Each is one folder and one line in the list of
 * plugins, whose order applies in every hook; each hook is optional. A failing hook fails the request, unless the
 * plugin is skippable (docs/use/tools-and-plugins.md#the-order-of-plugins).
 * @typeParam Options its fields in `plugins[]`, as `options` defines them
 */
export interface Plugin<Options extends JsonObject = JsonObject> {
  readonly id: string;
  /** Fields of its entry besides `id`: the schemas and the API description include them automatically. */
  readonly options: Readonly<Record<string, OptionsSchema>>;
  /** The options that enable it where neither request nor default names it. Absent: it is off. */
  readonly whenNotRequested?: Options;
  /**
   * Whether it applies to a request. Called only for conversations that are not plain text (`traitsOf`); must be fast.
   * Absent: it applies to every request.
   */
  concerns?(request: ModelRequest): boolean;
  /** The type of its stages in the routing metadata's `pipeline`. Absent: `plugin`. */
  readonly stageType?: 'plugin' | 'context_compression' | 'guardrail';
  /** A failure before the answer skips it, with a stage that states so. */
  readonly isSkippable?: boolean;
  /** Names for a request's `model` that enable this plugin, which then chooses the model. */
  readonly models?: readonly string[];
  /**
   * The models to try, where the request has one of its `models`. Pure.
   * @throws GatewayError `not-found` where none is left
   */
  choose?(request: ModelRequest, options: Options, inputs: ChoiceInputs): Choice;
  /** Changes the request before it is planned, also for a count of tokens or an explanation. */
  prepare?(request: ModelRequest, options: Options, context: LocalContext): Prepared | Promise<Prepared>;
  /**
   * The highest charge of `consult`, whatever the plugins before it add. Reserved for all plugins before the first
   * begins. Models that it consults are reserved separately. Absent: nothing.
   */
  price?(request: ModelRequest, options: Options, context: ExtensionContext): PicoUsd;
  /**
   * The minimum of tokens that `consult` adds to the prompt, as `textTokens` counts them: reserved with its price. A
   * text that may be shortened counts `SHORTENED_LEAST` beside what it keeps. Absent: none.
   */
  addedTokens?(request: ModelRequest, options: Options, context: ExtensionContext): number;
  /**
   * The part of `addedTokens` that is held for already, because the text replaces files whose pages count. Limits of
   * tokens do not count pages. Absent: none.
   */
  heldTokens?(request: ModelRequest): number;
  /** Whether `consult` has anything to call for a prepared request. Absent: always. */
  consults?(request: ModelRequest): boolean;
  /** The models that `consult` would call, for an explanation. Pure. */
  planConsultations?(
    request: ModelRequest,
    options: Options,
    context: PlanningContext,
  ): readonly PlannedConsultation[] | Promise<readonly PlannedConsultation[]>;
  /**
   * The model calls that it requires: reserved before other plugins buy anything. For a plugin that reviews, the calls
   * that judge `tokens` tokens; for another, its own calls beside the `tokens` that others add to the prompt. Pure.
   */
  requires?(request: ModelRequest, options: Options, context: PlanningContext, tokens: number): RequiredCalls;
  /**
   * Calls a model or an external service, after the hold and before the model of the request.
   * @param note for a stage that is reported if it throws
   */
  consult?(request: ModelRequest, options: Options, context: ExtensionContext, note: NoteStage): Promise<Consulted>;
  /**
   * Judges what another plugin added from an external source, before any model reads it. The `consult` of a reviewing
   * plugin runs before all others, so that the caller's content is judged before anything is bought for it.
   * @param added the request with only that content
   * @throws GatewayError where it must not be read
   */
  review?(added: ModelRequest, options: Options, context: ExtensionContext, note: NoteStage): Promise<void>;
  /**
   * Endpoints of up to `contextMax` tokens are not excluded for the length of the request, because `fit` shortens it;
   * for larger ones `fit` is not called. Pure.
   */
  shortens?(options: Options): { readonly contextMax: number };
  /**
   * The request as one leg can take it, before it is sent: synchronous where it is short. Its note is reported where
   * that leg answers. Pure.
   */
  fit?(request: ModelRequest, leg: Leg, options: Options): Prepared | Promise<Prepared>;
  /**
   * The model calls that `watch` makes for the beginning of an answer: reserved before anything is bought for it. Pure.
   */
  planWatchConsultations?(
    request: ModelRequest,
    options: Options,
    context: PlanningContext,
  ): readonly PlannedConsultation[];
  /** One watch for each answer; undefined where there is nothing to watch. */
  watch?(request: ModelRequest, options: Options, context: ExtensionContext, note: NoteStage): ReplyWatch | undefined;
}
