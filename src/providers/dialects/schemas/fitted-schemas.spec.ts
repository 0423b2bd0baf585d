// Goal: a tool reaches Claude unchanged only if its schema is what Claude takes. Method: schemas of flat objects.
import type { Json } from '../../../core/json/json.js';
import { isTakenByClaude } from './fitted-schemas.js';

it.each<[Json | undefined, boolean]>([
  [{ a: { type: 'string' } }, true],
  [{}, true],
  [undefined, true],
  [[], false],
  [null, false],
  ['text', false],
  [5, false],
  [{ a: 'string' }, false],
])('a flat object with the properties %j: %p', (properties, expected) => {
  expect(isTakenByClaude({ type: 'object', ...(properties !== undefined && { properties }) })).toBe(expected);
});
