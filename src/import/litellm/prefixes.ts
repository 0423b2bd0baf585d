/** The provider or server that LiteLLM calls for a prefix of `litellm_params.model`. */
export type Prefix =
  | {
      /** Slug of the provider in the shipped catalog. */
      readonly slug: string;
      /** The variable that LiteLLM reads its key from, where it differs from the shipped catalog's. */
      readonly variable?: string;
    }
  | {
      /** A self-hosted server of the chat format: the name of its provider. */
      readonly server: string;
      /** Default address of the server. */
      readonly address?: string;
      /** Whether the server has the format below `/v1`, which LiteLLM's `api_base` may omit. */
      readonly isVersioned?: true;
      /** Whether the server forwards to paid services. */
      readonly passesOn?: true;
    };

/**
 * Prefixes by the names of docs.litellm.ai/docs/providers, read 2026-11-25. Absent ones have no known address, or speak
 * a format of their own.
 */
export const PREFIXES: ReadonlyMap<string, Prefix> = new Map<string, Prefix>([
  ['openai', { slug: 'openai' }],
  ['anthropic', { slug: 'anthropic' }],
  ['azure', { slug: 'azure' }],
  ['azure_ai', { slug: 'azure' }],
  ['bedrock', { slug: 'amazon-bedrock' }],
  ['bedrock_converse', { slug: 'amazon-bedrock' }],
  ['vertex_ai', { slug: 'google-vertex' }],
  ['vertex_ai_beta', { slug: 'google-vertex' }],
  ['gemini', { slug: 'google-ai-studio' }],
  ['mistral', { slug: 'mistral' }],
  ['cohere', { slug: 'cohere' }],
  ['cohere_chat', { slug: 'cohere' }],
  ['groq', { slug: 'groq' }],
  ['deepseek', { slug: 'deepseek' }],
  ['xai', { slug: 'xai' }],
  ['together_ai', { slug: 'together', variable: 'TOGETHERAI_API_KEY' }],
  ['fireworks_ai', { slug: 'fireworks', variable: 'FIREWORKS_AI_API_KEY' }],
  ['perplexity', { slug: 'perplexity', variable: 'PERPLEXITYAI_API_KEY' }],
  ['deepinfra', { slug: 'deepinfra' }],
  ['nvidia_nim', { slug: 'nvidia', variable: 'NVIDIA_NIM_API_KEY' }],
  ['cerebras', { slug: 'cerebras' }],
  ['sambanova', { slug: 'sambanova' }],
  ['ai21', { slug: 'ai21' }],
  ['ai21_chat', { slug: 'ai21' }],
  ['friendliai', { slug: 'friendli' }],
  ['novita', { slug: 'novita' }],
  ['nebius', { slug: 'nebius' }],
  ['moonshot', { slug: 'moonshotai' }],
  ['zai', { slug: 'z-ai' }],
  ['minimax', { slug: 'minimax' }],
  ['dashscope', { slug: 'alibaba' }],
  ['featherless_ai', { slug: 'featherless', variable: 'FEATHERLESS_AI_API_KEY' }],
  ['meta_llama', { slug: 'meta', variable: 'LLAMA_API_KEY' }],
  ['baseten', { slug: 'baseten' }],
  ['chutes', { slug: 'chutes' }],
  ['morph', { slug: 'morph' }],
  ['wandb', { slug: 'wandb' }],
  ['amazon_nova', { slug: 'amazon-nova', variable: 'AMAZON_NOVA_API_KEY' }],
  ['clarifai', { slug: 'clarifai' }],
  ['ollama', { server: 'ollama', address: 'http://localhost:11434', isVersioned: true }],
  ['ollama_chat', { server: 'ollama', address: 'http://localhost:11434', isVersioned: true }],
  ['hosted_vllm', { server: 'vllm', isVersioned: true }],
  ['vllm', { server: 'vllm', isVersioned: true }],
  ['lm_studio', { server: 'lm-studio', isVersioned: true }],
  ['llamafile', { server: 'llamafile', address: 'http://localhost:8080', isVersioned: true }],
  ['xinference', { server: 'xinference', isVersioned: true }],
  ['litellm_proxy', { server: 'litellm-proxy', passesOn: true }],
  ['openrouter', { server: 'openrouter', address: 'https://openrouter.ai/api/v1' }],
  ['openai_like', { server: 'server' }],
  ['custom_openai', { server: 'server' }],
  ['huggingface', { server: 'huggingface' }],
  ['databricks', { server: 'databricks' }],
  ['github', { server: 'github' }],
  ['hyperbolic', { server: 'hyperbolic' }],
  ['lambda_ai', { server: 'lambda' }],
  ['nscale', { server: 'nscale' }],
  ['vercel_ai_gateway', { server: 'vercel-ai-gateway' }],
]);

/** LiteLLM finds the provider of a name without a prefix in its lists of models; here the form of the name gives it. */
const FAMILIES: readonly (readonly [names: RegExp, prefix: string])[] = [
  [/^(?:gpt-|chatgpt-|o\d(?:-|$)|ft:gpt-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^command-/, 'cohere'],
  [/^gemini-/, 'vertex_ai'],
  [/^(?:us\.|eu\.|apac\.|global\.)?(?:anthropic|amazon|meta|mistral|cohere|ai21)\./, 'bedrock'],
];

/** The parts of a model name of `litellm_params`; `prefix` is undefined where the provider cannot be determined. */
export interface PrefixedModel {
  readonly prefix: string | undefined;
  readonly model: string;
}

/** @param provider `custom_llm_provider`, where it is set */
export function splitModel(model: string, provider: string | undefined): PrefixedModel {
  const slash = model.indexOf('/');
  const first = slash === -1 ? undefined : model.slice(0, slash);
  if (provider !== undefined) return { prefix: provider, model: first === provider ? model.slice(slash + 1) : model };
  if (first !== undefined && PREFIXES.has(first)) return { prefix: first, model: model.slice(slash + 1) };
  const family = FAMILIES.find(([names]) => names.test(model));
  return family ? { prefix: family[1], model } : { prefix: first, model: model.slice(slash + 1) };
}
