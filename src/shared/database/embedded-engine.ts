import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { StoreRefused } from './store-refused.js';

/** The embedded PostgreSQL and its adapter for node-postgres, as exported by their packages. */
export interface EmbeddedEngine {
  readonly PGlite: (typeof import('@electric-sql/pglite'))['PGlite'];
  readonly createPgConfig: (typeof import('@electric-sql/pglite/node-postgres'))['createPgConfig'];
}

/** Loads the engine on demand only: it costs 60 MB of memory and half a second. */
export async function loadEngine(): Promise<EmbeddedEngine> {
  const [{ PGlite }, { createPgConfig }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/node-postgres'),
  ]);
  return { PGlite, createPgConfig };
}

/** A limit of wall-clock time: a slow machine needs some 30 s. */
const INITIALISE_MS_MAX = 180_000;

// Runs in a separate process, which ends with this one because its standard input closes.
const INITIALISE = `
  process.stdin.on('end', () => process.exit(1)).resume();
  const [, engine, dataDir] = process.argv;
  require(engine).PGlite.create({ dataDir })
    .then((database) => database.close())
    .then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
`;

/**
 * Creates a database cluster in an empty directory, in a separate process: the half gigabyte it takes would otherwise
 * never be freed.
 */
export async function initialise(directory: string): Promise<void> {
  const engine = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  await new Promise<void>((resolve, reject) => {
    const options = { timeout: INITIALISE_MS_MAX, killSignal: 'SIGKILL' } as const;
    const child = execFile(process.execPath, ['-e', INITIALISE, engine, directory], options, (error, _, stderr) => {
      if (error) reject(new StoreRefused(`The embedded database could not be made in ${directory}. ${stderr}`.trim()));
      else resolve();
    });
    // Stays open on purpose; it breaks when the child ends first.
    child.stdin?.on('error', () => undefined);
  });
}
