import { parseUrl } from '../core/parse-url.js';
import { GatewayError } from '../core/errors.js';
import { Secret } from '../core/secret.js';
import {
  anything,
  compile,
  list,
  object,
  oneOf,
  optional,
  pathText,
  refused,
  text,
  when,
  type Compiled,
} from '../shared/http/schema.js';

// The forms of docs/operate/byok.md#forms-of-a-key. Values that later become part of an address are restricted to what
// cannot change its host.

const word = text({ min: 1 });
const HOST_PART = {
  pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,62}[A-Za-z0-9])?$',
  reason: 'must be letters, digits and hyphens',
};
const region = text(HOST_PART);

const azureResource = object({
  api_key: word,
  resource_name: text(HOST_PART),
  resource_type: oneOf(['ai_foundry', 'openai']),
});
const azureDeployment = object({
  model_slug: word,
  endpoint_url: text({
    pattern: '^https://[^\\s/?#@]+([/?#]\\S*)?$',
    reason: 'must be an https:// address without user or blanks',
  }),
  api_key: word,
  model_id: word,
});
const azureEntry = when(
  object({ endpoint_url: anything() }),
  azureDeployment,
  when(object({ model_slug: anything() }), azureDeployment, azureResource),
);

/** An application of Entra, which is given tokens. */
const azureApplication: Compiled<{ readonly client_id: string }> = compile(
  object({
    tenant_id: text({ pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$', reason: 'must be the id of a tenant' }),
    client_id: word,
    client_secret: word,
    resource_name: text(HOST_PART),
    resource_type: optional(oneOf(['ai_foundry', 'openai'])),
    token_url: optional(word),
  }),
);

interface AzureEntry {
  readonly resource_name?: string;
  readonly endpoint_url?: string;
}
interface BedrockKey {
  readonly accessKeyId: string;
}
interface ServiceAccount {
  readonly client_email: string;
}

const azureKey = compile(list(azureEntry, { min: 1, max: 100 })) as Compiled<readonly AzureEntry[]>;
const project = text({ pattern: '^[A-Za-z0-9][A-Za-z0-9.:-]*$', reason: "must be a project's id" });
const bedrockKey: Compiled<BedrockKey> = compile(
  object({ accessKeyId: word, secretAccessKey: word, sessionToken: optional(word), region }),
);
const serviceAccount: Compiled<ServiceAccount> = compile(
  object({
    type: oneOf(['service_account']),
    project_id: project,
    client_email: text({ pattern: '^[^\\s@]+@[^\\s@]+$', reason: 'must be an e-mail address' }),
    private_key: word,
    region: optional(region),
  }),
);

/** Workload identity. Its subject token comes from an address: callers have no files here. */
const externalAccount: Compiled<{ readonly project_id: string }> = compile(
  object({
    type: oneOf(['external_account']),
    audience: word,
    subject_token_type: word,
    token_url: optional(word),
    credential_source: object({
      url: word,
      environment_id: optional(refused('tokens of workloads at AWS are not supported')),
    }),
    service_account_impersonation_url: optional(word),
    project_id: project,
    region: optional(region),
  }),
);

/** Longest label. Those composed of names would be as long as the names. */
const LABEL_MAX = 100;

const AZURE_FORMS = 'an API key, a JSON array of resources or deployments, or the JSON object of an application';
const VERTEX_FORMS = "an API key, or the JSON of a service account's key or of an external account";

/** An API key as it is: never JSON. */
const isPlain = (key: string): boolean => /^[\w.~+/=-]+$/.test(key);

/**
 * The validation and label of credentials by provider: whether a text has the right form, and the part that may be
 * shown. Other providers accept any text.
 */
const LABEL_OF: Readonly<Record<string, (key: string) => string>> = {
  azure: (key) => {
    if (isPlain(key)) return labelOfText(key);
    if (/^\s*\{/.test(key)) return readStructured(key, azureApplication, AZURE_FORMS).client_id.slice(0, LABEL_MAX);
    const entries = readStructured(key, azureKey, AZURE_FORMS);
    const more = entries.length > 1 ? ` +${entries.length - 1}` : '';
    return nameOf(entries[0]!).slice(0, LABEL_MAX) + more;
  },
  'amazon-bedrock': (key) =>
    // An API key never begins so.
    /^\s*\{/.test(key)
      ? tailOf(readStructured(key, bedrockKey, 'an API key, or a JSON object').accessKeyId)
      : labelOfText(key),
  'google-vertex': (key) => {
    if (isPlain(key)) return labelOfText(key);
    return /"external_account"/.test(key)
      ? readStructured(key, externalAccount, VERTEX_FORMS).project_id.slice(0, LABEL_MAX)
      : readStructured(key, serviceAccount, VERTEX_FORMS).client_email.slice(0, LABEL_MAX);
  },
};

/**
 * The text of a credential as it is stored: without surrounding blanks and line breaks.
 * @throws GatewayError `invalid-request` where nothing is left, or where it is in quotation marks
 */
export function trimKey(secret: Secret): Secret {
  const key = secret.reveal().trim();
  if (key === '') throw new GatewayError('invalid-request', 'key: must not be blank');
  if (/^(["'`]).*\1$/s.test(key)) throw new GatewayError('invalid-request', 'key: must not be in quotation marks');
  return new Secret(key);
}

/** @throws GatewayError `invalid-request` for a text that no header can carry and that is no JSON */
export function assertSendable(key: Secret): void {
  const text = key.reveal();
  if (PRINTABLE.test(text) || isJson(text)) return;
  throw new GatewayError(
    'invalid-request',
    'key: must be printable ASCII characters without blanks or line breaks between them',
  );
}

function isJson(key: string): boolean {
  if (!/^[[{]/.test(key)) return false;
  try {
    JSON.parse(key);
    return true;
  } catch {
    return false;
  }
}

/**
 * The part of a credential that may be shown: too little to be of use.
 * @throws GatewayError `invalid-request` where it lacks the form of the provider's credentials; the message names
 *   members, never values
 */
export function labelOf(provider: string, key: Secret): string {
  const make = Object.hasOwn(LABEL_OF, provider) ? LABEL_OF[provider]! : labelOfText;
  return make(key.reveal());
}

/**
 * docs/operate/byok.md#label-and-status: the first three characters and the last four; fewer where these would be more
 * than a third of it. Nothing of a structured one whose form is unknown here.
 */
function labelOfText(key: string): string {
  // The ends of JSON are punctuation, and parts of unknown members.
  if (/^\s*[[{]/.test(key)) return '...';
  return PRINTABLE.test(key) && key.length > 20 ? `${key.slice(0, 3)}${tailOf(key)}` : tailOf(key);
}

/** Other characters occur in no provider's key, and would break the lines that contain labels. */
const PRINTABLE = /^[\x21-\x7e]+$/;

const tailOf = (key: string): string => (PRINTABLE.test(key) && key.length >= 12 ? `...${key.slice(-4)}` : '...');

const nameOf = ({ resource_name, endpoint_url }: AzureEntry): string => {
  if (resource_name !== undefined) return resource_name;
  return (endpoint_url === undefined ? undefined : parseUrl(endpoint_url)?.hostname) ?? '...';
};

function readStructured<T>(key: string, schema: Compiled<T>, wanted: string): T {
  const value = parse(key, wanted);
  if (schema.check(value)) return value;
  const { path, reason } = schema.fault(value)!;
  throw new GatewayError('invalid-request', `${pathText(path === '' ? ['key'] : ['key', path])}: ${reason}`);
}

/** The parser's own error quotes its input, so it is replaced. */
function parse(key: string, wanted: string): unknown {
  try {
    return JSON.parse(key);
  } catch {
    throw new GatewayError('invalid-request', `key: must be ${wanted}`);
  }
}
