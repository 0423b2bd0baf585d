import type { ServerResponse } from 'node:http';
import { printWarning, type Warning } from '../../core/warning.js';

/** `<field>: <sentence>`, one line each (docs/use/conventions.md#warnings). */
export const WARNING_HEADER = 'X-Fairlead-Warning';

/** For the description. */
export const WARNING_MEANING =
  'A field that is probably misspelt or has no effect, or an entry of a list that matches nothing.';

/** Limit of lines per reply. */
const LINES_MAX = 8;
/** Anything else is not allowed in a header. */
const UNPRINTABLE = /[^\x20-\x7e]/g;

/** Adds to the warnings of the reply; ignored once its headers are sent. */
export function addWarnings(response: ServerResponse, warnings: readonly Warning[]): void {
  if (warnings.length > 0) addWarningLines(response, warnings.map(printWarning));
}

/** Adds warnings that are already printed. */
export function addWarningLines(response: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0 || response.headersSent) return;
  const lines = new Set([response.getHeader(WARNING_HEADER) ?? []].flat().map(String));
  for (const warning of warnings) lines.add(warning.replaceAll(UNPRINTABLE, '?'));
  response.setHeader(WARNING_HEADER, [...lines].slice(0, LINES_MAX));
}
