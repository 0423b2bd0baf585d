import { randomBytes } from 'node:crypto';
import { GatewayError } from '../core/errors.js';
import type { JsonObject } from '../core/json/json.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { EgressError } from '../shared/http/client/egress-error.js';
import { readUrl } from '../shared/http/client/safe-fetch.js';
import { closed, compile, map, oneOf, optional, text, type Compiled } from '../shared/http/schema.js';
import type { DestinationType } from './destination.entity.js';

/** Address, headers and secrets of a destination. Secret: the configuration is stored encrypted. */
export interface DestinationConfig {
  readonly url: string;
  readonly method?: 'POST' | 'PUT' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Signs the events of a webhook. */
  readonly secret?: string | undefined;
  /** The secret before the last rotation, which signs as well until that time, in epoch milliseconds. */
  readonly former?: { readonly secret: string; readonly until: number } | undefined;
}

const URL_MAX = 2_048;
const HEADERS_MAX = 20;
const HEADER_MAX = 4_096;
const SECRET_MIN = 16;
const SECRET_MAX = 256;
const SECRET_PREFIX = 'whsec_';
/** The text that is displayed in place of a secret. */
const MASK = '••••';

const url = text({ min: 1, max: URL_MAX, ...STORABLE });
const headers = optional(map(text({ max: HEADER_MAX, ...STORABLE }), { max: HEADERS_MAX, keyMax: 64 }));
const secret = optional(text({ min: SECRET_MIN, max: SECRET_MAX, ...STORABLE }));

/** The name of the address in the bodies of a type, and the form of its configuration. */
interface ConfigForm {
  readonly address: 'url' | 'endpoint';
  readonly schema: Compiled<unknown>;
}

const FORMS: Readonly<Record<DestinationType, ConfigForm>> = {
  webhook: {
    address: 'url',
    schema: compile(closed({ url, method: optional(oneOf(['POST', 'PUT'])), headers, secret })),
  },
  slack: { address: 'url', schema: compile(closed({ url })) },
  'otel-collector': { address: 'endpoint', schema: compile(closed({ endpoint: url, headers })) },
};

/** A header's name (RFC 9110, 5.1). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
/** Headers that the sender sets. */
const OWN_HEADER =
  /^(?:host|content-.*|connection|transfer-encoding|keep-alive|upgrade|expect|te|trailer|user-agent|x-fairlead-.*)$/i;

export const newSecret = (): string => `${SECRET_PREFIX}${randomBytes(32).toString('base64url')}`;

/**
 * The configuration of a new destination.
 * @param stated `config` of the body
 * @throws GatewayError `invalid-request`, naming the field
 */
export function readConfig(type: DestinationType, stated: JsonObject): DestinationConfig {
  const { address, schema } = FORMS[type];
  const fault = schema.fault(stated);
  if (fault) throw new GatewayError('invalid-request', `config.${fault.path}: ${fault.reason}`.replace('.:', ':'));
  const { [address]: at, ...rest } = stated as Readonly<Record<string, unknown>>;
  const config = { ...rest, url: at } as DestinationConfig;
  assertHeaders(config.headers);
  try {
    readUrl(config.url);
  } catch (error) {
    throw refusedAddress(type, error);
  }
  return config;
}

/** An address that may not be reached, as the caller is to read it; any other error unchanged. */
export const refusedAddress = (type: DestinationType, error: unknown): unknown =>
  error instanceof EgressError
    ? new GatewayError('invalid-request', `config.${FORMS[type].address}: ${error.message}`)
    : error;

/**
 * The configuration after a change: fields that are absent, or as they are shown, stay.
 * @throws GatewayError `invalid-request`, naming the field
 */
export function changeConfig(type: DestinationType, before: DestinationConfig, changes: JsonObject): DestinationConfig {
  const shown = showConfig(type, before);
  const { address } = FORMS[type];
  const { url: at, former, ...rest } = before;
  const whole: Record<string, unknown> = { [address]: at, ...rest };
  for (const [name, value] of Object.entries(changes)) {
    if (name === 'headers') whole[name] = changeHeaders(before.headers, shown['headers'], value);
    else if (value !== shown[name]) whole[name] = value;
  }
  const changed = readConfig(
    type,
    Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined)) as JsonObject,
  );
  return changed.secret === before.secret ? { ...changed, former } : changed;
}

/** Headers are replaced as a whole; masked values stay. */
function changeHeaders(before: DestinationConfig['headers'], shown: unknown, changes: unknown): unknown {
  if (typeof changes !== 'object' || changes === null) return changes;
  const masked = (shown ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [name, value === masked[name] ? (before?.[name] ?? value) : value]),
  );
}

/** The part of a configuration that may be displayed. The path of an address of Slack is its secret. */
export function showConfig(type: DestinationType, config: DestinationConfig): JsonObject {
  const { address } = FORMS[type];
  const { method, headers: sent, secret: key } = config;
  return {
    [address]: showAddress(type, config.url),
    ...(method !== undefined && { method }),
    ...(sent && { headers: Object.fromEntries(Object.keys(sent).map((name) => [name, MASK])) }),
    ...(key !== undefined && { secret: `${MASK}${key.slice(-4)}` }),
  };
}

function showAddress(type: DestinationType, address: string): string {
  const { origin, pathname, search } = new URL(address);
  if (type === 'slack') return `${origin}/${MASK}`;
  return `${origin}${pathname}${search === '' ? '' : `?${MASK}`}`;
}

function assertHeaders(headerValues: DestinationConfig['headers']): void {
  for (const [name, value] of Object.entries(headerValues ?? {})) {
    if (!HEADER_NAME.test(name) || OWN_HEADER.test(name))
      throw new GatewayError('invalid-request', `config.headers: ${JSON.stringify(name)} cannot be set`);
    if (!HEADER_VALUE.test(value))
      throw new GatewayError(
        'invalid-request',
        `config.headers: the value of ${name} has characters that no header may have`,
      );
  }
}
