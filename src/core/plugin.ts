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

/** Where the options of a plugin are said, for errors: those of a default, or of a model's name, by its id. */
export function pluginPath({ plugins }: Pick<ModelRequest, 'plugins'>, id: string): string {
  const at = plugins.findIndex((entry) => entry.id === id);
  return `plugins.${at === -1 ? id : at}`;
}

/** What a stage changed or judged, in words for the routing metadata's `pipeline`. Never content. */
export interface StageNote {
  readonly summary: string;
  readonly data?: JsonObject;
}

/** A request as a plugin leaves it. */
export interface Prepared {
  readonly request: ModelRequest;
  /** Absent: it did nothing, and nothing is told. */
  readonly note?: StageNote;
  /** Files that it turned into words: told with the answer. */
  readonly files?: readonly ParsedFile[];
}

/** A request as a plugin leaves it that consulted somebody outside. What that costs is charged by `context.charge`. */
export interface Consulted extends Prepared {
  /** Pages that it brought: cited by those blocks of the answer that use them. */
  readonly sources?: readonly WebCitation[];
  /** What it added are words of models that it consulted: they are not reviewed. */
  readonly isOfModels?: boolean;
}

/** What work before the plan is given: nothing that costs, and nobody outside. */
export type LocalContext = Pick<ExtensionContext, 'caller' | 'signal' | 'workers' | 'catalog' | 'parsedFiles'>;

/** A model that `consult` would ask. */
export interface ForeseenCall {
  readonly kind: ConsultationKind;
  /** The first of them that can be planned is asked. */
  readonly requests: readonly ModelRequest[];
  /** Uses of all its tools together. */
  readonly toolUsesMax: number;
  /** False: what others say is to be part of it, so that its bound is not known. */
  readonly isWhole: boolean;
}

/** What is known before anything is asked. */
export type Foresight = Pick<ExtensionContext, 'catalog' | 'isSandbox'>;

/** Reports a stage. */
export type NoteStage = (note: StageNote) => void;

/** Tokens that remain of a text that may be shortened (`TextBlock.keeps`), as `textTokens` counts them. Chosen. */
export const SHORTENED_LEAST = 1_000;

/** The events of one answer on their way out. */
export interface ReplyWatch {
  /**
   * @param batch none is left out, and the last one ends the reply: what was held back goes out with it at the latest
   * @returns what goes out now, which obeys the grammar; empty: nothing yet
   * @throws GatewayError where the caller is to have no more of it: a `ReplyRefused` where what came is his to pay
   */
  tell(batch: Batch): Batch | Promise<Batch>;
  /** How long what it holds back may wait for more, in milliseconds; undefined: it holds nothing back. */
  readonly overdueMs?: number | undefined;
  /** That time is over. @returns and throws as `tell` */
  release?(): Batch | Promise<Batch>;
}

/**
 * Part of the way of a request, which callers and defaults switch on by its id. One file and one line in the list of
 * plugins, whose order is theirs in every hook; each hook is optional. A hook that fails fails the request, unless the
 * plugin is skippable (docs/wire/tools-and-plugins.md#the-order-of-plugins).
 * @typeParam Options what is said of it in `plugins[]`, as `options` has it
 */
export interface Plugin<Options extends JsonObject = JsonObject> {
  readonly id: string;
  /** Fields of its entry beside `id`: they join the bodies and the description by themselves. */
  readonly options: Readonly<Record<string, OptionsSchema>>;
  /** On where nobody speaks of it, with these options. Absent: off. */
  readonly unasked?: Options;
  /**
   * Whether a request has anything for it. Not asked of conversations of plain texts (`traitsOf`), but of all others:
   * it takes no time. Absent: every request.
   */
  concerns?(request: ModelRequest): boolean;
  /** The type of its stages in the routing metadata's `pipeline`. Absent: `plugin`. */
  readonly stageType?: 'plugin' | 'context_compression' | 'guardrail';
  /** A failure before the answer leaves it out, visibly. */
  readonly isSkippable?: boolean;
  /** Names that a request's `model` may have: each asks for this plugin, which chooses in its place. */
  readonly models?: readonly string[];
  /**
   * The models to try, where the request names one of its `models`. Pure.
   * @throws GatewayError `not-found` where nothing is left
   */
  choose?(request: ModelRequest, options: Options, inputs: ChoiceInputs): Choice;
  /** The request as it goes on: before it is planned, also for a count of tokens or an explanation. */
  prepare?(request: ModelRequest, options: Options, context: LocalContext): Prepared | Promise<Prepared>;
  /**
   * The most that `consult` is charged, whatever those before it bring. It is reserved for all of them before the first
   * one begins. Models that it consults are reserved apart. Absent: nothing.
   */
  price?(request: ModelRequest, options: Options, context: ExtensionContext): PicoUsd;
  /**
   * Tokens that `consult` adds to the prompt at least, as `textTokens` counts them: reserved with its price. What may
   * be shortened counts `SHORTENED_LEAST` beside what it keeps. Absent: none.
   */
  growth?(request: ModelRequest, options: Options, context: ExtensionContext): number;
  /** Whether `consult` has anybody to ask, of a request that is prepared. Absent: always. */
  consults?(request: ModelRequest): boolean;
  /** The models that `consult` would ask, for an explanation. Pure. */
  foresee?(
    request: ModelRequest,
    options: Options,
    foresight: Foresight,
  ): readonly ForeseenCall[] | Promise<readonly ForeseenCall[]>;
  /**
   * Consults somebody outside, behind the hold and before the model.
   * @param note for a stage that is reported where it throws
   */
  consult?(request: ModelRequest, options: Options, context: ExtensionContext, note: NoteStage): Promise<Consulted>;
  /**
   * Judges what another plugin brought from outside, before anybody reads it. A plugin that reviews has its `consult`
   * before all others, so that the caller's own words are judged before anything is bought for them.
   * @param brought the request with nothing but that
   * @throws GatewayError where it may not be read
   */
  review?(brought: ModelRequest, options: Options, context: ExtensionContext, note: NoteStage): Promise<void>;
  /**
   * What it makes shorter is not left out for its length: endpoints of up to `contextMax` tokens. For others its `fit`
   * is not asked. Pure.
   */
  shortens?(options: Options): { readonly contextMax: number };
  /**
   * The request as one leg can take it, before it is sent there: at once where it is short. Its note is told where that
   * leg answers. Pure.
   */
  fit?(request: ModelRequest, leg: Leg, options: Options): Prepared | Promise<Prepared>;
  /** One for each answer; undefined where there is nothing to watch. */
  watch?(request: ModelRequest, options: Options, context: ExtensionContext, note: NoteStage): ReplyWatch | undefined;
}
