/** A vendor whose keys are unmistakable, or whose address accepts no others. */
export interface KeyVendor {
  readonly name: string;
  /** The host of its API; absent: it is no provider. */
  readonly host?: string;
  /** Absent: its keys have no form of their own. */
  readonly form?: RegExp;
}

/**
 * Forms of keys from the vendors' documentation and recorded requests. A bare `sk-` is used by many vendors, and proves
 * nothing.
 */
export const KEY_VENDORS: readonly KeyVendor[] = [
  { name: 'Anthropic', host: 'api.anthropic.com', form: /^sk-ant-/ },
  { name: 'OpenAI', host: 'api.openai.com', form: /^sk-(?:proj|svcacct|admin)-|^sk-\w{20}T3BlbkFJ/ },
  { name: 'OpenRouter', host: 'openrouter.ai', form: /^sk-or-/ },
  { name: 'Google', host: 'generativelanguage.googleapis.com', form: /^AIza[\w-]{35}$/ },
  { name: 'Groq', host: 'api.groq.com', form: /^gsk_/ },
  { name: 'xAI', host: 'api.x.ai', form: /^xai-/ },
  { name: 'Perplexity', host: 'api.perplexity.ai', form: /^pplx-/ },
  { name: 'NVIDIA', host: 'integrate.api.nvidia.com', form: /^nvapi-/ },
  { name: 'Cerebras', host: 'api.cerebras.ai', form: /^csk-/ },
  { name: 'Fireworks', host: 'api.fireworks.ai', form: /^fw_/ },
  { name: 'Hugging Face', host: 'router.huggingface.co', form: /^hf_/ },
  { name: 'Replicate', host: 'api.replicate.com', form: /^r8_/ },
  { name: 'Together', host: 'api.together.xyz', form: /^tgp_v1_/ },
  { name: 'AWS', form: /^(?:AKIA|ASIA)[0-9A-Z]{16}$/ },
  { name: 'Cohere', host: 'api.cohere.com' },
  { name: 'DeepSeek', host: 'api.deepseek.com' },
  { name: 'Mistral', host: 'api.mistral.ai' },
  { name: 'Moonshot', host: 'api.moonshot.ai' },
];

/** The vendor of a key, by its form alone. */
export const vendorOfKey = (key: string): KeyVendor | undefined => KEY_VENDORS.find(({ form }) => form?.test(key));
