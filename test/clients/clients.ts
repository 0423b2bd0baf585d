import { aiSdk } from './ai-client.js';
import { anthropicSdks } from './anthropic-client.js';
import type { ClientKind } from './client.js';
import { langchain } from './langchain-client.js';
import { rawReader } from './raw-reader.js';

/** Every client under test, each unmodified. */
export const CLIENTS: readonly ClientKind[] = [...anthropicSdks, aiSdk, langchain, rawReader];

export const MODES = [
  { mode: 'whole', streamed: false },
  { mode: 'streamed', streamed: true },
] as const;
