/**
 * The providers of the shipped catalog: address, credential and the request fields that each takes for all its models.
 * `billsLeftStreams` is from the table under docs/wire/streams.md#calls-that-are-left.
 */

import type { DialectId, PlatformId } from '../src/core/routing/catalog.js';

/** A provider as the catalog file names it. */
export interface ProviderChoice {
  readonly slug: string;
  readonly name: string;
  readonly dialect: Exclude<DialectId, 'simulated'>;
  /** Absent: `direct`. */
  readonly platform?: PlatformId;
  /** What the dialect's path, or the platform's, is appended to. */
  readonly baseUrl: string;
  /** The variable of the process that holds the operator's credential. */
  readonly credentialVariable: string;
  /** It bills a stream in full although the client has left. */
  readonly billsLeftStreams?: true;
  /**
   * Request fields that the provider's API reference lists for all models chosen here. Absent: no source at hand lists
   * them: its endpoints are sent what their format has, and are left out where parameters are required.
   */
  readonly parameters?: readonly string[];
  /** The page of that reference, where it is not `reference`. It was read on the same day. */
  readonly parametersPage?: string;
  /** Reasoning is asked for in a field of the reference, and taken by those models that a table says reason. */
  readonly reasonsByModel?: true;
  /** Where dialect and address are said: a page, or a package and its version. */
  readonly reference: string;
  /** When that was read: `YYYY-MM-DD`. */
  readonly read: string;
}

export const TOOLS = ['tools', 'tool_choice'] as const;
export const PENALTIES = ['frequency_penalty', 'presence_penalty'] as const;
export const SAMPLING = ['temperature', 'top_p'] as const;
/** What engines of open weights take beside the fields of the format. */
const OPEN_SAMPLING = [...SAMPLING, 'top_k', 'min_p'] as const;
export const FORMATS = ['structured_outputs', 'response_format'] as const;

/** A provider of the chat format, unless the last column says otherwise. */
type Row = readonly [
  slug: string,
  name: string,
  baseUrl: string,
  credentialVariable: string,
  reference: string,
  more?: Partial<ProviderChoice>,
];

/** In `dist/provider-registry.json`. */
const REGISTRY = '@mastra/core 1.71.0';
/** In `build/start-server.js`. */
const GATEWAY = '@portkey-ai/gateway 1.15.2';
/** A provider's file at a commit. */
const modelsDev = (id: string, commit: string): string =>
  `https://github.com/anomalyco/models.dev/blob/${commit}/providers/${id}/provider.toml`;

const ROWS: readonly Row[] = [
  ['ai21', 'AI21', 'https://api.ai21.com/studio/v1', 'AI21_API_KEY', REGISTRY],
  ['aion-labs', 'AionLabs', 'https://api.aionlabs.ai/v1', 'AION_LABS_API_KEY',
    'https://api.aionlabs.ai/docs/api-reference'],
  ['akashml', 'AkashML', 'https://api.akashml.com/v1', 'AKASHML_API_KEY',
    'https://playground.akashml.com/docs/getting-started/introduction'],
  ['alibaba', 'Alibaba', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY', REGISTRY],
  ['amazon-bedrock', 'Amazon Bedrock', 'https://bedrock-runtime.{region}.amazonaws.com', 'AWS_BEARER_TOKEN_BEDROCK',
    GATEWAY,
    { dialect: 'bedrock-converse', platform: 'bedrock' }],
  ['amazon-nova', 'Amazon Nova', 'https://api.nova.amazon.com/v1', 'NOVA_API_KEY', REGISTRY],
  ['ambient', 'Ambient', 'https://api.ambient.xyz/v1', 'AMBIENT_API_KEY', REGISTRY],
  ['arcee-ai', 'Arcee AI', 'https://api.arcee.ai/api/v1', 'ARCEE_API_KEY', REGISTRY],
  ['assemblyai', 'AssemblyAI', 'https://llm-gateway.assemblyai.com/v1', 'ASSEMBLYAI_API_KEY',
    'https://github.com/BerriAI/litellm/blob/00eb60c0ceb9/litellm/llms/openai_like/providers.json'],
  ['atlas-cloud', 'Atlas Cloud', 'https://api.atlascloud.ai/v1', 'ATLAS_CLOUD_API_KEY',
    'https://www.atlascloud.ai/docs/api-keys'],
  ['avian', 'Avian', 'https://api.avian.io/v1', 'AVIAN_API_KEY', 'https://avian.io/docs'],
  ['azure', 'Azure', 'https://{resource}.openai.azure.com', 'AZURE_API_KEY',
    '@ai-sdk/azure 4.0.85', { platform: 'azure' }],
  ['baidu', 'Baidu', 'https://qianfan.baidubce.com/v2', 'QIANFAN_API_KEY',
    'https://cloud.baidu.com/doc/qianfan/s/Hmh4suq26'],
  ['baseten', 'BaseTen', 'https://inference.baseten.co/v1', 'BASETEN_API_KEY', REGISTRY],
  ['byteplus', 'BytePlus', 'https://ark.ap-southeast.bytepluses.com/api/v3', 'ARK_API_KEY',
    'https://github.com/TanStack/ai/blob/1e21a6a76fb0/packages/ai-byteplus/src/utils/client.ts'],
  ['chutes', 'Chutes', 'https://llm.chutes.ai/v1', 'CHUTES_API_KEY', REGISTRY],
  ['clarifai', 'Clarifai', 'https://api.clarifai.com/v2/ext/openai/v1', 'CLARIFAI_PAT',
    'https://docs.clarifai.com/compute/providers'],
  ['cohere', 'Cohere', 'https://api.cohere.com', 'COHERE_API_KEY', '@ai-sdk/cohere 3.0.63',
    {
      dialect: 'cohere-chat',
      parameters: ['max_tokens', ...SAMPLING, 'top_k', 'stop', 'seed', ...PENALTIES, 'logprobs', ...TOOLS, ...FORMATS],
      parametersPage: 'cohere-ai 8.1.0',
    }],
  ['crusoe', 'Crusoe', 'https://api.inference.crusoecloud.com/v1', 'CRUSOE_API_KEY', REGISTRY],
  ['darkbloom', 'Darkbloom', 'https://api.darkbloom.dev/v1', 'DARKBLOOM_API_KEY',
    'https://docs.darkbloom.dev/reference/chat-completions'],
  ['deepinfra', 'DeepInfra', 'https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY',
    modelsDev('deepinfra', '65a4c3143725'),
    {
      parameters: ['max_tokens', ...OPEN_SAMPLING, 'stop', 'seed', ...PENALTIES, 'repetition_penalty', 'logprobs', ...TOOLS,
        'reasoning', 'response_format'],
      parametersPage: 'https://docs.deepinfra.com/api-reference/openai-chat-completions-1',
      reasonsByModel: true,
    }],
  ['digitalocean', 'DigitalOcean', 'https://inference.do-ai.run/v1', 'DIGITALOCEAN_ACCESS_TOKEN', REGISTRY],
  ['featherless', 'Featherless', 'https://api.featherless.ai/v1', 'FEATHERLESS_API_KEY',
    'https://featherless.ai/docs/api-overview-and-common-options'],
  ['friendli', 'Friendli', 'https://api.friendli.ai/serverless/v1', 'FRIENDLI_TOKEN', REGISTRY],
  ['gmicloud', 'GMICloud', 'https://api.gmi-serving.com/v1', 'GMICLOUD_API_KEY', REGISTRY],
  ['google-ai-studio', 'Google AI Studio', 'https://generativelanguage.googleapis.com', 'GEMINI_API_KEY',
    '@ai-sdk/google 4.0.121',
    {
      dialect: 'google-gemini',
      // Not all models take penalties and log probabilities.
      parameters: ['max_tokens', ...SAMPLING, 'top_k', 'stop', 'seed', ...TOOLS, 'reasoning', ...FORMATS],
      parametersPage: '@google/genai 2.32.0',
      reasonsByModel: true,
    }],
  ['google-vertex', 'Google', 'https://{region}-aiplatform.googleapis.com', 'GOOGLE_VERTEX_API_KEY',
    '@ai-sdk/google-vertex 5.0.141',
    { dialect: 'google-gemini', platform: 'vertex' }],
  ['inception', 'Inception', 'https://api.inceptionlabs.ai/v1', 'INCEPTION_API_KEY', REGISTRY],
  ['inceptron', 'Inceptron', 'https://api.inceptron.io/v1', 'INCEPTRON_API_KEY', REGISTRY],
  ['inference-net', 'Inference.net', 'https://api.inference.net/v1', 'INFERENCE_API_KEY', GATEWAY],
  ['infermatic', 'Infermatic', 'https://api.totalgpt.ai/v1', 'INFERMATIC_API_KEY',
    'https://infermatic.ai/docs/overview'],
  ['io-net', 'io.net', 'https://api.intelligence.io.solutions/api/v1', 'IOINTELLIGENCE_API_KEY', REGISTRY],
  ['makora', 'Makora', 'https://inference.makora.com/v1', 'MAKORA_OPTIMIZE_TOKEN',
    modelsDev('makora', 'b5f0ec93cc17')],
  ['mancer', 'Mancer 2', 'https://neuro.mancer.tech/oai/v1', 'MANCER_API_KEY',
    'https://github.com/juspay/neurolink/blob/0de0368fc633/src/lib/providers/catalog/mancer.json'],
  ['meta', 'Meta', 'https://api.meta.ai/v1', 'META_MODEL_API_KEY', REGISTRY],
  ['modular', 'Modular', 'https://api.modular.com/v1', 'MODULAR_API_KEY', 'https://docs.modular.com (Quickstart)'],
  ['morph', 'Morph', 'https://api.morphllm.com/v1', 'MORPH_API_KEY', REGISTRY],
  ['ncompass', 'nCompass', 'https://api.ncompass.tech/v1', 'NCOMPASS_API_KEY', GATEWAY],
  ['near-ai', 'NEAR AI', 'https://cloud-api.near.ai/v1', 'NEARAI_API_KEY', REGISTRY],
  ['nebius', 'Nebius', 'https://api.tokenfactory.nebius.com/v1', 'NEBIUS_API_KEY', REGISTRY],
  ['nextbit', 'NextBit', 'https://api.nextbit256.com/v1', 'NEXTBIT_API_KEY', GATEWAY],
  ['novita', 'Novita', 'https://api.novita.ai/openai/v1', 'NOVITA_API_KEY',
    'https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion',
    {
      parameters: ['max_tokens', ...OPEN_SAMPLING, 'stop', 'seed', ...PENALTIES, 'repetition_penalty', 'logit_bias', 'logprobs',
        'top_logprobs', 'tools', ...FORMATS],
    }],
  ['nvidia', 'NVIDIA', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY', REGISTRY],
  // The models that its own cloud serves.
  ['ollama', 'Ollama', 'https://ollama.com/v1', 'OLLAMA_API_KEY', REGISTRY],
  ['parasail', 'Parasail', 'https://api.parasail.io/v1', 'PARASAIL_API_KEY', modelsDev('parasail', '4b12eb6e50c2')],
  ['perceptron', 'Perceptron', 'https://api.perceptron.inc/v1', 'PERCEPTRON_API_KEY',
    'https://github.com/perceptron-ai-inc/perceptron/blob/1c1ffe3227b7/src/perceptron/_providers.py'],
  ['perplexity', 'Perplexity', 'https://api.perplexity.ai', 'PERPLEXITY_API_KEY', '@ai-sdk/perplexity 3.0.61'],
  ['phala', 'Phala', 'https://inference.phala.com/v1', 'PHALA_AI_API_KEY', modelsDev('phala', '8d77e2d19cb2')],
  ['poolside', 'Poolside', 'https://inference.poolside.ai/v1', 'POOLSIDE_API_KEY', REGISTRY],
  ['primeintellect', 'Prime Intellect', 'https://api.pinference.ai/api/v1', 'PRIME_API_KEY',
    'https://github.com/juspay/neurolink/blob/f5e9fdf7b955/src/lib/providers/catalog/prime-intellect.json'],
  ['reka', 'Reka', 'https://api.reka.ai/v1', 'REKA_API_KEY',
    'https://github.com/juspay/neurolink/blob/8d28d21b8520/src/lib/providers/catalog/reka.json',
    { parameters: ['max_tokens', ...SAMPLING, 'top_k', 'stop', 'seed', ...PENALTIES, ...TOOLS] }],
  ['relace', 'Relace', 'https://models.relace.ai/v1', 'RELACE_API_KEY',
    'https://docs.relace.ai/docs/open-models/quickstart'],
  ['sail-research', 'Sail Research', 'https://api.sailresearch.com/v1', 'SAIL_API_KEY',
    'https://github.com/api-evangelist/sail/blob/303a03ca511f/openapi/sail-chat-completions-api-api-openapi.yml'],
  ['sakana', 'Sakana', 'https://api.sakana.ai/v1', 'SAKANA_API_KEY', REGISTRY],
  ['sambanova', 'SambaNova', 'https://api.sambanova.ai/v1', 'SAMBANOVA_API_KEY', GATEWAY],
  ['siliconflow', 'SiliconFlow', 'https://api.siliconflow.com/v1', 'SILICONFLOW_API_KEY', REGISTRY],
  ['stepfun', 'StepFun', 'https://api.stepfun.ai/v1', 'STEPFUN_API_KEY', REGISTRY],
  ['streamlake', 'StreamLake', 'https://vanchin.streamlake.ai/api/gateway/v1/endpoints', 'STREAMLAKE_API_KEY',
    'https://docs.litellm.ai/docs/providers/streamlake'],
  ['tencent', 'Tencent', 'https://tokenhub.tencentmaas.com/v1', 'TENCENT_TOKENHUB_API_KEY', REGISTRY],
  ['thinkingmachines', 'Thinking Machines',
    'https://tinker.thinkingmachines.dev/services/tinker-prod/anthropic/api', 'TINKER_API_KEY', REGISTRY,
    { dialect: 'anthropic-messages' }],
  ['together', 'Together', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY', '@ai-sdk/togetherai 2.0.84',
    {
      // Its log probabilities are a number of them, which is another field than that of the format.
      parameters: ['max_tokens', ...OPEN_SAMPLING, 'stop', 'seed', ...PENALTIES, 'repetition_penalty', 'logit_bias', ...TOOLS,
        'reasoning', 'response_format'],
      parametersPage: 'together-ai 0.52.0',
      reasonsByModel: true,
    }],
  ['upstage', 'Upstage', 'https://api.upstage.ai/v1/solar', 'UPSTAGE_API_KEY', REGISTRY],
  ['venice', 'Venice', 'https://api.venice.ai/api/v1', 'VENICE_API_KEY', modelsDev('venice', '123360f093af'),
    {
      parameters: ['max_tokens', ...OPEN_SAMPLING, 'stop', 'seed', ...PENALTIES, 'repetition_penalty', 'logprobs', 'top_logprobs',
        ...TOOLS, 'reasoning', ...FORMATS],
      parametersPage: 'https://github.com/veniceai/api-docs/blob/00568f2e1703/swagger.yaml',
      reasonsByModel: true,
    }],
  ['wafer', 'Wafer', 'https://pass.wafer.ai/v1', 'WAFER_API_KEY', REGISTRY],
  ['wandb', 'WandB', 'https://api.inference.wandb.ai/v1', 'WANDB_API_KEY', REGISTRY],
  ['xiaomi', 'Xiaomi', 'https://api.xiaomimimo.com/v1', 'XIAOMI_API_KEY', REGISTRY],
]; // oxfmt-ignore

/** When the references of the rows were read. */
const READ = '2026-11-24';

export const PROVIDERS: readonly ProviderChoice[] = [
  {
    slug: 'anthropic',
    name: 'Anthropic',
    dialect: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    credentialVariable: 'ANTHROPIC_API_KEY',
    parameters: [
      'max_tokens',
      ...SAMPLING,
      'top_k',
      'stop',
      ...TOOLS,
      'reasoning',
      'structured_outputs',
      'response_format',
    ],
    reference: 'https://platform.claude.com/docs/en/api/messages',
    read: '2026-11-21',
  },
  {
    slug: 'openai',
    name: 'OpenAI',
    dialect: 'openai-chat',
    baseUrl: 'https://api.openai.com/v1',
    credentialVariable: 'OPENAI_API_KEY',
    // Reasoning models refuse sampling fields and stop.
    parameters: ['max_tokens', 'seed', ...TOOLS, 'structured_outputs', 'response_format'],
    reference: 'https://platform.openai.com/docs/api-reference/chat/create',
    read: '2026-11-21',
  },
  {
    slug: 'mistral',
    name: 'Mistral',
    dialect: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    credentialVariable: 'MISTRAL_API_KEY',
    billsLeftStreams: true,
    // Its seed is called random_seed, so `seed` is not listed.
    parameters: ['max_tokens', ...SAMPLING, 'stop', ...PENALTIES, ...TOOLS, 'structured_outputs', 'response_format'],
    reference: 'https://docs.mistral.ai/api',
    read: '2026-11-21',
  },
  {
    slug: 'groq',
    name: 'Groq',
    dialect: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    credentialVariable: 'GROQ_API_KEY',
    billsLeftStreams: true,
    parameters: ['max_tokens', ...SAMPLING, 'stop', 'seed', ...TOOLS, 'response_format'],
    reference: 'https://console.groq.com/docs/api-reference',
    read: '2026-11-21',
  },
  {
    slug: 'deepseek',
    name: 'DeepSeek',
    dialect: 'openai-chat',
    baseUrl: 'https://api.deepseek.com/v1',
    credentialVariable: 'DEEPSEEK_API_KEY',
    parameters: ['max_tokens', ...SAMPLING, 'stop', ...PENALTIES, ...TOOLS, 'response_format'],
    reference: 'https://api-docs.deepseek.com/api/create-chat-completion',
    read: '2026-11-21',
  },
  {
    slug: 'xai',
    name: 'xAI',
    dialect: 'openai-chat',
    baseUrl: 'https://api.x.ai/v1',
    credentialVariable: 'XAI_API_KEY',
    // Reasoning models refuse stop and penalties.
    parameters: ['max_tokens', ...SAMPLING, 'seed', ...TOOLS, 'structured_outputs', 'response_format'],
    reference: 'https://docs.x.ai/docs/api-reference',
    read: '2026-11-21',
  },
  {
    slug: 'fireworks',
    name: 'Fireworks',
    dialect: 'openai-chat',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    credentialVariable: 'FIREWORKS_API_KEY',
    parameters: [
      'max_tokens',
      ...SAMPLING,
      'top_k',
      'stop',
      ...PENALTIES,
      ...TOOLS,
      'structured_outputs',
      'response_format',
    ],
    reference: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
    read: '2026-11-21',
  },
  {
    slug: 'cerebras',
    name: 'Cerebras',
    dialect: 'openai-chat',
    baseUrl: 'https://api.cerebras.ai/v1',
    credentialVariable: 'CEREBRAS_API_KEY',
    parameters: ['max_tokens', ...SAMPLING, 'stop', 'seed', ...TOOLS, 'structured_outputs', 'response_format'],
    reference: 'https://inference-docs.cerebras.ai/api-reference/chat-completions',
    read: '2026-11-21',
  },
  {
    slug: 'moonshotai',
    name: 'Moonshot AI',
    dialect: 'openai-chat',
    baseUrl: 'https://api.moonshot.ai/v1',
    credentialVariable: 'MOONSHOT_API_KEY',
    // Newer models fix their sampling fields.
    parameters: ['max_tokens', 'stop', ...TOOLS, 'response_format'],
    reference: 'https://platform.kimi.ai/docs/api/chat',
    read: '2026-11-21',
  },
  {
    slug: 'z-ai',
    name: 'Z.AI',
    dialect: 'openai-chat',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    credentialVariable: 'ZAI_API_KEY',
    parameters: ['max_tokens', ...SAMPLING, 'stop', ...TOOLS, 'response_format'],
    reference: 'https://docs.z.ai/api-reference/llm/chat-completion',
    read: '2026-11-21',
  },
  {
    slug: 'minimax',
    name: 'MiniMax',
    dialect: 'openai-chat',
    baseUrl: 'https://api.minimax.io/v1',
    credentialVariable: 'MINIMAX_API_KEY',
    billsLeftStreams: true,
    parameters: ['max_tokens', ...SAMPLING, ...TOOLS],
    reference: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
    read: '2026-11-21',
  },
  ...ROWS.map(([slug, name, baseUrl, credentialVariable, reference, more]): ProviderChoice => ({
    slug,
    name,
    dialect: 'openai-chat',
    baseUrl,
    credentialVariable,
    reference,
    read: READ,
    ...more,
  })),
];
