import { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';

/** The kinds of object a server makes for each request: given to `createServer`, one pair for each application. */
export interface ServedMessages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** An Express application as far as it says what requests and replies are. */
interface ExpressApp {
  request: Request;
  response: Response;
}

/** Counts what its body comes in, for its reader is given several pieces as one. */
interface ServedRequest extends IncomingMessage {
  readonly pieces: number;
}

/** @returns in how many pieces the body has come so far: reads of the socket, or chunks as they were framed */
export const piecesOf = (request: IncomingMessage): number => (request as ServedRequest).pieces;

/** Plain ones of Node's, until an application adopts them. */
export function servedMessages(): ServedMessages {
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
 * Makes requests and replies what Express would make of them, from their birth. Express changes the prototype of
 * each on arrival, and an object whose prototype was changed is not collected young: a third of what a request
 * allocates outlived it, and each collection took ten times as long (docs/decisions/0014). A prototype that is
 * right already is left alone.
 */
export function adoptMessages(app: ExpressApp, served: ServedMessages): void {
  const request = served.IncomingMessage.prototype;
  const response = served.ServerResponse.prototype;
  Object.setPrototypeOf(request, app.request);
  Object.setPrototypeOf(response, app.response);
  app.request = request as Request;
  app.response = response as Response;
}
