import type { Response } from 'express';
import { usdNumber } from '../../core/money/credits.js';
import { ProviderFault, type ErrorDetail } from '../../core/errors.js';
import type { Generation } from '../../core/generation/generation.js';
import { faultError } from '../../routing/attempt-failures.js';

/** The charge that the error of a generation states (docs/use/errors.md#cost). */
export function costOf(generation: Generation | undefined): ErrorDetail['metadata'] {
  const cost = generation?.bill?.cost ?? 0n;
  return cost === 0n ? undefined : { cost: usdNumber(cost) };
}

/**
 * Prints a reply. A failure to print ends the generation before its reader stops, because the provider caused it and
 * not the caller.
 */
export function printed<T>(generation: Generation, print: () => T): T {
  try {
    return print();
  } catch (thrown) {
    throw unprinted(thrown, generation);
  }
}

/** The error of a reply that could not be printed, after its generation was notified. */
export function unprinted(thrown: unknown, generation: Generation): unknown {
  const error = printError(thrown, generation);
  generation.failDelivery(error);
  return error;
}

/** The error for the caller. Nesting is the provider's fault too: the parser accepts more levels than the printer. */
function printError(thrown: unknown, { answer }: Generation): unknown {
  const fault =
    thrown instanceof RangeError
      ? new ProviderFault('malformed-reply', "The provider's reply is nested too deep.", {}, { cause: thrown })
      : thrown;
  return fault instanceof ProviderFault && answer ? faultError(fault, answer.leg) : fault;
}

/** Sends a body of JSON that was printed in parts. */
export function sendParts(response: Response, parts: readonly Buffer[]): void {
  response.writeHead(200, {
    'Content-Type': JSON_TYPE,
    'Content-Length': parts.reduce((bytes, part) => bytes + part.length, 0),
  });
  // The parts that are not sent yet go with the next turn, in one write.
  if (parts.length > 1) response.cork();
  for (const part of parts.slice(0, -1)) response.write(part);
  response.end(parts.at(-1));
}

export const JSON_TYPE = 'application/json; charset=utf-8';
