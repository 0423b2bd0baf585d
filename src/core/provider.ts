import type { ModelEvent } from './conversation/event.js';
import type { ModelRequest } from './conversation/request.js';
import type { ProviderFault } from './errors.js';
import type { Base64Text } from './json/base64-text.js';
import type { Json, Vendor } from './json/json.js';
import type { Quirks } from './quirks.js';
import type { DialectId, Model, Endpoint } from './routing/catalog.js';
import type { ServiceTier } from './routing/plan.js';
import type { Steps } from './steps.js';
import type { SseFrame } from './stream/sse.js';
import type { Step } from './stream/step.js';
import type { TranslationTable } from './translation.js';

/**
 * How the platform `direct` puts a credential on a call: as a bearer token, or in the header of this name. `none`, on
 * any platform: the provider wants none.
 */
export type CredentialScheme = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'api-key' | 'none';

/** Which top-level fields that no face declares a provider is sent (docs/translation.md#fields-nobody-declared). */
export type UndeclaredFields =
  /** All but these; of these the values listed, which ask for nothing that speaks against the field. */
  { readonly allBut: ReadonlyMap<string, readonly Json[]> } | { readonly only: ReadonlySet<string> };

/** What is known of a provider beyond the catalog file. */
export interface ProviderDefinition {
  readonly slug: string;
  readonly credential: CredentialScheme;
  readonly quirks: Quirks;
  /** Absent: none. */
  readonly undeclared?: UndeclaredFields;
}

/** Where one attempt goes. It holds no secret: the credential is put on afterwards, by its scheme. */
export interface Target {
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** How it is asked to serve. */
  readonly tier: ServiceTier;
  /** Its data may be neither collected nor kept (`Leg.refusesKeeping`). */
  readonly refusesKeeping?: boolean | undefined;
  readonly definition: ProviderDefinition;
}

/**
 * A URL in the request that the target wants as bytes; fetched before the target is called, by the SSRF-proof fetch,
 * and once for all targets of a generation.
 */
export interface RequiredMedia {
  readonly url: string;
  /** Which kinds may come back. */
  readonly accept: 'image' | 'document';
  /** The field, for errors: `messages.0.content.1.source.url`. */
  readonly path: string;
}

export interface Media {
  readonly mediaType: string;
  readonly base64: Base64Text;
}

/** By URL, everything that `requiredMedia` named. */
export type FetchedMedia = ReadonlyMap<string, Media>;

/** A call ready to be sent, but for its credential. */
export interface UpstreamCall {
  /**
   * Of the dialect's own address, behind the provider's base URL; begins with a slash. A platform may put another in
   * its place.
   */
  readonly path: string;
  /** Lower-case names; only what this dialect allows. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is sent as JSON. Not printed yet: what is large is printed in pieces. */
  readonly body: object;
  readonly stream: boolean;
}

/** A call the provider answered, but not with a 2xx. */
export interface UpstreamFailure {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** At most the first 64 KiB. */
  readonly body: string;
}

/**
 * How an upstream talks: pure functions, safe to share; what may take long is done in steps, and in one where it does
 * not. Nothing here knows addresses, credentials, framings or sockets; those are the affair of its `Platform`.
 */
export interface Dialect {
  readonly id: DialectId;
  /** Whose values it prints as they came. */
  readonly vendor: Vendor;
  readonly defaultCredential: CredentialScheme;
  /** It misbehaves where a caller asks it to: its failures are no sign of health. */
  readonly failsOnPurpose?: boolean;
  /** The media that the target needs in the body. Absent: upstreams of this dialect fetch addresses themselves. */
  requiredMedia?(request: ModelRequest, target: Target): readonly RequiredMedia[];
  /** What it maps, drops and refuses: what its encoder and decoder go by. */
  readonly table: TranslationTable<Target>;
  /** @throws Untranslatable when the request holds something that this target cannot carry and no rule lets drop */
  encode(request: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall>;
  /**
   * One per reply. Throws a `ProviderFault` for error frames and malformed ones; `end` throws when the reply had not
   * ended.
   */
  decodeStream(context: DecodeContext): Step<SseFrame, ModelEvent>;
  /**
   * The events of a finished stream, from a whole reply. Throws a `ProviderFault` for an error inside a 200 and a
   * malformed body.
   */
  decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]>;
  /** Why a call that was not a 2xx failed. Tolerates any body. */
  fault(failure: UpstreamFailure): ProviderFault;
  /** Absent where its format has no way to ask. */
  readonly counting?: TokenCounting;
}

/** How an upstream counts the tokens of a prompt without answering it. */
export interface TokenCounting {
  /** @throws Untranslatable as `Dialect.encode` does */
  encode(request: ModelRequest, target: Target): Steps<UpstreamCall>;
  /** Throws a `ProviderFault` for a reply that holds no count. */
  decode(body: unknown): CountedPrompt;
}

/** How many tokens a prompt has. */
export interface CountedPrompt {
  readonly inputTokens: number;
  /** Before its context was edited; absent: nothing is said of that. */
  readonly originalInputTokens?: number;
}

/** What a decoder may need of the request it reads the answer to: tool names that were mapped, say. */
export interface DecodeContext {
  readonly request: ModelRequest;
  readonly target: Target;
}
