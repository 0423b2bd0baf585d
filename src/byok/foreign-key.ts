import { parseUrl } from '../core/parse-url.js';
import { GatewayError } from '../core/errors.js';
import type { Secret } from '../core/secret.js';

/** Whose keys cannot be mistaken for anybody else's, or who takes no others. */
interface Vendor {
  readonly name: string;
  /** Of its own address; absent: it is no provider. */
  readonly host?: string;
  /** Absent: its keys have no form of their own. */
  readonly form?: RegExp;
}

/**
 * As the vendors' documentation and the recorded requests show their keys. A bare `sk-` is in use by many, and
 * proves nothing.
 */
const VENDORS: readonly Vendor[] = [
  { name: 'Anthropic', host: 'api.anthropic.com', form: /^sk-ant-/ },
  { name: 'OpenAI', host: 'api.openai.com', form: /^sk-(?:proj|svcacct|admin)-/ },
  { name: 'OpenRouter', host: 'openrouter.ai', form: /^sk-or-v1-/ },
  { name: 'Google', host: 'generativelanguage.googleapis.com', form: /^AIza[\w-]{35}$/ },
  { name: 'Groq', host: 'api.groq.com', form: /^gsk_/ },
  { name: 'xAI', host: 'api.x.ai', form: /^xai-/ },
  { name: 'Perplexity', host: 'api.perplexity.ai', form: /^pplx-/ },
  { name: 'NVIDIA', host: 'integrate.api.nvidia.com', form: /^nvapi-/ },
  { name: 'Cerebras', host: 'api.cerebras.ai', form: /^csk-/ },
  { name: 'Fireworks', host: 'api.fireworks.ai', form: /^fw_/ },
  { name: 'Hugging Face', host: 'router.huggingface.co', form: /^hf_/ },
  { name: 'Replicate', host: 'api.replicate.com', form: /^r8_/ },
  { name: 'AWS', form: /^(?:AKIA|ASIA)[0-9A-Z]{16}$/ },
  { name: 'this gateway', form: /^sk-fl-v1-/ },
  { name: 'Cohere', host: 'api.cohere.com' },
  { name: 'DeepSeek', host: 'api.deepseek.com' },
  { name: 'Mistral', host: 'api.mistral.ai' },
  { name: 'Moonshot', host: 'api.moonshot.ai' },
  { name: 'Together', host: 'api.together.xyz' },
];

/**
 * Refuses a key of the unmistakable form of one vendor at the own address of another one. At any other address, such
 * as that of a proxy, a key may have any form.
 * @param baseUrl of the provider in the catalog; undefined where the catalog does not have it
 * @throws GatewayError `invalid-request`, naming vendors and never the key
 */
export function assertNotForeign(key: Secret, baseUrl: string | undefined): void {
  const host = baseUrl === undefined ? undefined : parseUrl(baseUrl)?.hostname;
  const owner = host === undefined ? undefined : VENDORS.find((vendor) => vendor.host === host);
  if (!owner) return;
  const text = key.reveal();
  const maker = VENDORS.find(({ form }) => form?.test(text));
  if (!maker || maker === owner) return;
  throw new GatewayError(
    'invalid-request',
    `key: has the form of a key of ${maker.name}; ${owner.name} does not take it`,
  );
}
