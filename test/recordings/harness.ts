import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonBody } from '../support/recorded-request.js';

// The recordings and what reads them, from the folder beside the project (docs/contribute/testing.md#recordings).

export interface Recording {
  readonly id: string;
  readonly n: number;
  readonly dialect: string;
  readonly provider: string;
  readonly mode: 'stream' | 'whole';
  readonly status: number;
  readonly request: { readonly tools?: readonly unknown[]; readonly logprobs?: unknown };
  readonly bytes: Buffer;
}

/** Figures of a recording; `undefined` where it has none. */
export interface RecordedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly reasoning?: number;
  readonly searches?: number;
}

/** What a client that speaks the provider's format gets from a recording: its readers name the members. */
export type Reading = JsonBody;

interface Upstream {
  readonly origin: string;
  readonly complaints: ReadonlyMap<string, number>;
  close(): void;
}

export interface Harness {
  readonly recordings: readonly Recording[];
  /** Reasons why recordings are not played, by their ids. */
  readonly skipped: ReadonlyMap<string, string>;
  readonly prices: JsonBody;
  readonly read: (recording: Recording) => Reading;
  /** USD of a recording's figures by `prices`. */
  readonly price: (usage: RecordedUsage) => number;
  readonly isMessages: (recording: Recording) => boolean;
  /** The frames of a stream. */
  readonly frames: (text: string) => readonly { readonly data: string }[];
  /** With `spoil`, its recordings are altered. */
  serve(recordings: readonly Recording[], options: { readonly cut: number; readonly spoil: string | undefined }): Promise<Upstream>; // oxfmt-ignore
  /** The credential of a kind of platform, as the upstream expects it. */
  credential(platform: 'vertex' | 'bedrock' | undefined, origin: string): string;
}

const jsonAt = (...parts: readonly string[]): JsonBody => JSON.parse(readFileSync(join(...parts), 'utf8'));

export async function loadHarness(folder: string): Promise<Harness> {
  const load = (file: string): Promise<JsonBody> => import(pathToFileURL(join(folder, file)).href);
  const [readers, invoke, server] = await Promise.all(['read.mjs', 'read/invoke.mjs', 'serve.mjs'].map(load));
  const entries: readonly JsonBody[] = jsonAt(folder, 'data/index.json');
  return {
    recordings: entries.map((entry, n) => ({ ...entry, n, bytes: readFileSync(join(folder, entry.file)) }) as never),
    skipped: new Map(Object.entries(jsonAt(folder, 'skip.json') as Record<string, string>)),
    prices: readers!.PRICES,
    read: readers!.read,
    price: readers!.price,
    isMessages: invoke!.isMessages,
    frames: readers!.frames,
    serve: server!.serve,
    credential: (platform, origin) =>
      platform === 'vertex'
        ? JSON.stringify(server!.serviceAccount(origin))
        : platform === 'bedrock'
          ? JSON.stringify(server!.AWS)
          : server!.KEY,
  };
}
