import type { CancelSignal } from './cancellation.js';
import type { ProviderFault } from './errors.js';
import type { Target, UpstreamCall, UpstreamFailure } from './provider.js';
import type { DialectId } from './routing/catalog.js';
import type { Secret } from './secret.js';
import type { SseFrame } from './stream/sse.js';
import type { StreamStage } from './stream/stream-stage.js';
import type { RequestField } from './translation.js';

/** Names in lower case. */
export type CallHeaders = Readonly<Record<string, string>>;

/** The JSON text of a body as it is sent; a large one as UTF-8 in parts. */
export type PrintedBody = string | readonly Buffer[];

/** The target and credential of a call. */
export interface CallContext {
  readonly target: Target;
  /** Absent where the provider requires none. Its text may be structured, in the platform's own form. */
  readonly credential: Secret | undefined;
}

/** An address whose host a caller specified, in the credential of the caller. */
export interface GuardedAddress {
  readonly url: string;
  /** The address is reached like URLs of callers: at public addresses, and at those that the operator lists. */
  readonly isGuarded: true;
}

/** A call as it is sent, without the headers that authorise it. */
export interface PrintedCall {
  /** Absolute. No part of it comes from the caller, except as `isGuarded` states. */
  readonly url: string;
  readonly isGuarded?: true | undefined;
  readonly headers: CallHeaders;
  readonly body: PrintedBody;
}

/**
 * Addresses, authorisation and framing of a provider's calls, independent of their content: the axis beside `Dialect`.
 * Safe to share; state between calls, such as a token, is stored by credential.
 */
export interface Platform {
  /**
   * The model's name at the provider where the credential defines one; else that of the endpoint applies.
   * @throws ProviderFault, as `address` does
   */
  modelOf?(context: CallContext): string | undefined;
  /**
   * Adapts the dialect's call to this platform: for example, the model moves from the body to the address. Absent:
   * unchanged. It receives no credential, because the sent body may be shown to the caller.
   * @throws Untranslatable when the request contains something that the platform does not accept and that no rule
   *   allows to drop
   */
  adapt?(call: UpstreamCall, target: Target): UpstreamCall;
  /**
   * False: no service behind the platform fetches media by address for calls of this dialect, so that it receives
   * bytes, in the request where the dialect leaves addresses in it. Absent: the dialect decides.
   */
  fetchesMedia?(dialect: DialectId): boolean;
  /**
   * Whether a field that a request sets reaches the provider here: false for fields that `adapt` removes, true for
   * fields that the platform sends in its own form. Undefined: the dialect's table decides.
   */
  carries?(parameter: RequestField, target: Target): boolean | undefined;
  /** Whether a beta that the dialect names is kept. Absent: every one is. */
  carriesBeta?(beta: string, target: Target): boolean;
  /** Whether the calls by which this dialect counts tokens work here. Absent: they do. */
  counts?(dialect: DialectId): boolean;
  /** Whether the calls of its tasks do. Absent: they do. */
  doesTasks?(dialect: DialectId): boolean;
  /**
   * The absolute URL of the call. The platform fills the placeholders of the base URL, such as `{region}`. An address
   * from the credential of a caller is guarded, unless its host is the vendor's own.
   * @throws ProviderFault `refused-credential` when the credential lacks a part of the address
   */
  address(context: CallContext, call: UpstreamCall): string | GuardedAddress;
  /**
   * The headers that authorise the call; they replace those of the same name. Headers of the connection (`host`,
   * `content-length`, …) belong to the transport: they may be signed, and are not sent from here.
   * | Work that several calls share must not end with this call's signal: an aborted call leaves without waiting for
   * it.
   * @throws ProviderFault, or the promise rejects with one
   */
  authorise(context: CallContext, call: PrintedCall, signal: CancelSignal): CallHeaders | Promise<CallHeaders>;
  /**
   * Reads the frames of a streamed reply from its bytes, cut anywhere, and throws a `ProviderFault` for a failure that
   * is framed. One per reply. Undefined: the reply is one JSON document, although a stream was requested. Does not
   * throw itself.
   */
  frames(headers: UpstreamFailure['headers']): StreamStage<Uint8Array, SseFrame> | undefined;
  /**
   * Why a call without a 2xx failed, where the platform failed it and not the model behind it. Undefined: the dialect
   * decides.
   */
  fault?(failure: UpstreamFailure, context: CallContext): ProviderFault | undefined;
}
