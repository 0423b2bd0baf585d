import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import type { CallContext } from '../../../core/platform.js';
import type { Secret } from '../../../core/secret.js';
import { revealSafe } from '../direct.js';

/** Keys that calls are signed with; they hold for one region. */
export interface SigningAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of keys that somebody was lent. */
  readonly sessionToken?: string;
  readonly region: string;
}

/** Becomes part of a host's name, so that nothing but a region may be one. */
const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;
const REGION_IN_HOST = /^https?:\/\/bedrock(?:-[a-z]+)*\.([a-z0-9-]+)\.(?:amazonaws\.com|api\.aws)/;
const REGION_PLACE = '{region}';
/** What may stand in a header, or in the scope of a signature. */
const KEY_ID = /^[\w-]+$/;
const TOKEN = /^[\x21-\x7e]+$/;

/** Keys to sign with, or undefined where the credential is one key, sent as it is. */
export function readAccount({ credential, target }: CallContext): SigningAccount | undefined {
  const fields = fieldsOf(credential);
  if (!fields) return undefined;
  const sessionToken = fields['sessionToken'];
  if (sessionToken !== undefined && (typeof sessionToken !== 'string' || !TOKEN.test(sessionToken))) {
    throw refused('has a sessionToken that is none');
  }
  return {
    accessKeyId: partOf(fields, 'accessKeyId', KEY_ID),
    secretAccessKey: partOf(fields, 'secretAccessKey', TOKEN),
    region: regionOf(fields, target.endpoint.provider.baseUrl),
    ...(sessionToken !== undefined && { sessionToken }),
  };
}

/**
 * The base URL with its region.
 * @throws ProviderFault `refused-credential` where the URL leaves it to a credential that names none
 */
export function baseUrlOf({ credential, target }: CallContext): string {
  const { baseUrl } = target.endpoint.provider;
  if (!baseUrl.includes(REGION_PLACE)) return baseUrl;
  return baseUrl.replaceAll(REGION_PLACE, regionOf(fieldsOf(credential) ?? {}, baseUrl));
}

/** The key of a credential that is one key. */
export const apiKeyOf = ({ credential }: CallContext): string => revealSafe(credential);

function regionOf(fields: { readonly [key: string]: Json | undefined }, baseUrl: string): string {
  const region = fields['region'] ?? REGION_IN_HOST.exec(baseUrl)?.[1];
  if (region === undefined) throw refused('names no region, and the base URL does not either');
  if (typeof region !== 'string' || !REGION.test(region)) throw refused('has a region that is none, such as us-east-1');
  return region;
}

/** Undefined where the text is no JSON object: it is a key then. */
function fieldsOf(credential: Secret | undefined): { readonly [key: string]: Json | undefined } | undefined {
  const text = credential?.reveal().trim() ?? '';
  if (!text.startsWith('{')) return undefined;
  try {
    const fields: unknown = JSON.parse(text);
    if (isJsonObject(fields)) return fields;
  } catch {
    // The parser's words would hold the credential.
  }
  throw refused('is no valid JSON');
}

function partOf(fields: { readonly [key: string]: Json | undefined }, name: string, form: RegExp): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') throw refused(`has no ${name}`);
  if (!form.test(value)) throw refused(`has characters in ${name} that no such key has`);
  return value;
}

const refused = (complaint: string): ProviderFault =>
  new ProviderFault('refused-credential', `The credential for Amazon Bedrock ${complaint}.`);
