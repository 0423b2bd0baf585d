import type { BashCommand } from '../bash/run-bash.js';

/** Work that the threads of service tools know to do. One file and one line in the list below. */
export interface WorkerJob {
  /** It may take as long as its caller likes: a thread is left to the others. */
  readonly isLong?: boolean;
  /** The longest that it may take, from when a thread has it. */
  timeMs(input: unknown): number;
  /**
   * Loads what does it, once a thread. It answers with plain data, and throws an `ExtensionFault`, which its caller is
   * told, or whatever else, which nobody is.
   */
  load(): Promise<(input: never) => unknown>;
}

export type WorkerJobs = Readonly<Record<string, WorkerJob>>;

/** Several times what a page of the greatest size takes on a slow core, its code's loading among it. */
const PAGE_MS = 8_000;
const PLAIN_PAGE_MS = 5_000;

/**
 * Several times a mebibyte that is cut off, on a core whose other threads come first; one broken in 50,000 places, or a
 * hostile pattern, takes longer.
 */
const HEAL_MS = 8_000;

/** Several times what the longest PDF that is read takes. */
const PDF_MS = 8_000;

/** A command ends by itself in its time, but for one that is deep in a single step; then its files are read out. */
const BASH_END_MS = 3_000;

/** By name. The list is read by the process, which loads none of it, and by its threads. */
export const WORKER_JOBS: WorkerJobs = {
  bash: {
    isLong: true,
    timeMs: (input) => (input as BashCommand).timeMs + BASH_END_MS,
    load: async () => (await import('../bash/run-bash.js')).runBash,
  },
  'heal-json': {
    timeMs: () => HEAL_MS,
    load: async () => (await import('../heal-json/heal-json.js')).healJson,
  },
  'parse-pdf': {
    timeMs: () => PDF_MS,
    load: async () => (await import('../parse-file/parse-pdf.js')).parsePdf,
  },
  'read-page': {
    timeMs: () => PAGE_MS,
    load: async () => (await import('../web-fetch/read-page.js')).readPage,
  },
  'read-page-plainly': {
    timeMs: () => PLAIN_PAGE_MS,
    load: async () => (await import('../web-fetch/read-page.js')).readPagePlainly,
  },
};
