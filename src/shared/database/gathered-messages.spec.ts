/**
 * Goal: a statement reaches the engine as one piece, whatever it is made of, and what stands alone is not held back.
 * Method: the messages of the driver, before an engine that writes down what it is handed.
 */
import type { PGlite } from '@electric-sql/pglite';
import { serialize } from 'pg-protocol';
import { gatheringMessages } from './gathered-messages.js';

const PARSE = serialize.parse({ name: 'a', text: 'select $1', types: [] });
const BIND = serialize.bind({ statement: 'a', values: ['one'] });
const DESCRIBE = serialize.describe({ type: 'P', name: '' });
const EXECUTE = serialize.execute();
const CLOSE = serialize.close({ type: 'S', name: 'a' });
const [FLUSH, SYNC] = [serialize.flush(), serialize.sync()];

let handed: { readonly piece: Buffer; readonly options: unknown }[];
let isBroken: boolean;
const engine = {
  waitReady: Promise.resolve(),
  execProtocolStream: async (piece: Uint8Array, options: unknown): Promise<unknown[]> => {
    if (isBroken) throw new Error('The engine is gone.');
    handed.push({ piece: Buffer.from(piece), options });
    return [{ name: `answer ${handed.length}` }];
  },
} as unknown as PGlite;
beforeEach(() => {
  handed = [];
  isBroken = false;
});

const send = async (connection: PGlite, ...messages: readonly Uint8Array[]): Promise<string[]> => {
  const answers = [];
  for (const message of messages)
    answers.push(...(await connection.execProtocolStream(message, { throwOnError: false })));
  return answers.map(({ name }) => name);
};

it.each<[string, Buffer[][]]>([
  ['a statement up to its end', [[PARSE, BIND, DESCRIBE, EXECUTE, SYNC]]],
  ['a statement whose rows are asked for in parts', [[PARSE, BIND, EXECUTE, FLUSH], [EXECUTE, FLUSH], [SYNC]]],
  [
    'statements behind each other',
    [
      [PARSE, BIND, EXECUTE, SYNC],
      [BIND, EXECUTE, SYNC],
      [CLOSE, SYNC],
    ],
  ],
  ['a simple query by itself', [[serialize.query('select 1')], [serialize.query('rollback')]]],
  [
    'what is copied as it comes',
    [[serialize.copyData(Buffer.from('a'))], [serialize.copyDone()], [serialize.copyFail('no')]],
  ],
])('hands over %s', async (_what, pieces) => {
  const connection = gatheringMessages(engine);
  expect(await send(connection, ...pieces.flat())).toEqual(pieces.map((_, place) => `answer ${place + 1}`));
  expect(handed.map(({ piece }) => piece.toString('hex'))).toEqual(
    pieces.map((piece) => Buffer.concat(piece).toString('hex')),
  );
  expect(handed[0]!.options).toEqual({ throwOnError: false, syncToFs: false });
});

it('keeps connections apart, and nothing of a statement that the engine did not take', async () => {
  const [one, other] = [gatheringMessages(engine), gatheringMessages(engine)];
  await send(one, PARSE, BIND);
  expect(await send(other, PARSE, SYNC)).toEqual(['answer 1']);
  isBroken = true;
  await expect(send(one, EXECUTE, SYNC)).rejects.toThrow('gone');
  isBroken = false;
  await send(one, BIND, SYNC);
  expect(handed.at(-1)!.piece).toEqual(Buffer.concat([BIND, SYNC]));
});
