// Every price of LiteLLM's that the catalog can represent is carried over, and nothing else is read as a price.
import { isPriceKey, readPrices } from './read-prices.js';

const BOTH = { input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 };

describe('prices of a deployment', () => {
  it.each([
    ['what goes in and out', BOTH, { prompt: '3', completion: '15' }],
    [
      'caches, reasoning and pictures',
      {
        ...BOTH,
        cache_read_input_token_cost: 3e-7,
        cache_creation_input_token_cost: 3.75e-6,
        cache_creation_input_token_cost_above_1hr: 6e-6,
        output_cost_per_reasoning_token: 1e-5,
        output_cost_per_image_token: 4e-5,
      },
      {
        prompt: '3',
        completion: '15',
        reasoning: '10',
        image_output: '40',
        input_cache_read: '0.3',
        input_cache_write: '3.75',
        input_cache_write_1h: '6',
      },
    ],
    [
      'long prompts, in rising order',
      {
        ...BOTH,
        output_cost_per_token_above_272k_tokens: 3e-5,
        input_cost_per_token_above_128k_tokens: 6e-6,
        cache_read_input_token_cost_above_128k_tokens: 6e-7,
      },
      {
        prompt: '3',
        completion: '15',
        tiers: [
          { min_prompt_tokens: 128_001, prompt: '6', input_cache_read: '0.6' },
          { min_prompt_tokens: 272_001, completion: '30' },
        ],
      },
    ],
    [
      'service tiers',
      { ...BOTH, input_cost_per_token_priority: 6e-6, output_cost_per_token_flex: 7.5e-6 },
      { prompt: '3', completion: '15', priority: { prompt: '6' }, flex: { completion: '7.5' } },
    ],
    ['one side at no cost', { ...BOTH, output_cost_per_token: 0 }, { prompt: '3', completion: '0' }],
  ])('has %s', (_, values, pricing) => expect(readPrices(values)).toEqual({ pricing }));

  it.each([
    ['nothing', {}],
    ['one side', { input_cost_per_token: 1e-6 }],
    ['null', { input_cost_per_token: null, output_cost_per_token: null }],
    ['time', { input_cost_per_second: 1e-4 }],
    ['the longer prompts alone', { input_cost_per_token_above_128k_tokens: 1e-6 }],
  ])('has none for %s', (_, values) => expect(readPrices(values)).toEqual({}));

  it('are free where both are 0', () => {
    expect(readPrices({ input_cost_per_token: 0, output_cost_per_token: '0' })).toEqual({ isFree: true });
  });

  it('names what cannot be read', () => {
    expect(readPrices({ ...BOTH, cache_read_input_token_cost: 'cheap' })).toEqual({
      fault: 'cache_read_input_token_cost',
    });
    expect(readPrices({ ...BOTH, input_cost_per_token: 1e-14 })).toEqual({ fault: 'input_cost_per_token' });
  });

  it.each(['input_cost_per_image', 'input_cost_per_token_batches', 'input_cost_per_character', 'model'])(
    '%s is no price key',
    (key) => expect(isPriceKey(key)).toBe(false),
  );
});
