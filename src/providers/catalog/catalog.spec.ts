// Goal: every definition is well-formed and found by its slug. Method: walks the list, so a new
// provider is under test at once.
import { EFFORTS } from '../../core/conversation/effort.js';
import { DEFINITIONS, definitionOf } from './index.js';

describe('provider definitions', () => {
  it('names each provider once', () => {
    const slugs = DEFINITIONS.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(slugs.length);
  });

  it.each(DEFINITIONS.map((definition) => [definition.slug, definition] as const))(
    '%s is well-formed',
    (slug, definition) => {
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(definitionOf(slug, 'none')).toBe(definition);
      for (const effort of definition.quirks.efforts ?? []) expect(EFFORTS).toContain(effort);
      expect(definition.quirks.omit ?? []).not.toContain('messages');
      expect(definition.quirks.omit ?? []).not.toContain('model');
    },
  );

  it('gives a provider that nobody described the default scheme and no quirks', () => {
    expect(definitionOf('my-vllm', 'bearer')).toEqual({ slug: 'my-vllm', credential: 'bearer', quirks: {} });
    expect(definitionOf('my-proxy', 'x-api-key').credential).toBe('x-api-key');
  });

  it('takes the provider’s own scheme before the default', () => {
    expect(definitionOf('anthropic', 'bearer').credential).toBe('x-api-key');
  });

  it('lets the catalog file speak first, quirk by quirk', () => {
    const { quirks } = definitionOf('mistral', 'none', { toolCallIdLength: 12, reasoningStyle: 'reasoning_effort' });
    expect(quirks).toMatchObject({ toolCallIdLength: 12, reasoningStyle: 'reasoning_effort', omit: expect.anything() });
    expect(definitionOf('my-vllm', 'bearer', { returnsReasoning: true }).quirks).toEqual({ returnsReasoning: true });
    expect(definitionOf('mistral', 'none').quirks.toolCallIdLength).toBe(9);
  });

  it('is not fooled by names of object members', () => {
    expect(definitionOf('constructor', 'bearer').quirks).toEqual({});
    expect(definitionOf('__proto__', 'bearer').quirks).toEqual({});
  });
});
