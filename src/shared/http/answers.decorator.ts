import { SetMetadata } from '@nestjs/common';
import type { ErrorKind } from '../../core/errors.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Static, TSchema } from './schema.js';

/** Metadata key: the reply of the handler. */
const ANSWER = 'fairlead:answer';
/** Metadata key: the route is not in the description. */
const UNLISTED = 'fairlead:unlisted';

/** Facts about a route beyond its other decorators and its DTOs. */
export interface AnswerFacts {
  /** One sentence, without its full stop. */
  readonly summary: string;
  /** Further sentences. */
  readonly description?: string;
  /** Valid bodies of the route by name: a test sends each of them. */
  readonly examples?: Readonly<Record<string, JsonObject>>;
  /** DTOs of a body that the handler reads by itself: any of them. */
  readonly bodies?: readonly (new () => object)[];
  /** Request headers that the handler reads, with their meaning. All are optional. */
  readonly reads?: Readonly<Record<string, string>>;
  /** Response headers worth documenting, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Type of a reply that is not JSON. */
  readonly contentType?: string;
  /** Further types of the reply, which a parameter requests. */
  readonly alsoAs?: readonly string[];
  /** The payload of one event, where the body's `stream` requests `text/event-stream`. */
  readonly events?: TSchema;
  /** A second status with a reply of the same form. */
  readonly alsoWith?: { readonly status: number; readonly meaning: string };
  /** Kinds of error beyond those that follow from the form of the route. */
  readonly errors?: readonly ErrorKind[];
}

export interface DescribedReply extends AnswerFacts {
  readonly reply: TSchema;
}

/** The types that a handler may return: the reply, its printed text, or nothing if it writes the response. */
type Returned<Reply> = Reply | string | undefined | Promise<Reply | string | void>;

/**
 * The reply of the route, for `GET /openapi.json`. A handler whose return type contradicts the schema does not compile.
 * Costs nothing per request.
 */
export const Answers =
  <Reply extends TSchema>(reply: Reply, facts: AnswerFacts) =>
  <Handler extends (...parameters: never[]) => Returned<Static<Reply>>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    SetMetadata(ANSWER, { reply, ...facts } satisfies DescribedReply)(target, key, descriptor);
  };

/** The `@Answers` facts of a handler. */
export const answerOf = (handler: object): DescribedReply | undefined =>
  Reflect.getMetadata(ANSWER, handler) as DescribedReply | undefined;

/** The route serves an HTML page or what such a page loads. It is not part of the API or its description. */
export const Unlisted = (): MethodDecorator => SetMetadata(UNLISTED, true);

export const isUnlisted = (handler: object): boolean => Reflect.hasMetadata(UNLISTED, handler);
