import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProviderTry } from '../../src/routing/provider-try-command.js';
import type { CommandContext } from '../../src/shared/command/command-context.js';
import { outputOf, type CommandOutput } from './command-output.js';
import type { RecordedRequest } from './recorded-request.js';
import { json, type Answer } from './upstream-answers.js';
import { Upstream } from './upstreams.js';

const ROOT = join(__dirname, '..', '..');

/** Answers one call to a model under test. */
export type CheckAnswer = (request: RecordedRequest, index: number) => Answer | Promise<Answer>;

/** An endpoint of the catalog under test. */
export interface CheckEntry {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  /** Further keys of the endpoint. */
  readonly endpoint?: object;
  /** Fields of the model. */
  readonly model?: object;
}

/** The JSON output of the command. */
export interface CheckReport {
  readonly [key: string]: unknown;
  readonly problem: string | null;
  readonly message: string | null;
  readonly endpoints: readonly {
    readonly upstream_model: string;
    readonly works: boolean;
    readonly calls: readonly CheckReportCall[];
  }[];
}

export interface CheckReportCall {
  readonly streamed: boolean;
  readonly works: boolean;
  readonly problem: string | null;
  readonly message: string | null;
  readonly status: number | null;
  readonly latency_ms: number;
  readonly model: string | null;
}

/** A provider of the catalog file, with the answers of its one upstream for each model. */
export class ProviderCheckBench {
  readonly upstream: Upstream;
  readonly folder = mkdtempSync(join(tmpdir(), 'provider-try-'));
  private readonly answers = new Map<string, CheckAnswer>();

  private constructor() {
    this.upstream = new Upstream(
      () => undefined,
      (request, index) => {
        const named = [...this.answers].find(([name]) => isCalled(request, name));
        return named ? named[1](request, index) : json({ nobody: 'answers' }, 500);
      },
    );
  }

  static async start(): Promise<ProviderCheckBench> {
    const bench = new ProviderCheckBench();
    await bench.upstream.listen();
    return bench;
  }

  async close(): Promise<void> {
    await this.upstream.close();
    rmSync(this.folder, { recursive: true });
  }

  /** @param name the model's at the provider, or a separate path */
  script(name: string, answer: CheckAnswer): void {
    this.answers.set(name, answer);
  }

  /** Writes a catalog with only this provider, and returns its path. */
  catalog(provider: object, entries: readonly CheckEntry[]): string {
    const path = join(this.folder, `catalog-${process.hrtime.bigint()}.json`);
    const slug = (provider as { slug?: string }).slug ?? 'acme';
    const document = {
      version: 1,
      providers: [{ slug, name: 'Acme', credential: { env: 'ACME_KEY' }, base_url: this.upstream.origin, ...provider }],
      models: entries.map(({ upstreamModel, endpoint, model }, index) => ({
        id: `test/model-${index}`,
        name: upstreamModel,
        context_length: 100_000,
        input_modalities: ['text'],
        output_modalities: ['text'],
        ...model,
        endpoints: [{ provider: slug, model: upstreamModel, free: true, ...endpoint }],
      })),
    };
    writeFileSync(path, JSON.stringify(document));
    return path;
  }
}

/** Runs the command in this process, as the package does. */
export const tryProvider = (
  words: readonly string[],
  variables: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<CommandOutput> =>
  outputOf((context: CommandContext) => runProviderTry({ ...context, ...(signal && { signal }) }, ROOT), {
    words,
    variables,
  });

/** By the body in the formats that name the model there, else by the path. */
function isCalled({ json: body, path }: RecordedRequest, name: string): boolean {
  const named: unknown = body?.model;
  return typeof named === 'string' ? named === name : decodeURIComponent(path).includes(name);
}
