// What it costs to read the items of a body grows with their number, not with its square: 90,000 items take a sixth to
// half a second of CPU. With the square of their number they would take minutes.
import 'reflect-metadata';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { readBody } from '../../shared/http/dto.pipe.js';
import { CreateResponseDto } from './create-response.dto.js';
import { readRequest } from './read-request.js';

const MANY = 30_000;
const MS_MAX = 1_200;

const numbers = Array.from({ length: MANY }, (_, number) => `${number}`);
const user = { role: 'user', content: 'a' };
const call = (id: string): object => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{"a": 1}' });
const output = (id: string): object => ({ type: 'function_call_output', call_id: id, output: 'r' });

it.each([
  ['all results last', [...numbers.map(call), user, ...numbers.map(output)]],
  [
    'results around many words',
    [
      ...numbers.map(call),
      output('0'),
      { role: 'user', content: numbers.slice(0, 20_000).map((text) => ({ type: 'input_text', text })) },
      ...numbers.slice(1).map(output),
    ],
  ],
  ['a result in each turn', numbers.flatMap((id) => [call(id), output(id), user])],
])('reads very many items in time: %s', async (_, input) => {
  const read = (): void => {
    readRequest(readBody({ model: 'm', input }, CreateResponseDto), { betas: [] });
  };
  expect(await fastest(() => computedMs(read), MS_MAX)).toBeLessThan(MS_MAX);
});
