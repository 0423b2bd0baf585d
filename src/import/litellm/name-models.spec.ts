// Clients keep requesting models by their old names, wherever the catalog can have such a name; for any names the ids
// are valid and unique.
import fc from 'fast-check';
import { MODEL_ID } from '../../catalog/read-model.js';
import { nameModels } from './name-models.js';

describe('ids for names', () => {
  it.each([
    ['gpt-4o', 'openai', 'openai/gpt-4o', ['gpt-4o']],
    ['openai/gpt-4o', 'azure', 'openai/gpt-4o', []],
    ['llama3:8b', 'ollama', 'ollama/llama3:8b', []],
    ['fast:nitro', 'mine', 'mine/fast-nitro', []],
    ['team/fast:nitro', 'mine', 'mine/fast-nitro', []],
    ['meta-llama/a/b-70B', 'together', 'together/b-70B', []],
    ['My best model!', 'mine', 'mine/My-best-model', []],
    ['a:B', 'mine', 'mine/a-B', []],
    ['…', 'mine', 'mine/model', []],
  ])('%s at %s is %s', (name, provider, id, aliases) => {
    expect(nameModels([[name, provider]])).toEqual([{ id, aliases }]);
  });

  it('in the file take precedence over made ones', () => {
    const namings = nameModels([
      ['gpt-4o', 'openai'],
      ['openai/gpt-4o', 'azure'],
    ]);
    expect(namings).toEqual([
      { id: 'openai/gpt-4o-2', aliases: ['gpt-4o'] },
      { id: 'openai/gpt-4o', aliases: [] },
    ]);
  });

  it('are valid and unique', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.stringMatching(/^[a-c]{1,2}[/:.][a-c]{1,2}(?::free|:online)?$/),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 20 }), (names) => {
        const ids = nameModels(names.map((one) => [one, 'p'])).map(({ id }) => id);
        for (const id of ids) expect(id).toMatch(MODEL_ID);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});
