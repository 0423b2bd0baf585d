import { resolve } from 'node:path';
import { Logger } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import { explainDecision, type ExplainedDecision } from '../core/routing/decision/explain-decision.js';
import {
  explainConsultations,
  findDecision,
  type ExplainedConsultation,
  type KeptDecision,
} from '../ledger/generations/kept-decisions.js';
import type { EmbeddedOpener } from '../shared/database/embedded.js';
import {
  DONE,
  FAILED,
  MISUSED,
  readStoreLocation,
  runStoreCommand,
} from '../shared/database/transfer/store-command.js';
import type { CommandContext } from '../shared/command/command-context.js';
import { SHIPPED_CATALOG, VARIABLES } from '../shared/variables/variables.js';
import { printDecision } from './print-decision.js';

const NAME = 'fairlead decision';
const USAGE = `npm run fairlead -- decision <generation id> [--json]

Makes the routing decision of a generation again, from its record and the catalog (FAIRLEAD_CATALOG), and explains which
endpoints could be tried in which order, why others were left out, and which were called with which status; then the same of
each model that was consulted for it (by a panel, a guard, an adviser and so on). The records are read from the store that DATABASE_URL names, else from the embedded one in DATA_DIR, which no gateway may have open
meanwhile. Nothing is written, and no provider is called.

With --json it prints { generation_id, held_at, account_id, workspace_id, decision, consulted: [{ place, purpose, decision }] }.
Ends with 0 when all plans could be made again, with 1 when it could not be (the catalog has changed, a
record was cut) or there is no such decision, with 2 for wrong arguments.
`;

/** @returns the exit code, as documented in the usage. Never throws, never prints a secret. */
export function runDecision(
  context: CommandContext,
  packageDirectory: string,
  opener?: EmbeddedOpener,
): Promise<number> | number {
  const ids = context.words.filter((word) => !word.startsWith('-'));
  const [id] = ids;
  if (ids.length > 1 || (id === undefined && !context.words.includes('--help'))) {
    context.printError(`${NAME}: give the id of one generation\n\n${USAGE}`);
    return MISUSED;
  }
  return runStoreCommand(
    {
      name: NAME,
      usage: USAGE,
      switches: ['json'],
      readLocation: (all) => ({ ...readStoreLocation(all), ...readCatalogSource(all, packageDirectory) }),
      run: async (database, { switches }, source) => {
        const kept = await findDecision(database, id!);
        if (!kept) {
          context.printError(`${NAME}: no decision is kept of ${id}: unknown, too old or not written yet\n`);
          return FAILED;
        }
        const catalog = (await CatalogStore.open(source, new Logger(NAME))).current;
        const explained = explainDecision(kept.decision, catalog);
        const consulted = await explainConsultations(database, id!, catalog);
        const print = switches.has('json') ? printAsJson : printInWords;
        context.print(print(kept, explained, consulted));
        const all = [explained, ...consulted.map(({ decision }) => decision)];
        return all.every(({ derivation }) => derivation === 'derived') ? DONE : FAILED;
      },
    },
    { ...context, words: context.words.filter((word) => word.startsWith('-')) },
    opener,
  );
}

function readCatalogSource(
  { variables, workingDirectory }: CommandContext,
  packageDirectory: string,
): Parameters<typeof CatalogStore.open>[0] {
  const own = variables[VARIABLES.catalog.name]?.trim() ?? '';
  const shippedPath = resolve(packageDirectory, SHIPPED_CATALOG);
  return {
    path: own === '' ? shippedPath : resolve(workingDirectory, own),
    shippedPath,
    variables,
  };
}

function printAsJson(
  kept: KeptDecision,
  decision: ExplainedDecision,
  consulted: readonly ExplainedConsultation[],
): string {
  const heldAt = new Date(kept.held_at).toISOString();
  return `${JSON.stringify({ ...kept, held_at: heldAt, decision, consulted }, undefined, 2)}\n`;
}

function printInWords(
  kept: KeptDecision,
  decision: ExplainedDecision,
  consulted: readonly ExplainedConsultation[],
): string {
  const own =
    `Generation ${kept.generation_id} of ${new Date(kept.held_at).toISOString()}\n` +
    `Account ${kept.account_id}, workspace ${kept.workspace_id}\n${printDecision(decision)}`;
  const others = consulted.map(
    (model) => `\nConsulted, ${model.place}. (${model.purpose})\n${printDecision(model.decision)}`,
  );
  return [own, ...others].join('');
}
