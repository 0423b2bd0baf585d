import type { LoggerService } from '@nestjs/common';
import type { EndingLogLevel } from '../../core/generation/ending.js';
import { pino, type DestinationStream, type Logger as Pino } from 'pino';
import { Secret } from '../../core/secret.js';
import { SystemClock, tenths, type Clock } from '../../core/time.js';
import type { Environment } from '../environment.js';
import { isError, Redaction } from './redaction.js';
import { RepeatedLog } from './repeated-log.js';

/** The fields of a request's log line. None come from a body, except the id of a model in the catalog. */
export interface RequestLogFields {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route, never the URL: it contains neither queries nor path parameters. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** The end of the request: for a generation a name of `ENDINGS`, else `completed` or `caller-gone`. */
  readonly outcome?: string | undefined;
  /** The limit that refused it, as `error.metadata.limit_source` names it, without ids. */
  readonly limitSource?: string | undefined;
  /** Only its first eight characters are written. */
  readonly keyHash?: string | undefined;
}

export interface LoggerOptions {
  /** A pino level, or `silent`. */
  readonly level: string;
  /** Standard output unless given. */
  readonly destination?: DestinationStream;
  /** Masked wherever they appear in a text. */
  readonly secrets?: readonly Secret[];
  readonly clock?: Clock;
}

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Nest's messages about its own start: of no use to operators. */
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
 * Nest's logger over pino: JSON lines on standard output, secrets masked, bodies never. The same warning or error is
 * written at most once in ten seconds, with the number of suppressed ones. Lines are buffered and flushed when the
 * process exits.
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
    // An error that ends the start is also thrown, and logged by main.
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
   * Writes the single line of a finished request. Never suppressed. It is built here in pino's format, which takes a
   * third of pino's time and memory. Only these fields are written, so an object with further ones adds nothing to the
   * line. They contain no secrets, so nothing is masked.
   * @param ended the level of its generation's ending; else a warning for 5xx, and debug for requests that repeat every
   * few seconds
   * @param printReply returns the fields of the reply, as the middle of a JSON object
   */
  request<R>(fields: RequestLogFields, ended?: EndingLogLevel, reply?: R, printReply?: (reply: R) => string): void {
    const byStatus = fields.status >= 500 ? 'warn' : 'info';
    const level = PROBES.has(fields.route) ? 'debug' : ended === undefined || ended === 'info' ? byStatus : ended;
    if (!this.pino.isLevelEnabled(level)) return;
    const time = new Date(this.clock.now()).toISOString();
    const { requestId, method, route, status, durationMs, outcome, limitSource, keyHash } = fields;
    let line = `{"level":"${level}","time":"${time}","requestId":"${requestId}","method":${JSON.stringify(method)}`;
    line += `,"route":${JSON.stringify(route)},"status":${status},"durationMs":${tenths(durationMs)}`;
    if (reply !== undefined && printReply) line += printReply(reply);
    if (outcome !== undefined) line += `,"outcome":"${outcome}"`;
    if (limitSource !== undefined) line += `,"limitSource":"${limitSource}"`;
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

  /** Nest passes the context last, a stack before it, and anything else in between. */
  private readLine(message: unknown, rest: readonly unknown[]): Line {
    const parts = rest.filter((entry) => entry !== undefined);
    const last = parts.at(-1);
    const context = typeof last === 'string' && !STACK.test(last) ? last : '';
    const extras = context === '' ? parts : parts.slice(0, -1);

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

/** Lines are collected up to a buffer, but never longer than this: a write for each would cost more than the line. */
const OUTPUT_CHARACTERS = 64 * 1024;
const OUTPUT_MS = 250;

/**
 * Standard output, written in pieces. Lines are collected here because the destination would copy its buffer for each
 * of them.
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
    oidcClientSecret,
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
      oidcClientSecret,
      httpProxy,
      httpsProxy,
      ...encryptionKeys.map(({ key }) => key),
      ...keyServices.flatMap((service) => Object.values(service).filter((value) => value instanceof Secret)),
      ...(otelEndpoint !== undefined ? [new Secret(otelEndpoint)] : []),
    ].filter((secret) => secret !== undefined),
  });
}
