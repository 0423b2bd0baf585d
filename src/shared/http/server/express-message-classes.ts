import { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';

/** The classes of requests and responses of a server: passed to `createServer`, one pair per application. */
export interface ExpressMessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** The parts of an Express application that define requests and responses. */
interface ExpressApp {
  request: Request;
  response: Response;
}

/** Counts the pieces of its body, because its reader receives several pieces as one. */
interface ServedRequest extends IncomingMessage {
  readonly pieces: number;
}

/** @returns the number of pieces of the body so far: reads of the socket, or chunks as framed */
export const piecesOf = (request: IncomingMessage): number => (request as ServedRequest).pieces;

/** Node's plain classes, until an application adopts them. */
export function makeMessageClasses(): ExpressMessageClasses {
  return {
    IncomingMessage: class extends IncomingMessage implements ServedRequest {
      pieces = 0;

      override push(piece: unknown, encoding?: BufferEncoding): boolean {
        this.pieces++;
        return super.push(piece, encoding);
      }
    },
    ServerResponse: class<From extends IncomingMessage> extends ServerResponse<From> {},
  };
}

/**
 * Gives requests and responses the prototypes of Express when they are created. Express changes the prototype of each
 * on arrival, and an object with a changed prototype is not collected young: a third of a request's allocations
 * outlived it, and each collection took ten times as long (docs/contribute/decisions/0087). A prototype that is already
 * right is left alone.
 */
export function adoptMessageClasses(app: ExpressApp, classes: ExpressMessageClasses): void {
  const request = classes.IncomingMessage.prototype;
  const response = classes.ServerResponse.prototype;
  Object.setPrototypeOf(request, app.request);
  Object.setPrototypeOf(response, app.response);
  app.request = request as Request;
  app.response = response as Response;
}
