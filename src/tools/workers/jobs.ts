import type { BashCommand } from '../bash/run-bash.js';

/** A job that the threads of service tools can run. One file and one line in the list below. */
export interface WorkerJob {
  /** The caller determines how long the job runs, so one thread is always reserved for other jobs. */
  readonly isLong?: boolean;
  /** Time limit, from when a thread starts it. */
  timeMs(input: unknown): number;
  /**
   * Loads the code, once a thread. The function returns plain data. It throws an `ExtensionFault`, which is passed to
   * the caller, or another error, which is only logged.
   */
  load(): Promise<(input: never) => unknown>;
}

export type WorkerJobs = Readonly<Record<string, WorkerJob>>;

/** Several times what the largest page takes on a slow core, loading the code included. */
const PAGE_MS = 8_000;
const PLAIN_PAGE_MS = 5_000;

/**
 * Several times what a mebibyte of cut-off JSON takes on a busy core; one with 50,000 faults, or a hostile pattern,
 * takes longer.
 */
const HEAL_MS = 8_000;

/** Several times what the longest permitted PDF takes. */
const PDF_MS = 8_000;

/** A command ends by itself within its time unless it is within a single long step; then its files are read out. */
const BASH_END_MS = 3_000;

/** Jobs by name. The process, which loads none of the code, and its threads read the list. */
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
