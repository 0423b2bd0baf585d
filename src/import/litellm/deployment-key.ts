import type { JsonObject } from '../../core/json/json.js';
import { variableOf } from './config-values.js';
import { textOf } from '../text-of.js';

/**
 * The key of a deployment. `identity` distinguishes two keys that must not be merged; it may be a key itself, and is
 * never printed.
 */
export type DeploymentKey =
  /** A variable holds it. */
  | { readonly kind: 'variable'; readonly name: string }
  /** The key is in the file, or has several parts, so a variable has to be set. `form` describes its content. */
  | { readonly kind: 'unset'; readonly identity: string; readonly form: string }
  /** The file does not mention it. */
  | { readonly kind: 'usual' }
  /** A placeholder for no key. */
  | { readonly kind: 'none' };

const PLAIN_KEY = 'the key that is in the file as plain text';
const AWS_KEYS = 'JSON of the two keys: {"accessKeyId", "secretAccessKey", "region"}';
const ENTRA = 'JSON of the application: {"tenant_id", "client_id", "client_secret", "resource_name"}';
const SERVICE_ACCOUNT = "the service account's key itself, as JSON";

/** Placeholders that people write where LiteLLM requires a key and the server does not. */
const PLACEHOLDER =
  /^(?:none|null|empty|dummy|fake|n\/?a|x+|anything|not-?needed|no-?key(?:-required)?|(?:sk-)?(?:fake|dummy|no-key-required|none)(?:-key)?)$/i;

export function deploymentKey(params: JsonObject): DeploymentKey {
  const { api_key: key, vertex_credentials: vertex, vertex_ai_credentials: vertexAi } = params;
  if (textOf(params['aws_access_key_id']) !== undefined)
    return unset(AWS_KEYS, params['aws_access_key_id'], params['aws_secret_access_key']);
  if (textOf(params['client_secret']) !== undefined)
    return unset(ENTRA, params['tenant_id'], params['client_id'], params['client_secret']);
  const account = vertex ?? vertexAi;
  if (account !== undefined && account !== null)
    return variableOf(account) === undefined ? unset(SERVICE_ACCOUNT, account) : variable(account);
  if (textOf(key) === undefined) return { kind: 'usual' };
  if (PLACEHOLDER.test(textOf(key)!)) return { kind: 'none' };
  return variableOf(key) === undefined ? unset(PLAIN_KEY, key) : variable(key);
}

const variable = (value: unknown): DeploymentKey => ({ kind: 'variable', name: variableOf(value)! });

const unset = (form: string, ...parts: readonly unknown[]): DeploymentKey => ({
  kind: 'unset',
  identity: JSON.stringify(parts),
  form,
});
