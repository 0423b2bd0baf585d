import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEY, extendedCatalogOf, MANAGEMENT_KEY, type CatalogEntry } from '../support/app.js';
import { GatewayProcess } from '../support/gateway-process.js';

/**
 * What the victims of an attack may wait longer than those of the gateway beside it, in milliseconds (99.5th
 * percentile).
 */
const EXCESS_MS_MAX = 250;
/** Long enough for the percentile not to be the slowest of all: more than 300 requests on a quiet machine. */
const MEASURED_MS = 6_000;
/** An attack may be at its worst when it begins, so the victims start before it. */
const LEAD_MS = 300;

/** One side's answers, in the order of their requests. */
interface Measured {
  readonly ms: readonly number[];
  readonly faults: readonly string[];
}

/** The measurements of the victims during one attack. */
export interface Felt {
  readonly attacked: Measured;
  readonly control: Measured;
}

/**
 * Two gateways as processes of their own, with all defaults, on the embedded database: one is attacked, the other is
 * the control. Both serve the same victims, which are in a third process together with the provider: an inference key
 * on both faces, whole and streamed, and an administrator, on kept and on new connections.
 */
export class VictimBench {
  private constructor(
    private readonly directory: string,
    private readonly victims: ChildProcess,
    private readonly attacked: GatewayProcess,
    private readonly control: GatewayProcess,
  ) {}

  /**
   * @param variables as a user would set them, for both gateways
   * @param models more entries for the catalog, beside the victims' model
   */
  static async open(variables: NodeJS.ProcessEnv = {}, models: readonly CatalogEntry[] = []): Promise<VictimBench> {
    const directory = await mkdtemp(join(tmpdir(), 'fairlead-hostile-'));
    const victims = fork(join(__dirname, 'victims.mjs'), { stdio: 'inherit' });
    const [port] = (await once(victims, 'message')) as [number];
    const catalog = join(directory, 'catalog.json');
    const url = `http://127.0.0.1:${port}/v1`;
    const well = { id: 'test/well', at: [{ url, dialect: 'openai-chat' as const }] };
    await writeFile(catalog, JSON.stringify(extendedCatalogOf(well, ...models)));
    const start = (name: string): Promise<GatewayProcess> =>
      GatewayProcess.start(join(directory, name), {
        FAIRLEAD_CATALOG: catalog,
        FAIRLEAD_INITIAL_CREDITS: '1000000',
        ...variables,
      });
    const started = await Promise.allSettled([start('attacked'), start('control')]);
    const [attacked, control] = started.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
    const bench = new VictimBench(directory, victims, attacked!, control!);
    const failed = started.find((one) => one.status === 'rejected');
    if (!failed) return bench;
    await bench.close();
    throw failed.reason;
  }

  /** Address of the attacked gateway. */
  get origin(): string {
    return this.attacked.origin;
  }

  /** The output of the attacked gateway so far. */
  get written(): string {
    return this.attacked.written;
  }

  /** The attacker's own key, of the victims' account. @param fields further ones of `POST /keys` */
  async newKey(fields: object = {}): Promise<string> {
    const response = await this.manage('/keys', { name: 'attacker', ...fields });
    return ((await response.json()) as { key: string }).key;
  }

  /** `POST` with the management key. */
  manage(path: string, body: object): Promise<Response> {
    return fetch(`${this.origin}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Resident memory of the attacked gateway now, and the most there has been, in bytes (Linux). */
  async memory(): Promise<{ readonly now: number; readonly most: number }> {
    const status = await readFile(`/proc/${this.attacked.processId}/status`, 'utf8');
    const figure = (name: string): number =>
      1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
    return { now: figure('VmRSS'), most: figure('VmHWM') };
  }

  /**
   * Attacks for some seconds while the victims ask.
   * @param attack runs until the signal; its error fails the test
   */
  async feel(attack: (signal: AbortSignal) => Promise<unknown>): Promise<Felt> {
    const over = new AbortController();
    const answers = once(this.victims, 'message');
    this.victims.send({
      origins: [this.attacked.origin, this.control.origin],
      keys: { inference: API_KEY, management: MANAGEMENT_KEY },
      ms: LEAD_MS + MEASURED_MS,
    });
    await new Promise((resolve) => setTimeout(resolve, LEAD_MS));
    const attacking = attack(over.signal);
    const [[attacked, control]] = (await answers.finally(() => over.abort())) as [[Measured, Measured]];
    await attacking;
    return { attacked, control };
  }

  async close(): Promise<void> {
    this.victims.disconnect();
    await Promise.all([this.attacked?.stop(), this.control?.stop()]);
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The value that one in 200 exceeds. */
const percentile995 = (ms: readonly number[]): number =>
  ms.toSorted((one, other) => one - other)[Math.ceil(0.995 * ms.length) - 1]!;

/**
 * Every victim got its answer, and those of the attacked gateway waited hardly longer than those of the other. One
 * retry covers a machine that was busy with something else: a successful attack succeeds again.
 *
 * @param prepare what is done before each try, unfelt
 */
export async function expectUnharmed(
  bench: VictimBench,
  attack: (signal: AbortSignal) => Promise<unknown>,
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  await prepare();
  let felt = await bench.feel(attack);
  if (excessOf(felt) > EXCESS_MS_MAX) {
    await prepare();
    felt = await bench.feel(attack);
  }
  expect({ faults: felt.attacked.faults.slice(0, 5), ofControl: felt.control.faults.slice(0, 5) }).toEqual({
    faults: [],
    ofControl: [],
  });
  expect(felt.attacked.ms.length).toBeGreaterThan(50);
  expect(excessOf(felt)).toBeLessThanOrEqual(EXCESS_MS_MAX);
}

const excessOf = ({ attacked, control }: Felt): number => percentile995(attacked.ms) - percentile995(control.ms);

/**
 * Sends again and again, so many at a time, until the signal; resolves when the last is answered, with how often each
 * answer came: an attack whose requests are not even read is none.
 */
export async function storm<T>(atOnce: number, signal: AbortSignal, send: () => Promise<T>): Promise<Map<T, number>> {
  const answers = new Map<T, number>();
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      const answer = await send();
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return answers;
}
