/**
 * Models at providers that no data package at hand prices: what files of public repositories say of them, each at its
 * commit. Taken over by hand, a line a model. Left out: what a file gives no price or context for, what it has
 * converted from another currency, what is sold by subscription alone, hosts that take less media than the model, and
 * contexts longer than its author's.
 */
import type { TableModel, TablePrices } from './catalog-tables.js';

/** A model of the catalog at one provider, and who says so. */
export interface HostedModel {
  /** Its id in the catalog. */
  readonly id: string;
  readonly provider: string;
  /** Its name at the provider. */
  readonly upstream: string;
  readonly variant?: string;
  readonly figures: TableModel;
  readonly file: SourceFile;
}

/** A file at its commit. */
export interface SourceFile {
  readonly url: string;
  /** The day of its data, where it tells. */
  readonly published?: string;
  readonly licence?: string;
}

/** When the files were read. */
export const HOSTS_DATE = '2026-11-24';

type Prices = readonly [prompt: number, completion: number, cacheRead?: number, cacheWrite?: number];

interface More {
  /** It takes images too. */
  readonly images?: true;
  readonly variant?: string;
  /** Prices of a prompt of this many tokens and more. */
  readonly tiers?: readonly (readonly [from: number, ...Prices])[];
  readonly published?: string;
}

/** @param output 0: not told */
type Row = readonly [id: string, upstream: string, context: number, output: number, prices: Prices, more?: More];
/** Of a repository with a file for each model. */
type FileRow = readonly [commit: string, ...Row];

const IMAGES = { images: true } as const;

const pricesOf = ([prompt, completion, read, write]: Prices): TablePrices => ({
  prompt,
  completion,
  ...(read !== undefined && { read }),
  ...(write !== undefined && { write }),
});

function hosted(provider: string, row: Row, file: SourceFile): HostedModel {
  const [id, upstream, context, output, prices, { images, variant, tiers = [] } = {}] = row;
  return {
    id,
    provider,
    upstream,
    ...(variant !== undefined && { variant }),
    file,
    figures: {
      context,
      ...(output > 0 && { output }),
      input: images ? ['text', 'image'] : ['text'],
      prices: pricesOf(prices),
      ...(tiers.length > 0 && { tiers: tiers.map(([from, ...longer]) => ({ from, ...pricesOf(longer) })) }),
    },
  };
}

/** What a file there leaves out is its base model's, a file of the same repository that it names. */
function modelsDev(provider: string, folder: string, rows: readonly FileRow[]): readonly HostedModel[] {
  return rows.map(([commit, ...row]) => {
    const [, upstream, , , , more] = row;
    const path = `providers/${folder}/models/${upstream}.toml`;
    return hosted(provider, row, {
      url: `https://github.com/anomalyco/models.dev/blob/${commit}/${path}`,
      licence: 'MIT',
      ...(more?.published !== undefined && { published: more.published }),
    });
  });
}

function neurolink(
  provider: string,
  commit: string,
  name: string,
  published: string,
  rows: readonly Row[],
): readonly HostedModel[] {
  const url = `https://github.com/juspay/neurolink/blob/${commit}/src/lib/providers/catalog/${name}.json`;
  return rows.map((row) => hosted(provider, row, { url, published }));
}

// oxfmt-ignore
export const HOSTED: readonly HostedModel[] = [
  ...neurolink('ai21', 'f5e9fdf7b955', 'ai21', '2026-09-29', [
    ['ai21/jamba-large-1.7', 'jamba-large-1.7-2025-07', 256_000, 4096, [2, 8]],
    ['ai21/jamba-mini-2', 'jamba-mini-2-2026-01', 256_000, 4096, [0.2, 0.4]],
  ]),
  ...neurolink('aion-labs', 'f5e9fdf7b955', 'aionlabs', '2026-09-29', [
    ['aion-labs/aion-3.5', 'aion-labs/aion-3.5', 262_144, 32_768, [3, 6, 0.75]],
    ['aion-labs/aion-3.5-mini', 'aion-labs/aion-3.5-mini', 262_144, 32_768, [0.7, 1.4, 0.18]],
    ['aion-labs/aion-3.0', 'aion-labs/aion-3.0', 131_072, 32_768, [3, 6, 0.75]],
    ['aion-labs/aion-3.0-mini', 'aion-labs/aion-3.0-mini', 131_072, 32_768, [0.7, 1.4, 0.18]],
    ['aion-labs/aion-2.0', 'aion-labs/aion-2.0', 131_072, 32_768, [0.8, 1.6, 0.2]],
  ]),
  ...modelsDev('akashml', 'akashml', [
    ['a8ae6c2eb211', 'moonshotai/kimi-k2.6', 'moonshotai/Kimi-K2.6', 256_000, 0, [0.95, 4], IMAGES],
  ]),
  ...modelsDev('alibaba', 'alibaba', [
    ['0654d77cad6b', 'qwen/qwen3-coder-plus', 'qwen3-coder-plus', 1_000_000, 65_536, [1, 5, 0.2, 1.25],
      { tiers: [[32_001, 1.8, 9, 0.36, 2.25], [128_001, 3, 15, 0.6, 3.75], [256_001, 6, 60, 1.2, 7.5]] }],
    ['0654d77cad6b', 'qwen/qwen3.7-plus', 'qwen3.7-plus', 1_000_000, 65_536, [0.4, 1.6, 0.08, 0.5],
      { tiers: [[256_001, 1.2, 4.8, 0.24, 1.5]] }],
  ]),
  ...modelsDev('ambient', 'ambient', [
    ['8d60c4251cad', 'z-ai/glm-5.2', 'z-ai/glm-5.2', 202_752, 0, [0.6, 2, 0.15]],
    ['8d60c4251cad', 'z-ai/glm-5.2', 'zai-org/GLM-5.2-FP8', 202_752, 0, [1.2, 4.2, 0.26], { variant: 'fp8' }],
    ['35ee3251f099', 'z-ai/glm-5.1', 'zai-org/GLM-5.1-FP8', 202_752, 0, [1.4, 4.4]],
  ]),
  ...modelsDev('arcee-ai', 'arcee', [
    // A prompt may fill no more than this.
    ['3fdf89290b81', 'z-ai/glm-5.2', 'zai-org/glm-5.2', 131_072, 0, [1.4, 4.4, 0.26]],
  ]),
  ...modelsDev('atlas-cloud', 'atlascloud', [
    ['4a2138a54e01', 'moonshotai/kimi-k3', 'moonshotai/kimi-k3', 1_048_576, 0, [3, 15, 0.3]],
    ['f1be39c79960', 'z-ai/glm-5.3', 'zai-org/glm-5.3', 1_048_576, 0, [1.4, 4.4, 0.26]],
  ]),
  ...modelsDev('chutes', 'chutes', [
    ['6fa6d8b2d1a1', 'moonshotai/kimi-k3', 'moonshotai/Kimi-K3-TEE', 1_048_576, 65_535, [3, 15, 0.3]],
    ['6fa6d8b2d1a1', 'z-ai/glm-5.2', 'zai-org/GLM-5.2-TEE', 1_048_576, 65_535, [1.25, 3.95, 0.125]],
    ['4717c67054fe', 'z-ai/glm-4.7', 'zai-org/GLM-4.7-FP8', 202_752, 65_535, [0.2989, 1.1957, 0.14945]],
    ['01a21ca22314', 'qwen/qwen3.6-27b', 'Qwen/Qwen3.6-27B-TEE', 262_144, 65_536, [0.195, 1.56], IMAGES],
  ]),
  ...modelsDev('clarifai', 'clarifai', [
    ['1bd1449ec5ad', 'moonshotai/kimi-k2.6', 'moonshotai/chat-completion/models/Kimi-K2_6', 262_144, 0, [1.5, 1.5], IMAGES],
  ]),
  ...modelsDev('crusoe', 'crusoe', [
    ['13be95c178b9', 'z-ai/glm-5.3', 'zai-org/GLM-5.3', 1_048_576, 0, [1.4, 4.4, 0.26], { published: '2026-09-29' }],
    ['31566d52f46a', 'z-ai/glm-5.3-flash', 'zai-org/GLM-5.3-Flash', 1_048_576, 0, [0.15, 0.5, 0.03],
      { images: true, published: '2026-09-29' }],
    ['ba23367d6575', 'qwen/qwen3.8-27b', 'Qwen/Qwen3.8-27B', 262_144, 32_768, [0.25, 2, 0.15],
      { images: true, published: '2026-09-29' }],
  ]),
  ...modelsDev('digitalocean', 'digitalocean', [
    ['4d8ec3c8b6e9', 'z-ai/glm-5.2', 'glm-5.2', 262_144, 52_429, [0.63, 1.98, 0.0945]],
    ['72a02c82301b', 'deepseek/deepseek-v4.1-flash', 'deepseek-v4.1-flash', 1_000_000, 0, [0.3, 1.2, 0.006], IMAGES],
  ]),
  // It lists more by the thousand; a roster of its own figures, without one of output.
  ...neurolink('featherless', 'a681ca14d166', 'featherless-ai', '2026-09-28', [
    ['sao10k/l3.3-70b-euryale-v2.3', 'Sao10K/L3.3-70B-Euryale-v2.3', 32_768, 0, [0.65, 0.75]],
  ]),
  ...modelsDev('friendli', 'friendli', [
    ['6a65701cec8b', 'z-ai/glm-5.3', 'zai-org/GLM-5.3', 1_048_576, 0, [1.4, 4.4, 0.26], { published: '2026-08-29' }],
    ['6a65701cec8b', 'z-ai/glm-5.3-flash', 'zai-org/GLM-5.3-Flash', 1_048_576, 0, [0.15, 0.5, 0.03],
      { images: true, published: '2026-08-29' }],
  ]),
  ...modelsDev('gmicloud', 'gmicloud', [
    ['70daaf2335f5', 'minimax/minimax-m3', 'MiniMaxAI/MiniMax-M3', 1_048_576, 0, [0.6, 2.4, 0.12],
      { published: '2026-08-25', tiers: [[512_001, 1.2, 4.8, 0.24]] }],
    ['a9256aa21e2f', 'z-ai/glm-5.2', 'zai-org/GLM-5.2-FP8', 1_000_000, 131_072, [0.979, 3.08, 0.182]],
    ['506b1b0279f8', 'z-ai/glm-5', 'zai-org/GLM-5-FP8', 202_752, 131_072, [0.6, 1.92, 0.12]],
  ]),
  ...modelsDev('inception', 'inception', [
    ['ecee1e625844', 'inception/mercury-2', 'mercury-2', 128_000, 50_000, [0.25, 0.75, 0.025]],
  ]),
  ...modelsDev('inceptron', 'inceptron', [
    ['b0560b61955c', 'z-ai/glm-5.3', 'zai-org/GLM-5.3', 1_048_576, 0, [0.8912, 3.576, 0.1921]],
    ['506b1b0279f8', 'meta-llama/llama-3.3-70b-instruct', 'nvidia/llama-3.3-70b-instruct-fp8', 131_072, 0, [0.12, 0.38]],
  ]),
  ...modelsDev('inference-net', 'inference', [
    ['77e3456367ab', 'moonshotai/kimi-k3', 'kimi-k3', 1_048_576, 0, [3, 15, 0.3], { published: '2026-08-14' }],
    ['b073788a9f8a', 'z-ai/glm-5.2', 'glm-5.2', 200_000, 128_000, [1.3, 4.4, 0.2], { published: '2026-08-14' }],
    ['32399948bb71', 'deepseek/deepseek-v4-flash-0731', 'deepseek-v4-flash-0731', 1_048_575, 0, [0.168, 0.336, 0.0336],
      { published: '2026-08-14' }],
  ]),
  ...neurolink('io-net', '6fe6cb4cf7b8', 'io-intelligence', '2026-09-03', [
    ['z-ai/glm-5.3-flash', 'zai-org/GLM-5.3-Flash', 262_144, 131_072, [0.147997, 0.49399, 0.073999], IMAGES],
    ['z-ai/glm-5.3', 'zai-org/GLM-5.3', 262_144, 131_072, [1.39, 4.4, 0.695]],
    ['z-ai/glm-5.2', 'zai-org/GLM-5.2', 262_144, 131_072, [1.552, 4.884, 0.776]],
    ['z-ai/glm-5.1', 'zai-org/GLM-5.1', 202_750, 32_768, [1.29, 4.22, 0.645]],
    ['z-ai/glm-5', 'zai-org/GLM-5', 202_752, 0, [0.85, 2.774, 0.425]],
    ['z-ai/glm-4.7', 'zai-org/GLM-4.7', 202_752, 0, [0.88, 2.37, 0.44]],
    ['z-ai/glm-4.7-flash', 'zai-org/GLM-4.7-Flash', 200_000, 0, [0.062625, 0.4, 0.031313]],
    ['z-ai/glm-4.6', 'zai-org/GLM-4.6', 131_072, 0, [0.536, 2.07, 0.268]],
    ['z-ai/glm-4.5-air', 'zai-org/GLM-4.5-Air', 131_070, 0, [0.165, 0.975, 0.0825]],
    ['moonshotai/kimi-k3', 'moonshotai/Kimi-K3', 1_048_576, 0, [3.18, 15.9, 1.59]],
    ['moonshotai/kimi-k2.7-code', 'moonshotai/Kimi-K2.7-Code', 262_144, 0, [1.026, 4.53, 0.513], IMAGES],
    ['moonshotai/kimi-k2.6', 'moonshotai/Kimi-K2.6', 262_142, 0, [0.76744, 3.43436, 0.38372], IMAGES],
    ['moonshotai/kimi-k2.5', 'moonshotai/Kimi-K2.5', 262_144, 0, [0.5284, 2.785, 0.2642], IMAGES],
    ['moonshotai/kimi-k2-thinking', 'moonshotai/Kimi-K2-Thinking', 262_144, 0, [0.6, 2.5, 0.3]],
    ['moonshotai/kimi-k2-0905', 'moonshotai/Kimi-K2-Instruct-0905', 262_144, 0, [0.57, 2.3, 0.285]],
    ['minimax/minimax-m2.5', 'MiniMaxAI/MiniMax-M2.5', 196_600, 0, [0.294, 1.176, 0.147]],
    ['deepseek/deepseek-v4-pro', 'deepseek-ai/DeepSeek-V4-Pro', 1_048_576, 600_000, [1.618, 3.288, 0.809]],
    ['deepseek/deepseek-v4-flash', 'deepseek-ai/DeepSeek-V4-Flash', 32_768, 0, [0.199, 0.512, 0.0995]],
    ['deepseek/deepseek-v4-flash-0731', 'deepseek-ai/DeepSeek-V4-Flash-0731', 262_100, 65_536, [0.196, 0.534, 0.098]],
    ['deepseek/deepseek-v3.2', 'deepseek-ai/DeepSeek-V3.2', 163_840, 0, [1.4301, 2.4063, 0.71505]],
    ['deepseek/deepseek-r1-0528', 'deepseek-ai/DeepSeek-R1-0528', 128_000, 0, [0.56775, 2.279, 0.283875]],
    ['qwen/qwen3.8-27b', 'Qwen/Qwen3.8-27B', 65_536, 0, [0.39, 2.99, 0.195], IMAGES],
    ['qwen/qwen3.6-35b-a3b', 'Qwen/Qwen3.6-35B-A3B', 262_144, 0, [0.1872, 1.24675, 0.0936], IMAGES],
    ['qwen/qwen3.6-27b', 'Qwen/Qwen3.6-27B', 32_768, 0, [0.399, 3.19, 0.1995], IMAGES],
    ['qwen/qwen3-next-80b-a3b-instruct', 'Qwen/Qwen3-Next-80B-A3B-Instruct', 262_144, 0, [0.1175, 1.136, 0.05875]],
    ['meta-llama/llama-4-maverick', 'meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8', 430_000, 0, [0.274, 0.8992, 0.137],
      IMAGES],
    ['meta-llama/llama-3.3-70b-instruct', 'meta-llama/Llama-3.3-70B-Instruct', 128_000, 0, [0.6066, 1.0386, 0.3033]],
    ['mistralai/mistral-nemo', 'mistralai/Mistral-Nemo-Instruct-2407', 128_000, 0, [0.0635, 0.09875, 0.03175]],
    ['openai/gpt-oss-120b', 'openai/gpt-oss-120b', 131_072, 0, [0.188, 0.7, 0.094]],
    ['openai/gpt-oss-20b', 'openai/gpt-oss-20b', 64_000, 0, [0.067, 0.24, 0.0335]],
  ]),
  ...neurolink('mancer', '0de0368fc633', 'mancer', '2026-09-03', [
    ['deepseek/deepseek-v4-flash', 'deepseek-v4-flash', 1_048_576, 0, [0.07, 0.2]],
    ['deepseek/deepseek-v4-flash-0731', 'deepseek-v4-flash-0731', 1_048_576, 0, [0.07, 0.2]],
    ['z-ai/glm-4.7', 'glm-4.7', 131_072, 0, [0.28, 1]],
    ['openai/gpt-oss-120b', 'gpt-oss-120b', 131_072, 0, [0.022, 0.2]],
    ['gryphe/mythomax-l2-13b', 'mythomax', 8192, 0, [0.14, 0.24]],
  ]),
  ...neurolink('morph', '0de0368fc633', 'morph', '2026-09-05', [
    ['morph/morph-v3-large', 'morph-v3-large', 262_144, 131_072, [0.9, 1.9]],
    ['morph/morph-v3-fast', 'morph-v3-fast', 262_144, 131_072, [0.8, 1.2]],
  ]),
  ...modelsDev('near-ai', 'nearai', [
    ['0d11d143b9f1', 'moonshotai/kimi-k3', 'moonshotai/kimi-k3', 1_048_576, 262_144, [3.3, 16.5, 0.33],
      { published: '2026-09-08' }],
    ['0d11d143b9f1', 'qwen/qwen3.6-35b-a3b', 'Qwen/Qwen3.6-35B-A3B-FP8', 262_144, 32_768, [0.17, 1.1, 0.056],
      { images: true, published: '2026-09-08' }],
    ['775426d28099', 'qwen/qwen3.6-27b', 'Qwen/Qwen3.6-27B-FP8', 262_144, 8192, [0.325, 3.25, 0.16], IMAGES],
    ['2f08fe2579f1', 'z-ai/glm-5.1', 'zai-org/GLM-5.1-FP8', 202_752, 16_384, [1.4, 4.4, 0.26]],
  ]),
  ...modelsDev('nebius', 'nebius', [
    ['191f1c285077', 'moonshotai/kimi-k3', 'moonshotai/Kimi-K3', 1_048_576, 8000, [3, 15], { published: '2026-07-27' }],
    ['05cbd455da2d', 'moonshotai/kimi-k2.6', 'moonshotai/Kimi-K2.6', 256_000, 0, [0.95, 4], IMAGES],
    ['3fdf89290b81', 'z-ai/glm-5.2', 'zai-org/GLM-5.2', 1_048_576, 0, [1.4, 4.4]],
    ['1bf6d24195b5', 'deepseek/deepseek-v4-pro', 'deepseek-ai/DeepSeek-V4-Pro', 1_048_576, 0, [1.75, 3.5, 0.15]],
    ['38a2f09999e9', 'openai/gpt-oss-120b', 'openai/gpt-oss-120b', 128_000, 8192, [0.15, 0.6, 0.015, 0.18]],
  ]),
  ...modelsDev('parasail', 'parasail', [
    ['4b12eb6e50c2', 'z-ai/glm-5.3', 'parasail-glm-53', 1_048_576, 0, [1.4, 4.4, 0.26], { published: '2026-09-22' }],
    ['293b5edf7c42', 'meta-llama/llama-3.3-70b-instruct', 'parasail-llama-33-70b-fp8', 131_072, 0, [0.22, 0.5, 0.11],
      { published: '2026-09-22' }],
  ]),
  ...modelsDev('phala', 'phala', [
    ['8d77e2d19cb2', 'moonshotai/kimi-k3', 'moonshotai/kimi-k3', 1_048_576, 65_535, [3, 15, 0.3], { published: '2026-08-18' }],
    ['8d77e2d19cb2', 'z-ai/glm-5.2', 'z-ai/glm-5.2', 1_048_576, 131_072, [1.26, 3, 0.22], { published: '2026-08-18' }],
    ['8d77e2d19cb2', 'z-ai/glm-5.3-flash', 'z-ai/glm-5.3-flash', 1_048_576, 131_072, [0.15, 0.5, 0.03], IMAGES],
  ]),
  ...neurolink('primeintellect', 'f5e9fdf7b955', 'prime-intellect', '2026-09-29', [
    ['z-ai/glm-5.3', 'z-ai/glm-5.3', 1_048_576, 131_072, [1.4, 4.4, 0.26]],
    ['openai/gpt-oss-120b', 'openai/gpt-oss-120b', 131_072, 65_536, [0.35, 0.75]],
    ['qwen/qwen3-235b-a22b-instruct-2507', 'Qwen/Qwen3-235B-A22B-Instruct-2507', 262_144, 235_929, [0.25, 1]],
    ['deepseek/deepseek-v4-flash', 'deepseek/deepseek-v4-flash', 1_048_576, 131_072, [0.44, 1.32]],
    ['meta-llama/llama-3.3-70b-instruct', 'meta-llama/llama-3.3-70b-instruct', 131_072, 16_384, [1.04, 2.253]],
  ]),
  ...modelsDev('reka', 'reka', [
    ['823092012a42', 'rekaai/reka-flash-3', 'reka-flash-3', 65_536, 58_982, [0.1, 0.2], { published: '2026-10-03' }],
    ['6232261b0c40', 'z-ai/glm-5.3', 'glm5.3', 262_144, 69_000, [1.17, 3.96], { published: '2026-09-22' }],
  ]),
  hosted('relace', ['relace/relace-search', 'relace-search', 256_000, 0, [1, 3]], {
    // The context: openrouter.ai/relace.
    url: 'https://github.com/api-evangelist/relace/blob/7d30c626e3d6/plans/relace-plans-pricing.yml',
    published: '2026-10-07',
  }),
  ...modelsDev('sambanova', 'sambanova', [
    ['303ebd00d2c0', 'minimax/minimax-m3', 'MiniMax-M3', 512_000, 128_000, [0.6, 2.4, 0.06]],
    ['14769358f89b', 'openai/gpt-oss-120b', 'gpt-oss-120b', 128_000, 0, [0.22, 0.59]],
    ['069f4e2ec5ff', 'meta-llama/llama-3.3-70b-instruct', 'Meta-Llama-3.3-70B-Instruct', 128_000, 0, [0.6, 1.2]],
    ['0c4a2c4fb221', 'deepseek/deepseek-v3.2', 'DeepSeek-V3.2', 32_768, 7168, [3, 4.5], { published: '2026-06-10' }],
  ]),
  // It writes 1,048,576 as 1,049,000.
  ...modelsDev('siliconflow', 'siliconflow', [
    ['09e5335e68bf', 'moonshotai/kimi-k3', 'moonshotai/Kimi-K3', 1_048_576, 262_000, [2.7, 13.5, 0.27],
      { published: '2026-09-08' }],
    ['09e5335e68bf', 'z-ai/glm-5.3', 'zai-org/GLM-5.3', 1_048_576, 262_000, [1.4, 4.4, 0.26], { published: '2026-09-08' }],
    ['09e5335e68bf', 'z-ai/glm-5.3-flash', 'zai-org/GLM-5.3-Flash', 1_048_576, 262_000, [0.15, 0.5, 0.03],
      { images: true, published: '2026-09-08' }],
    ['09e5335e68bf', 'minimax/minimax-m3', 'MiniMaxAI/MiniMax-M3', 512_000, 131_000, [0.3, 1.2, 0.06],
      { published: '2026-09-08' }],
    ['057651a955b5', 'moonshotai/kimi-k2.6', 'moonshotai/Kimi-K2.6', 262_000, 0, [0.95, 4, 0.16], IMAGES],
  ]),
  ...neurolink('upstage', '6fe6cb4cf7b8', 'upstage', '2026-09-03', [
    ['upstage/solar-pro-4', 'solar-pro4-260806', 524_288, 131_072, [0.3, 1.2, 0.06]],
  ]),
];
