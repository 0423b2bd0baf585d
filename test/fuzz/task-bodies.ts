import { startDouble, type Double } from '../support/doubles/start-double.js';
import type { Providers } from './fuzz-bodies.js';

/** The sandbox, and strict doubles of vendors that compute: a body that one of them refuses is a fault. */
export async function computingProviders(task: 'embeddings' | 'rerank'): Promise<Providers> {
  const double: Double = await startDouble('direct');
  double.script({ alter: (body) => body });
  const dialects = { openai: 'openai-chat', cohere: 'cohere-chat', gemini: 'google-gemini' } as const;
  const upstreams = {
    embeddings: { openai: 'text-embedding-3-small', cohere: 'embed-v4.0', gemini: 'gemini-embedding-001' },
    rerank: { openai: 'jina-reranker', cohere: 'rerank-v4.0-pro' },
  }[task];
  const vendors = Object.entries(upstreams) as [keyof typeof dialects, string][];
  return {
    models: [`sandbox/${task}`, ...vendors.map(([slug]) => `test/${slug}`)],
    catalog: {
      version: 1,
      extends: 'default',
      providers: vendors.map(([slug]) => ({
        slug: `test-${slug}`,
        name: slug,
        dialect: dialects[slug],
        base_url: double.baseUrl(dialects[slug]),
        credential: { value: double.credential },
        ...(task === 'rerank' && slug === 'openai' && { quirks: { rerank: 'jina' } }),
      })),
      models: vendors.map(([slug, model]) => ({
        id: `test/${slug}`,
        name: slug,
        context_length: 8192,
        input_modalities: ['text', 'image'],
        output_modalities: [task],
        image_tokens_max: 1000,
        ...(task === 'embeddings' && { dimensions: slug === 'openai' ? [64, 32, 16] : [1536, 1024, 512, 256] }),
        endpoints: [{ provider: `test-${slug}`, model, pricing: { prompt: '1' } }],
      })),
    },
    close: async () => {
      await double.close();
      expect(double.violations).toEqual([]);
    },
  };
}
