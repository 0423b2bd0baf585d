import ipaddr from 'ipaddr.js';
import { parseUrl } from '../../core/parse-url.js';

/** Paths that LiteLLM's addresses may end in and the dialects append themselves. */
const CALL_PATHS =
  /(?:\/chat\/completions|\/v1\/messages|\/v\d\/chat|\/v1beta|\/openai(?:\/deployments\/.*|\/v1)?|\/anthropic|\/models)\/*$/;
const VERSION = '/v1';

/** Names that lead nowhere outside of the place where they are used. */
const LOCAL_NAME = /^(?:localhost|[^.]+|.+\.(?:localhost|local|internal|lan|svc|home\.arpa))$/i;

/**
 * An address of LiteLLM's as the catalog's `base_url`: without what the dialects append, without query and fragment.
 * @param isVersioned the server has the format below `/v1`, which is put behind a bare host
 * @returns undefined for what is no http or https address, or holds credentials
 */
export function baseUrlOf(text: string, isVersioned: boolean): string | undefined {
  const url = parseUrl(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const path = url.pathname.replace(CALL_PATHS, '').replace(/\/+$/, '');
  return url.origin + (path === '' && isVersioned ? VERSION : path);
}

/** The host is this machine, or one of a network of one's own: by its address, or a name that is none of the web's. */
export function isLocal(baseUrl: string): boolean {
  const host = (parseUrl(baseUrl)?.hostname ?? '').replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(host)) return LOCAL_NAME.test(host);
  return ipaddr.process(host).range() !== 'unicast';
}

const LABEL_MAX = 40;

/** A part of a slug that tells what is at this address from what is elsewhere. */
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
