import ipaddr from 'ipaddr.js';
import { parseUrl } from '../../core/parse-url.js';

/** Path endings of LiteLLM's addresses that the dialects append themselves. */
const CALL_PATHS =
  /(?:\/chat\/completions|\/v1\/messages|\/v\d\/chat|\/v1beta|\/openai(?:\/deployments\/.*|\/v1)?|\/anthropic|\/models)\/*$/;
const VERSION = '/v1';

/** Host names that cannot be resolved outside the network where they are used. */
const LOCAL_NAME = /^(?:localhost|[^.]+|.+\.(?:localhost|local|internal|lan|svc|home\.arpa))$/i;

/**
 * Converts an address of LiteLLM's into the catalog's `base_url`: without what the dialects append, and without query
 * and fragment.
 * @param isVersioned the server has the format below `/v1`, which is appended to a bare host
 * @returns undefined for what is no http or https address, or contains credentials
 */
export function baseUrlOf(text: string, isVersioned: boolean): string | undefined {
  const url = parseUrl(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const path = url.pathname.replace(CALL_PATHS, '').replace(/\/+$/, '');
  return url.origin + (path === '' && isVersioned ? VERSION : path);
}

/** Whether the host is this machine or in a private network, by its address or by a name that is not public. */
export function isLocal(baseUrl: string): boolean {
  const host = (parseUrl(baseUrl)?.hostname ?? '').replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(host)) return LOCAL_NAME.test(host);
  return ipaddr.process(host).range() !== 'unicast';
}

const LABEL_MAX = 40;

/** A part of a slug that identifies the address. */
export function hostLabel(baseUrl: string): string {
  const url = parseUrl(baseUrl);
  const host = url?.hostname ?? '';
  const name = ipaddr.isValid(host.replace(/^\[|\]$/g, '')) ? host : host.split('.')[0]!;
  return slugText(url?.port ? `${name}-${url.port}` : name).slice(0, LABEL_MAX);
}

/** Lower case with hyphens. */
export const slugText = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
