import { SetMetadata } from '@nestjs/common';
import type { ErrorKind } from '../../core/errors.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Static, TSchema } from './schema.js';

/** Metadata key: what the handler answers. */
const ANSWER = 'fairlead:answer';
/** Metadata key: the description does not tell of the route. */
const UNLISTED = 'fairlead:unlisted';

/** What is told of a route beyond what its other decorators and its DTOs say. */
export interface AnswerFacts {
  /** One sentence, without its full stop. */
  readonly summary: string;
  /** Further sentences. */
  readonly description?: string;
  /** Bodies that the route takes as they stand here, by name: a test sends each of them. */
  readonly examples?: Readonly<Record<string, JsonObject>>;
  /** DTOs of a body that the handler reads by itself: any of them. */
  readonly bodies?: readonly (new () => object)[];
  /** Request headers that the handler reads, with their meaning. All may be left out. */
  readonly reads?: Readonly<Record<string, string>>;
  /** Response headers worth knowing, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Type of a reply that is no JSON. */
  readonly contentType?: string;
  /** The payload of one event, where the body's `stream` asks for `text/event-stream`. */
  readonly events?: TSchema;
  /** A status other than the handler's own with a reply of the same form. */
  readonly alsoWith?: { readonly status: number; readonly meaning: string };
  /** Kinds of error beyond those that the form of the route tells of. */
  readonly errors?: readonly ErrorKind[];
}

export interface DescribedReply extends AnswerFacts {
  readonly reply: TSchema;
}

/** What a handler may return: the reply, its printed text, or nothing where it writes the response by itself. */
type Returned<Reply> = Reply | string | undefined | Promise<Reply | string | void>;

/**
 * What the route answers, for `GET /openapi.json`. A handler that returns something else than the schema says does not
 * compile. Costs nothing per request.
 */
export const Answers =
  <Reply extends TSchema>(reply: Reply, facts: AnswerFacts) =>
  <Handler extends (...given: never[]) => Returned<Static<Reply>>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    SetMetadata(ANSWER, { reply, ...facts } satisfies DescribedReply)(target, key, descriptor);
  };

/** What `@Answers` says of a handler. */
export const answerOf = (handler: object): DescribedReply | undefined =>
  Reflect.getMetadata(ANSWER, handler) as DescribedReply | undefined;

/** The route serves a page of ours, or leads to one: it is no part of the API, nor of its description. */
export const Unlisted = (): MethodDecorator => SetMetadata(UNLISTED, true);

export const isUnlisted = (handler: object): boolean => Reflect.hasMetadata(UNLISTED, handler);
