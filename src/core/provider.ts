import type { NumberLists } from './json/number-lists.js';
import type { ModelEvent } from './conversation/event.js';
import type { ModelRequest } from './conversation/request.js';
import type { TaskKind } from './conversation/task.js';
import type { ProviderFault } from './errors.js';
import type { Base64Text } from './json/base64-text.js';
import type { Json, Vendor } from './json/json.js';
import type { Quirks } from './quirks.js';
import type { DialectId, Model, Endpoint } from './routing/catalog.js';
import type { ServiceTier } from './routing/plan.js';
import type { Steps } from './steps.js';
import type { SseFrame } from './stream/sse.js';
import type { StreamStage } from './stream/stream-stage.js';
import type { TranslationTable } from './translation.js';

/**
 * The form in which the platform `direct` adds a credential to a call: as a bearer token, or in the header of this
 * name. `none`, on any platform: the provider requires none.
 */
export type CredentialScheme = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'api-key' | 'none';

/** The undeclared top-level fields that a provider receives (docs/use/translation.md#undeclared-fields). */
export type UndeclaredFields =
  /** All but these; these only with one of the listed values, which have no effect. */
  { readonly allBut: ReadonlyMap<string, readonly Json[]> } | { readonly only: ReadonlySet<string> };

/** Properties of a provider that the code states, besides those of the catalog file. */
export interface ProviderDefinition {
  readonly slug: string;
  readonly credential: CredentialScheme;
  readonly quirks: Quirks;
  /** Absent: none. */
  readonly undeclared?: UndeclaredFields;
}

/** The destination of one attempt. It contains no secret: the credential is added afterwards, by its scheme. */
export interface Target {
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** The service tier that it requests. */
  readonly tier: ServiceTier;
  /** Whether the provider must neither collect nor store the data of the call (`Leg.refusesKeeping`). */
  readonly refusesKeeping?: boolean | undefined;
  readonly definition: ProviderDefinition;
}

/**
 * A URL in the request that the target needs as bytes; fetched before the target is called, by the SSRF-proof fetch,
 * and once for all targets of a generation.
 */
export interface RequiredMedia {
  readonly url: string;
  /** The accepted kind. */
  readonly accept: 'image' | 'document';
  /** The field, for errors: `messages.0.content.1.source.url`. */
  readonly path: string;
}

export interface Media {
  readonly mediaType: string;
  readonly base64: Base64Text;
}

/** Everything that `requiredMedia` named, by URL. */
export type FetchedMedia = ReadonlyMap<string, Media>;

/** A call ready to be sent, without its credential. */
export interface UpstreamCall {
  /** The path of the dialect, appended to the provider's base URL; begins with a slash. A platform may replace it. */
  readonly path: string;
  /** Lower-case names; only those that this dialect allows. */
  readonly headers: Readonly<Record<string, string>>;
  /** The value that is sent as JSON. Not printed yet, because large bodies are printed in pieces. */
  readonly body: object;
  readonly stream: boolean;
}

/** A call that the provider did not answer with a 2xx. */
export interface UpstreamFailure {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first 64 KiB of the body at most. */
  readonly body: string;
}

/** Encodes one kind of call, and decodes its whole reply. */
export interface CallCodec {
  /** Names of members of a whole reply that are long lists of numbers, or lists of them. Absent: there are none. */
  readonly vectorNames?: readonly string[];
  /**
   * @throws Untranslatable when the request contains something that this target cannot carry and no rule allows to drop
   */
  encode(request: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall>;
  /**
   * The events of a finished stream, from a whole reply. Throws a `ProviderFault` for an error inside a 200 and a
   * malformed body.
   */
  decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]>;
}

/** The calls of a task (`core/conversation/task.ts`). */
export interface TaskCodec extends CallCodec {
  /** The most inputs of one call, and tokens of all of them together: more are sent in several. Absent: any number. */
  limits?(target: Target): { readonly inputs: number; readonly tokens?: number };
  /** Names of the fields of a request that the target does not receive. Absent: it receives all. */
  dropped?(request: ModelRequest, target: Target): readonly string[];
}

/**
 * The format of an upstream: pure functions, safe to share; long work is done in steps, short work in one. A dialect
 * knows no addresses, credentials, framings or sockets; its `Platform` does.
 */
export interface Dialect extends CallCodec {
  readonly id: DialectId;
  /** The vendor whose values it prints unchanged. */
  readonly vendor: Vendor;
  readonly defaultCredential: CredentialScheme;
  /** Whether calls fail on request (sandbox): their faults do not affect the endpoint's health. */
  readonly failsOnPurpose?: boolean;
  /** The media that the target needs in the body. Absent: upstreams of this dialect fetch addresses themselves. */
  requiredMedia?(request: ModelRequest, target: Target): readonly RequiredMedia[];
  /** Fields and blocks that it maps, drops and refuses; encoder and decoder read the table. */
  readonly table: TranslationTable<Target>;
  /**
   * The decoder of one reply. It throws a `ProviderFault` for error frames and malformed ones; `end` throws when the
   * reply had not ended.
   */
  decodeStream(context: DecodeContext): StreamStage<SseFrame, ModelEvent>;
  /** Why a call without a 2xx failed. Tolerates any body. */
  fault(failure: UpstreamFailure): ProviderFault;
  /** Absent where its format has no such call. */
  readonly counting?: TokenCounting;
  /** Codecs of the tasks that its format has calls for. */
  readonly tasks?: Readonly<Partial<Record<TaskKind, TaskCodec>>>;
}

/** The upstream's route that counts the tokens of a prompt without answering it. */
export interface TokenCounting {
  /** @throws Untranslatable as `Dialect.encode` does */
  encode(request: ModelRequest, target: Target): Steps<UpstreamCall>;
  /** Throws a `ProviderFault` for a reply that holds no count. */
  decode(body: unknown): CountedPrompt;
}

/** The number of tokens of a prompt. */
export interface CountedPrompt {
  readonly inputTokens: number;
  /** Before its context was edited; absent: not reported. */
  readonly originalInputTokens?: number;
}

/** The facts about a request that the decoder of its answer may need, such as mapped tool names. */
export interface DecodeContext {
  readonly request: ModelRequest;
  readonly target: Target;
  /** Headers of a whole reply: some providers state figures there. Lower-case names. */
  readonly headers?: UpstreamFailure['headers'] | undefined;
  /** The long lists of numbers in a reply of a codec with `vectorNames`. */
  readonly numberLists?: NumberLists | undefined;
}
