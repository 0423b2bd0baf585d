import type { IncomingHttpHeaders } from 'node:http';

/** Scope 4.1 names the first and its legacy form, real clients send the other two (WIRE 0.2). Lower case, as Node gives them. */
const NAMES = [
  'x-router-metadata',
  'x-openrouter-metadata',
  'x-router-experimental-metadata',
  'x-openrouter-experimental-metadata',
] as const;

/** For the description. */
export const ROUTER_METADATA_HEADER = { 'X-Router-Metadata': '`enabled`: the reply tells how it was routed.' } as const;

/**
 * Does the caller ask how its request was routed? `enabled` in any case, under any of the names; every other value means no and is
 * no fault (WIRE 1.16). Where several are sent, one `enabled` is enough.
 */
export function wantsRouterMetadata(headers: IncomingHttpHeaders): boolean {
  for (const name of NAMES) {
    const value = headers[name];
    if (value !== undefined && isEnabled(value)) return true;
  }
  return false;
}

/** Node joins the lines of one header with commas. */
const isEnabled = (value: string | readonly string[]): boolean =>
  String(value)
    .split(',')
    .some((part) => part.trim().toLowerCase() === 'enabled');
