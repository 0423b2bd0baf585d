import type { LoggerService } from '@nestjs/common';
import type { EndingLogLevel } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import { pino, type DestinationStream, type Logger as Pino } from 'pino';
import { Secret } from '../core/secret.js';
import { SystemClock, type Clock } from '../core/time.js';
import type { Environment } from './environment.js';
import { printGeneration, tenths } from './generation-log.js';
import { isError, Redaction } from './redaction.js';
import { RepeatedLog } from './repeated-log.js';

/** What the log tells of one request. Nothing of it comes from a body, but the id of a model the catalog knows. */
export interface RequestLogFields {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route, never the URL: queries and path parameters stay out. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** How it ended: for a generation by the names of `ENDINGS`, else `completed` or `caller-gone`. */
  readonly outcome?: string | undefined;
  /** Only its first eight characters are written. */
  readonly keyHash?: string | undefined;
  /** Which answered it. */
  readonly generation?: Generation | undefined;
}

export interface LoggerOptions {
  /** A pino level, `silent` included. */
  readonly level: string;
  /** Standard output unless given. */
  readonly destination?: DestinationStream;
  /** Masked wherever they appear in a text. */
  readonly secrets?: readonly Secret[];
  readonly clock?: Clock;
}

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** What Nest tells of its own start: of use to nobody who runs the service. */
const FRAMEWORK_CONTEXTS: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

const PROBES: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);

const KEY_HASH_CHARACTERS = 8;
const STACK = /\n\s+at /;

/**
 * Nest's logger over pino: JSON lines on standard output, secrets masked, bodies never. The same warning or
 * error is written at most once in ten seconds, with the count of those held back. Lines are buffered and
 * flushed when the process exits.
 */
export class PinoLogger implements LoggerService {
  private readonly pino: Pino;
  private readonly output: DestinationStream;
  private readonly clock: Clock;
  private readonly redaction: Redaction;
  private readonly repeated: RepeatedLog;

  constructor({ level, destination, secrets, clock }: LoggerOptions) {
    this.output = destination ?? bufferedOutput();
    this.clock = clock ?? new SystemClock();
    this.pino = pino(
      {
        level,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      this.output,
    );
    this.redaction = new Redaction(secrets);
    this.repeated = new RepeatedLog(this.clock);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const isFramework = FRAMEWORK_CONTEXTS.has(rest.at(-1));
    this.write(isFramework ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    // What ended the start is thrown as well, and main tells it.
    this.write(rest.at(-1) === 'ExceptionHandler' ? 'debug' : 'error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /**
   * The one line of a request, when it has ended. Every request has its line; none is held back. It is printed here as
   * pino would write it, for a third of the time and memory: by name, so that a wider object brings nothing else along;
   * the fields hold no secrets, so nothing is searched.
   * @param ended the level that its generation's ending has; else a warning for 5xx, and only for debugging
   *   what asks every few seconds
   */
  request(fields: RequestLogFields, ended?: EndingLogLevel): void {
    const byStatus = fields.status >= 500 ? 'warn' : 'info';
    const level = PROBES.has(fields.route) ? 'debug' : ended === undefined || ended === 'info' ? byStatus : ended;
    if (!this.pino.isLevelEnabled(level)) return;
    const time = new Date(this.clock.now()).toISOString();
    const { requestId, method, route, status, durationMs, outcome, keyHash, generation } = fields;
    let line = `{"level":"${level}","time":"${time}","requestId":"${requestId}","method":${JSON.stringify(method)}`;
    line += `,"route":${JSON.stringify(route)},"status":${status},"durationMs":${tenths(durationMs)}`;
    if (generation) line += printGeneration(generation);
    if (outcome !== undefined) line += `,"outcome":"${outcome}"`;
    if (keyHash !== undefined) line += `,"key":"${keyHash.slice(0, KEY_HASH_CHARACTERS)}"`;
    this.output.write(`${line},"msg":"request"}\n`);
  }

  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const line = this.readLine(message, rest);
    if (level === 'warn' || level === 'error' || level === 'fatal') {
      const suppressed = this.repeated.admit(`${level} ${line.context} ${line.text}`);
      if (suppressed === undefined) return;
      if (suppressed > 0) line.fields['suppressed'] = suppressed;
    }
    this.pino[level]({ ...(line.context !== '' && { context: line.context }), ...line.fields }, line.text);
  }

  /** Nest gives the context last, a stack before it, and anything else in between. */
  private readLine(message: unknown, rest: readonly unknown[]): Line {
    const given = rest.filter((entry) => entry !== undefined);
    const last = given.at(-1);
    const context = typeof last === 'string' && !STACK.test(last) ? last : '';
    const extras = context === '' ? given : given.slice(0, -1);

    const line: Line = { text: '', context, fields: {} };
    if (isError(message)) {
      line.text = this.redaction.text(message.message);
      line.fields['error'] = this.redaction.value(message);
    } else if (typeof message === 'object' && message !== null) {
      line.text =
        'message' in message && typeof message.message === 'string' ? this.redaction.text(message.message) : '';
      line.fields['fields'] = this.redaction.value(message);
    } else {
      line.text = this.redaction.text(String(message));
    }
    for (const extra of extras) {
      if (isError(extra)) line.fields['error'] = this.redaction.value(extra);
      else if (typeof extra === 'string' && STACK.test(extra)) line.fields['stack'] = this.redaction.text(extra);
      else line.fields['fields'] = this.redaction.value(extra);
    }
    return line;
  }
}

/**
 * Lines wait for a buffer's worth, but never longer than this: a write for each of them would cost more than the line.
 */
const OUTPUT_CHARACTERS = 64 * 1024;
const OUTPUT_MS = 250;

/**
 * Standard output, written in pieces. The lines are gathered here: the destination would copy what
 * it holds at each of them.
 */
function bufferedOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false });
  let gathered = '';
  const flush = (): void => {
    if (gathered !== '') output.write(gathered);
    gathered = '';
  };
  setInterval(flush, OUTPUT_MS).unref();
  process.once('exit', () => {
    flush();
    output.flushSync();
  });
  return {
    write(line) {
      gathered += line;
      if (gathered.length >= OUTPUT_CHARACTERS) flush();
    },
  };
}

interface Line {
  text: string;
  context: string;
  fields: Record<string, unknown>;
}

/** The logger of a process with these settings: none of their secrets can be printed through it. */
export function createLogger(environment: Environment, destination?: DestinationStream): PinoLogger {
  const {
    databaseUrl,
    redisUrl,
    managementKey,
    apiKey,
    encryptionKeys,
    keyServices,
    otelEndpoint,
    httpProxy,
    httpsProxy,
  } = environment;
  return new PinoLogger({
    level: environment.logLevel,
    ...(destination && { destination }),
    secrets: [
      databaseUrl,
      redisUrl,
      managementKey,
      apiKey,
      httpProxy,
      httpsProxy,
      ...encryptionKeys.map(({ key }) => key),
      ...keyServices.flatMap((service) => Object.values(service).filter((value) => value instanceof Secret)),
      ...(otelEndpoint !== undefined ? [new Secret(otelEndpoint)] : []),
    ].filter((secret) => secret !== undefined),
  });
}
