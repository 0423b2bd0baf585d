import { printJson, type Json } from '../../core/json/json.js';
import { GatewayError } from '../../core/errors.js';
import { parameterPath } from '../../core/tool.js';
import { name } from '../../shared/http/maxima.js';
import { described, object, optional } from '../../shared/http/schema.js';
import { isPlainFailure, plainFailure } from '../plain-failure.js';
import type { ToolDefinition } from '../tool-definition.js';

const DEFAULT_ZONE = 'UTC';

/** Returns the current time (docs/use/tools-and-plugins.md#service-tools). */
export const datetime: ToolDefinition = {
  types: ['openrouter:datetime'],
  parameters: {
    'openrouter:datetime': object({
      timezone: optional(described('Name of the time zone, such as `Europe/Berlin`.', name())),
    }),
  },
  resultType: 'openrouter_datetime_tool_result',
  offer: (requested) => {
    const { timezone = DEFAULT_ZONE } = requested.parameters;
    const print = printerOf(timezone);
    if (!print) {
      throw new GatewayError(
        'invalid-request',
        `${parameterPath(requested, 'timezone')}: must be an IANA name such as Europe/Paris`,
      );
    }
    return {
      runsAt: 'gateway',
      asFunction: {
        name: 'datetime',
        description: `Returns the current date and time in the time zone ${timezone as string}.`,
        inputSchema: NO_ARGUMENTS,
      },
      price: 0n,
      usesMax: Infinity,
      run: (_input, { context: { clock } }) => {
        const content = { datetime: print(clock.now()), timezone };
        return Promise.resolve({ text: printJson(content), content, sources: [], isError: false });
      },
      fail: plainFailure,
    };
  },
  recall: (content) => printJson(content),
  isFailure: isPlainFailure,
};

const NO_ARGUMENTS = { type: 'object', properties: {} };

type PrintTime = (ms: number) => string;

/**
 * Cached by the zone's name in lower case, since names are case-insensitive. Creating one takes longer than the rest of
 * a step, and its memory is freed late. None is ever dropped: there are some 600 names.
 */
const PRINTERS = new Map<string, PrintTime>();
/** Excludes offsets, of which newer engines accept thousands. */
const NAME = /^[a-z][!-~]*$/i;

/** Prints ISO 8601 with the zone's offset; undefined for an unknown time zone. */
function printerOf(zone: Json | undefined): PrintTime | undefined {
  if (typeof zone !== 'string' || !NAME.test(zone)) return undefined;
  if (zone === DEFAULT_ZONE)
    return (ms) => `${new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}+00:00`;
  const name = zone.toLowerCase();
  let print = PRINTERS.get(name);
  if (!print && (print = makePrinter(zone))) PRINTERS.set(name, print);
  return print;
}

function makePrinter(zone: string): PrintTime | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...FIELDS });
  } catch {
    return undefined;
  }
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const at = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name)!;
    const offset = at('timeZoneName').slice('GMT'.length);
    return `${at('year')}-${at('month')}-${at('day')}T${at('hour')}:${at('minute')}:${at('second')}${offset || 'Z'}`;
  };
}

const FIELDS: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'longOffset',
};
