import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { SystemClock } from '../../core/time.js';
import { pluralize } from '../../core/text/pluralize.js';
import type { CommandContext } from '../../shared/command/command-context.js';
import { DONE, readStoreLocation, runStoreCommand } from '../../shared/database/transfer/store-command.js';
import { RollUpRepository } from './roll-up.repository.js';
import { RollUps } from './roll-ups.js';

const USAGE = `npm run fairlead -- rebuild figures

Writes the hourly and daily figures of /activity and /analytics again, from all generations that are kept: those of the
store that DATABASE_URL names, else of the embedded one in DATA_DIR, which no gateway may have open meanwhile.
Gateways on DATABASE_URL may be at work: until it ends they sum up generations, exactly and slower.
Figures of months that are past their retention stay.

Ends with 0 when all figures were written, with 1 when they could not be.
`;

/** Milliseconds until the next attempt, where a gateway is writing figures. */
const BUSY_MS = 200;

/** @returns the exit code: 0 written, 1 failure, 2 wrong arguments. Never throws, never prints a secret. */
export const runFiguresRebuild = (context: CommandContext): Promise<number> =>
  runStoreCommand(
    {
      name: 'rebuild figures',
      usage: USAGE,
      switches: [],
      readLocation: readStoreLocation,
      run: async (database) => {
        await rebuildFigures(database);
        context.print(`Wrote the figures of ${pluralize(await countHours(database), 'hour')}.\n`);
        return DONE;
      },
    },
    context,
  );

async function rebuildFigures(database: DataSource): Promise<void> {
  const repository = new RollUpRepository(database, new SystemClock());
  await repository.forget();
  const rolls = new RollUps(repository);
  while ((await rolls.rollAll(0)) === 'busy') await delay(BUSY_MS);
}

async function countHours(database: DataSource): Promise<number> {
  const [row] = await database.query<{ hours: string }[]>(
    `SELECT count(DISTINCT at) AS hours FROM generation_figures WHERE span = 'hour' AND NOT is_kept`,
  );
  return Number(row?.hours);
}
