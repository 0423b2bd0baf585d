import type { CancelSignal } from './cancellation.js';
import type { ProviderFault } from './errors.js';
import type { Target, UpstreamCall, UpstreamFailure } from './provider.js';
import type { DialectId } from './routing/catalog.js';
import type { Secret } from './secret.js';
import type { SseFrame } from './stream/sse.js';
import type { Step } from './stream/step.js';
import type { RequestField } from './translation.js';

/** Names in lower case. */
export type CallHeaders = Readonly<Record<string, string>>;

/** The JSON text of a body as it is sent; a large one as UTF-8 in parts. */
export type PrintedBody = string | readonly Buffer[];

/** Whose call it is. */
export interface CallContext {
  readonly target: Target;
  /** Absent where the provider wants none. Its text may be structured, in the platform's own form. */
  readonly credential: Secret | undefined;
}

/** An address whose host a caller named, in a credential of the caller's own. */
export interface GuardedAddress {
  readonly url: string;
  /** It is reached as URLs of callers are: at public addresses, and at what the operator lists. */
  readonly isGuarded: true;
}

/** A call as it goes out, but for what authorises it. */
export interface PrintedCall {
  /** Absolute. Nothing of it comes from the caller, but for what `isGuarded` says. */
  readonly url: string;
  readonly isGuarded?: true | undefined;
  readonly headers: CallHeaders;
  readonly body: PrintedBody;
}

/**
 * How a provider is addressed, authorised and framed, whatever is said to it: the axis beside `Dialect`. Safe to share;
 * what one keeps between calls, such as a token, it keeps by credential.
 */
export interface Platform {
  /**
   * The model's name at the provider, where the credential has one of its own for it; else that of the endpoint.
   * @throws ProviderFault, as `address` does
   */
  modelOf?(context: CallContext): string | undefined;
  /**
   * The dialect's call as this platform takes it: the model in the address and not in the body, say. Absent: as it is.
   * It is given no credential, because what was sent may be shown to the caller.
   * @throws Untranslatable when the request holds something that is not taken here and no rule lets drop
   */
  adapt?(call: UpstreamCall, target: Target): UpstreamCall;
  /**
   * False: nobody behind it fetches media by address for calls of this dialect. It is given bytes then, in the request
   * where the dialect leaves addresses in it. Absent: the dialect says.
   */
  fetchesMedia?(dialect: DialectId): boolean;
  /**
   * Whether a field that a request sets reaches the provider here: false for what `adapt` leaves out, true for what the
   * platform tells in its own words. Undefined: the dialect's table says.
   */
  carries?(parameter: RequestField, target: Target): boolean | undefined;
  /** Whether a beta that the dialect names stays named. Absent: every one does. */
  carriesBeta?(beta: string, target: Target): boolean;
  /** Whether calls by which this dialect counts tokens can be made here. Absent: they can. */
  counts?(dialect: DialectId): boolean;
  /**
   * Where the call goes: an absolute URL. The base URL's placeholders, such as `{region}`, are the platform's to fill.
   * An address that the credential of a caller names is guarded, unless it is of the vendor's own hosts.
   * @throws ProviderFault `refused-credential` when the credential lacks what the address is made of
   */
  address(context: CallContext, call: UpstreamCall): string | GuardedAddress;
  /**
   * The headers that authorise the call; they replace those of the same name. Headers of the connection (`host`,
   * `content-length`, …) are the transport's: they may be signed, and are not sent from here.
   *
   * Work that several calls share must not end with this call's signal: a call that is aborted leaves without waiting
   * for it.
   * @throws ProviderFault, or the promise rejects with one
   */
  authorise(context: CallContext, call: PrintedCall, signal: CancelSignal): CallHeaders | Promise<CallHeaders>;
  /**
   * Reads the frames of a streamed reply from its bytes, cut anywhere, and throws a `ProviderFault` for a failure that
   * is framed. One per reply. Undefined: the reply came whole, as JSON, though a stream was asked for. Does not throw
   * itself.
   */
  frames(headers: UpstreamFailure['headers']): Step<Uint8Array, SseFrame> | undefined;
  /**
   * Why a call that was not a 2xx failed, where the platform failed it and not the model behind. Undefined: the dialect
   * tells.
   */
  fault?(failure: UpstreamFailure, context: CallContext): ProviderFault | undefined;
}
