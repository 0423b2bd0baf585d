/**
 * A statement reaches the engine as one piece, in any form, and single messages are not held back; many in a row leave
 * turns to others; an engine that dies reports it once, and receives nothing more. The messages of the driver, in front
 * of an engine that records its input.
 */
import type { PGlite } from '@electric-sql/pglite';
import { serialize } from 'pg-protocol';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { EngineDied, EngineLife } from './engine-life.js';
import { EngineTurns } from './engine-turns.js';
import { gatheringMessages } from './gathered-messages.js';

const PARSE = serialize.parse({ name: 'a', text: 'select $1', types: [] });
const BIND = serialize.bind({ statement: 'a', values: ['one'] });
const DESCRIBE = serialize.describe({ type: 'P', name: '' });
const EXECUTE = serialize.execute();
const CLOSE = serialize.close({ type: 'S', name: 'a' });
const [FLUSH, SYNC] = [serialize.flush(), serialize.sync()];

let handed: { readonly piece: Buffer; readonly options: unknown }[];
let isBroken: boolean;
let failure: object | undefined;
const engine = {
  waitReady: Promise.resolve(),
  execProtocolStream: async (piece: Uint8Array, options: unknown): Promise<unknown[]> => {
    if (isBroken) throw new Error('The engine is gone.');
    handed.push({ piece: Buffer.from(piece), options });
    return failure ? [failure] : [{ name: `answer ${handed.length}` }];
  },
} as unknown as PGlite;
beforeEach(() => {
  handed = [];
  isBroken = false;
  failure = undefined;
});

const send = async (connection: PGlite, ...messages: readonly Uint8Array[]): Promise<string[]> => {
  const answers = [];
  for (const message of messages)
    answers.push(...(await connection.execProtocolStream(message, { throwOnError: false })));
  return answers.map(({ name }) => name);
};

it.each<[string, Buffer[][]]>([
  ['a statement up to its end', [[PARSE, BIND, DESCRIBE, EXECUTE, SYNC]]],
  ['a statement whose rows are fetched in parts', [[PARSE, BIND, EXECUTE, FLUSH], [EXECUTE, FLUSH], [SYNC]]],
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
])('passes on %s', async (_what, pieces) => {
  const connection = gatheringMessages(engine);
  expect(await send(connection, ...pieces.flat())).toEqual(pieces.map((_, index) => `answer ${index + 1}`));
  expect(handed.map(({ piece }) => piece.toString('hex'))).toEqual(
    pieces.map((piece) => Buffer.concat(piece).toString('hex')),
  );
  expect(handed[0]!.options).toEqual({ throwOnError: false, syncToFs: false });
});

it('separates connections, and keeps nothing of a statement that the engine did not take', async () => {
  const [one, other] = [gatheringMessages(engine), gatheringMessages(engine)];
  await send(one, PARSE, BIND);
  expect(await send(other, PARSE, SYNC)).toEqual(['answer 1']);
  isBroken = true;
  await expect(send(one, EXECUTE, SYNC)).rejects.toThrow('gone');
  isBroken = false;
  await send(one, BIND, SYNC);
  expect(handed.at(-1)!.piece).toEqual(Buffer.concat([BIND, SYNC]));
});

describe('an engine', () => {
  const NO_ROOM = 'could not write to file "pg_wal/xlogtemp.42": No space left on device';
  const failWith = (severity: string): void => {
    failure = { name: 'error', severity, code: '53100', message: NO_ROOM };
  };

  it.each(['PANIC', 'FATAL'])('is dead after a %s, for every connection, and counts as unavailable', async (severity) => {
    const life = new EngineLife();
    const [one, other] = [gatheringMessages(engine, life), gatheringMessages(engine, life)];
    failWith(severity);
    const died = await send(one, PARSE, BIND, EXECUTE, SYNC).catch((error: unknown) => error);
    expect(died).toMatchObject({ message: `The embedded database has ended: ${severity}: ${NO_ROOM}` });
    expect(isDatabaseUnavailable(died)).toBe(true);
    expect(await life.death).toBe(died);
    failure = undefined;
    for (const connection of [one, other]) await expect(send(connection, PARSE, SYNC)).rejects.toBe(died);
    expect(handed).toHaveLength(1);
  }); // oxfmt-ignore

  it.each(['ERROR', 'WARNING', 'NOTICE'])('survives an %s', async (severity) => {
    const life = new EngineLife();
    const connection = gatheringMessages(engine, life);
    failWith(severity);
    await send(connection, PARSE, SYNC);
    failure = undefined;
    expect(await send(connection, PARSE, SYNC)).toEqual(['answer 2']);
    expect(life.diedOf).toBe(undefined);
  });

  it('reports the first cause of its death', () => {
    const life = new EngineLife();
    const [first, second] = ['one', 'other'].map((reason) => new EngineDied(reason));
    life.end(first!);
    life.end(second!);
    expect(life.diedOf).toBe(first);
  });
});

it('lets others in between many statements in a row, whichever connections send them', async () => {
  const busy = {
    ...engine,
    execProtocolStream: async (): Promise<unknown[]> => {
      for (const began = performance.now(); performance.now() - began < 1;);
      return [];
    },
  } as unknown as PGlite;
  const turns = new EngineTurns();
  const connections = [1, 2].map(() => gatheringMessages(busy, undefined, turns));
  let passed = 0;
  const other = setInterval(() => passed++, 0);
  for (let done = 0; done < 100; done++) await connections[done % 2]!.execProtocolStream(SYNC, {});
  clearInterval(other);
  expect(passed).toBeGreaterThan(10);
});
