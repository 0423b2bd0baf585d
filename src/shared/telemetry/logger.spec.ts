// No secret and no body reaches the log, a request has exactly one line, and an outage does not flood the log. A logger
// that writes to an array, canaries in every part of a message, and a clock moved by hand.
import { ProviderFault } from '../../core/errors.js';
import { Secret } from '../../core/secret.js';
import { Clock } from '../../core/time.js';
import { printGenerationFields } from '../../inference/generation-log.js';
import { createLogger, PinoLogger } from './logger.js';
import { readEnvironment } from '../read-environment.js';

class ManualClock extends Clock {
  at = 1_000_000;

  override now(): number {
    return this.at;
  }
}

function logTo(level = 'trace', secrets: Secret[] = []) {
  const lines: string[] = [];
  const clock = new ManualClock();
  const logger = new PinoLogger({ level, secrets, clock, destination: { write: (line) => void lines.push(line) } });
  const parsed = (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line));
  return { logger, lines, parsed, clock };
}

describe('PinoLogger', () => {
  it('writes one JSON line with level, ISO time, context and message', () => {
    const { logger, parsed } = logTo();
    logger.log('started', 'Nest');
    expect(parsed()).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), context: 'Nest', msg: 'started' },
    ]);
  });

  it.each([
    ['verbose', 'trace'],
    ['debug', 'debug'],
    ['log', 'info'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['fatal', 'fatal'],
  ] as const)('maps %s to the level %s', (method, level) => {
    const { logger, parsed } = logTo();
    logger[method]('x');
    expect(parsed()[0]).toMatchObject({ level });
  });

  it('keeps the stack and the context of an error apart', () => {
    const { logger, parsed } = logTo();
    logger.error('it broke', 'Error: it broke\n    at here (file.ts:1:1)', 'Room');
    logger.error(new TypeError('it broke too'), undefined, 'Room');
    expect(parsed()).toMatchObject([
      { msg: 'it broke', context: 'Room', stack: expect.stringContaining('at here') },
      { msg: 'it broke too', context: 'Room', error: { type: 'TypeError', stack: expect.any(String) } },
    ]);
  });

  it('is silent when so configured', () => {
    const { logger, lines } = logTo('silent');
    logger.fatal('x');
    logger.request({ requestId: 'r', method: 'GET', route: '/x', status: 500, durationMs: 1 });
    expect(lines).toEqual([]);
  });

  it('masks secrets anywhere in a message', () => {
    const { logger, lines } = logTo('trace', [
      new Secret('postgres://user:cana%21ry@db/x'),
      new Secret('own canary key 16'),
    ]);
    const key = `sk-fl-v1-${'canary00'.repeat(8)}`;
    logger.log(`key ${key}`);
    logger.debug(`authorization: Bearer canary-canary-canary`);
    logger.verbose('connect postgres://user:canary@other/db');
    logger.log('password cana!ry refused, own canary key 16 too');
    logger.warn({
      message: 'object',
      authorization: 'canary',
      nested: { 'x-api-key': 'canary', deeper: [{ cookie: 'canary' }] },
    });
    logger.error(
      Object.assign(new Error(`failed with ${key}`), { query: 'canary', parameters: ['canary'], body: 'canary' }),
    );
    logger.error('outer', new Error('a', { cause: new Error(`b ${key}`) }), 'Room');
    logger.fatal('text', { credential: 'canary', secret: new Secret('canary'), body: { messages: 'canary' } }, 'Room');
    logger.error('stack', `Error: ${key}\n    at x (y:1:1)`, 'Room');
    expect(lines).toHaveLength(9);
    expect(lines.join('').replaceAll('own canary', '')).not.toMatch(/cana/);
    expect(lines.join('')).not.toContain('own canary key');
  });

  it('masks every secret of the environment', () => {
    const environment = readEnvironment(
      {
        LOG_LEVEL: 'trace',
        DATABASE_URL: 'postgres://u:canary-1@db/x',
        REDIS_URL: 'redis://:canary-2@cache',
        FAIRLEAD_MANAGEMENT_KEY: 'the canary-3 is here',
        FAIRLEAD_API_KEY: 'the canary-4 is here',
        FAIRLEAD_ENCRYPTION_KEYS: `k:${Buffer.alloc(32, 'canary-5').toString('base64')}`,
        FAIRLEAD_KEY_SERVICE:
          'aws-kms:arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab,vault-transit:t/k',
        AWS_ACCESS_KEY_ID: 'canary-6',
        AWS_SECRET_ACCESS_KEY: 'canary-7',
        AWS_SESSION_TOKEN: 'canary-8',
        VAULT_ADDR: 'https://vault',
        VAULT_TOKEN: 'canary-9',
      },
      '/srv',
    ).environment;
    const lines: string[] = [];
    const logger = createLogger(environment, { write: (line) => void lines.push(line) });
    const secrets = [environment.databaseUrl, environment.redisUrl, environment.managementKey, environment.apiKey];
    for (const secret of [...secrets, environment.encryptionKeys[0]?.key]) logger.log(`it is ${secret?.reveal()}`);
    logger.log('auth failed for canary-1 and canary-2');
    logger.log('and for canary-6, canary-7, canary-8 and canary-9');
    logger.log(environment);
    expect(lines).toHaveLength(8);
    expect(lines.join('')).not.toMatch(/canary|Y2FuYXJ5/);
  });

  it('bounds the length of a message and the depth of a value', () => {
    const { logger, parsed, lines } = logTo();
    const deep: Record<string, unknown> = {};
    deep['self'] = deep;
    logger.log('x'.repeat(100_000));
    logger.log({ message: 'deep', deep, wide: Array.from({ length: 1000 }, () => 'y') });
    expect(String(parsed()[0]?.['msg'])).toHaveLength(4097);
    expect(lines[1]!.length).toBeLessThan(2000);
  });

  it('writes the one line of a request field by field and nothing else', () => {
    const { logger, parsed } = logTo();
    const leg = (provider: string, model: string) => ({
      model: { id: model },
      endpoint: { provider: { slug: provider } },
    });
    const refused = Object.assign(new Error('canary'), { code: 'ECONNREFUSED' });
    const fault = new ProviderFault('unreachable', 'canary', {}, { cause: refused });
    const began = { beganAt: 1 };
    const failed = {
      ...began,
      leg: leg('acme', 'acme/one'),
      ending: 'provider-unreachable',
      fault,
      endedAt: 2.234,
      body: 'canary',
    };
    const answer = {
      ...began,
      leg: leg('sandbox', 'sandbox/echo'),
      ending: 'completed',
      endedAt: 9,
      answeredStatus: 200,
    };
    const calls = [...Array.from({ length: 7 }, () => ({ ...answer, body: 'canary' })), failed, answer];
    const wide = {
      requestId: 'r1',
      method: 'POST',
      route: '/messages',
      status: 200,
      durationMs: 12.3456,
      generation: {
        ...began,
        id: 'gen-1-a',
        request: { stream: true, messages: 'canary' },
        calls,
        answer,
        committedAt: 6.678,
        charged: {
          inputTokens: 10,
          outputTokens: Number.NaN,
          cacheReadTokens: 3,
          cacheWriteTokens: 0,
          extras: 'canary',
        },
        bill: { cost: 10_000_000n },
        caller: 'canary',
      },
      outcome: 'completed',
      keyHash: 'abcdef0123456789',
      body: 'canary',
      key: 'canary',
    };
    logger.request(wide, undefined, wide.generation as never, printGenerationFields);
    const { time: _time, ...line } = parsed()[0]!;
    expect(line).toEqual({
      level: 'info',
      msg: 'request',
      requestId: 'r1',
      method: 'POST',
      route: '/messages',
      status: 200,
      durationMs: 12.3,
      generationId: 'gen-1-a',
      model: 'sandbox/echo',
      provider: 'sandbox',
      streamed: true,
      attempts: [
        ...Array.from({ length: 6 }, () => ({ provider: 'sandbox', model: 'sandbox/echo', status: 200, ms: 8 })),
        { provider: 'acme', model: 'acme/one', fault: 'unreachable', code: 'ECONNREFUSED', ms: 1.2 },
        { provider: 'sandbox', model: 'sandbox/echo', status: 200, ms: 8 },
      ],
      attemptCount: 9,
      firstTokenMs: 5.7,
      inputTokens: 10,
      cacheReadTokens: 3,
      costUsd: 0.00001,
      outcome: 'completed',
      key: 'abcdef01',
    });
  });

  it('warns of requests answered 5xx, and suppresses none', () => {
    const { logger, parsed } = logTo('warn');
    const request = { requestId: 'r', method: 'GET', route: '/x', durationMs: 1 };
    logger.request({ ...request, status: 499 });
    for (let index = 0; index < 3; index++) logger.request({ ...request, status: 500 });
    expect(parsed()).toHaveLength(3);
  });

  it('writes the same warning once in ten seconds, then reports how many were suppressed', () => {
    const { logger, parsed, clock } = logTo();
    for (let index = 0; index < 500; index++) logger.warn('no connection', 'Redis');
    logger.error('no connection', undefined, 'Redis');
    logger.warn('no connection', 'Database');
    clock.at += 9999;
    logger.warn('no connection', 'Redis');
    clock.at += 1;
    logger.warn('no connection', 'Redis');
    expect(parsed().map(({ level, context, suppressed }) => [level, context, suppressed])).toEqual([
      ['warn', 'Redis', undefined],
      ['error', 'Redis', undefined],
      ['warn', 'Database', undefined],
      ['warn', 'Redis', 500],
    ]);
  });
});
