import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonBody } from '../support/recorded-request.js';
import type { Harness, Recording } from './harness.js';

/** How recordings of one kind are entered in the catalog. */
export interface Protocol {
  readonly name: string;
  readonly has: (recording: Recording) => boolean;
  readonly dialect?: string;
  readonly platform?: 'vertex' | 'bedrock';
  readonly base?: string;
}

export const isFailure = ({ status }: Recording): boolean => status >= 400;
export const MODES = [false, true] as const;

/** Failures have a model and a provider for each call, so that none cools down for the next. */
export const modelOf = (recording: Recording, stream: boolean): string =>
  `rec/r${recording.n}${isFailure(recording) ? `-${stream}` : ''}`;

/** A slug determines quirks, and has one dialect. */
const slugOf = ({ dialect, provider }: Recording): string =>
  dialect === 'anthropic-messages' && provider !== 'anthropic'
    ? `${provider}-messages`
    : /^[a-z]/.test(provider)
      ? provider
      : 'other-provider';

/** Protocols in groups without two of one slug: each group is played through one gateway. */
export function groupsOf(protocols: readonly Protocol[], recordings: readonly Recording[]): Protocol[][] {
  const groups: { readonly slugs: Set<string>; readonly members: Protocol[] }[] = [];
  for (const protocol of protocols) {
    const slugs = new Set(recordings.filter(protocol.has).map(slugOf));
    if (slugs.size === 0) continue;
    let group = groups.find((one) => ![...slugs].some((slug) => one.slugs.has(slug)));
    if (!group) groups.push((group = { slugs: new Set(), members: [] }));
    group.members.push(protocol);
    for (const slug of slugs) group.slugs.add(slug);
  }
  return groups.map(({ members }) => members);
}

const TOKENS_MAX = 2_000_000;
const OUTPUT_MAX = 64_000;

function entriesOf(
  { has, dialect, platform, base = '' }: Protocol,
  recordings: readonly Recording[],
  origin: string,
  harness: Harness,
): JsonBody {
  // oxfmt-ignore
  const providers = new Map<string, object>();
  const models: object[] = [];
  for (const recording of recordings.filter(has)) {
    const isChat = recording.dialect === 'openai-chat';
    for (const stream of isFailure(recording) ? MODES : [true]) {
      const slug = isFailure(recording) ? `${slugOf(recording)}-${recording.n}-${stream}` : slugOf(recording);
      const entry = {
        slug,
        name: `Real ${slug}`,
        dialect: dialect ?? recording.dialect,
        ...(platform && { platform }),
        base_url: `${origin}${isChat ? '/v1' : base}`,
        credential: { value: harness.credential(platform, origin) },
        policy: { collects_data: false, zero_data_retention: false },
      };
      providers.set(slug, entry);
      models.push({
        id: modelOf(recording, stream),
        name: `Recording ${recording.n}`,
        context_length: TOKENS_MAX,
        max_completion_tokens: OUTPUT_MAX,
        input_modalities: ['text', 'image', 'file'],
        output_modalities: ['text'],
        distillable: false,
        endpoints: [
          {
            provider: slug,
            model: `rec-${recording.n}${platform === 'bedrock' ? '-v1:0' : ''}`,
            pricing: harness.prices,
            quantization: 'unknown',
          },
        ],
      });
    }
  }
  return { providers: [...providers.values()], models };
}

export function catalogOf(
  protocols: readonly Protocol[],
  recordings: readonly Recording[],
  origin: string,
  harness: Harness,
): JsonBody {
  // oxfmt-ignore
  const entries = protocols.map((protocol) => entriesOf(protocol, recordings, origin, harness));
  return {
    version: 1,
    providers: entries.flatMap(({ providers }) => providers),
    models: entries.flatMap(({ models }) => models),
  };
}

export interface RunningGateway {
  readonly origin: string;
  readonly key: string;
  /** Whether its process has ended. */
  readonly hasEnded: () => boolean;
  readonly output: () => string;
  stop(): Promise<void>;
}

const START_MS_MAX = 120_000;
const KEY = 'sk-recordings-0123456789abcdef';

/** The built gateway on an embedded database of its own. @throws when it does not listen */
export async function startGateway(catalog: object, root: string): Promise<RunningGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'recordings-'));
  const file = join(folder, 'catalog.json');
  writeFileSync(file, JSON.stringify(catalog));
  const child: ChildProcess = spawn(process.execPath, ['dist/main.js'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'info',
      FAIRLEAD_CATALOG: file,
      FAIRLEAD_MANAGEMENT_KEY: 'mgmt-recordings-0123456789',
      FAIRLEAD_API_KEY: KEY,
      FAIRLEAD_INITIAL_CREDITS: '1000000',
      FAIRLEAD_COOLDOWN: 'base=1ms,max=1ms',
      LEDGER_DURABILITY: 'relaxed',
    },
  });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text: string) => (output += text)); // oxfmt-ignore
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const originIn = (): string | undefined => /listening at (http:\/\/[\d.:]+)/.exec(output)?.[1];
  const tooLong = setTimeout(() => child.kill('SIGKILL'), START_MS_MAX);
  while (!originIn() && !hasEnded()) await Promise.race([once(child.stdout!, 'data'), ended]);
  clearTimeout(tooLong);
  const origin = originIn();
  if (origin !== undefined) return { origin, key: KEY, hasEnded, output: () => output, stop };
  await stop();
  throw new Error(`The gateway does not start:\n${output}`);
}
