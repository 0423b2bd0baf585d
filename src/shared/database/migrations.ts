import type { MigrationInterface } from 'typeorm';
import { Tables1795430000000 } from './migrations/1795430000000-tables.js';
import { LedgerFunctions1795430000001 } from './migrations/1795430000001-ledger-functions.js';
import { RefusingCounters1795435000000 } from './migrations/1795435000000-refusing-counters.js';
import { FairShares1795440000000 } from './migrations/1795440000000-fair-shares.js';
import { AuditSeals1795450000000 } from './migrations/1795450000000-audit-seals.js';
import { ClocksOfServers1795455000000 } from './migrations/1795455000000-clocks-of-servers.js';
import { ToolContainers1795460000000 } from './migrations/1795460000000-tool-containers.js';
import { Egress1795470000000 } from './migrations/1795470000000-egress.js';
import { WebSearches1795475000000 } from './migrations/1795475000000-web-searches.js';
import { PluginDefaults1795480000000 } from './migrations/1795480000000-plugin-defaults.js';
import { KeySecrets1795487200000 } from './migrations/1795487200000-key-secrets.js';
import { NotesOfHolds1795696000000 } from './migrations/1795696000000-notes-of-holds.js';
import { ConsultedDecisions1795697000000 } from './migrations/1795697000000-consulted-decisions.js';
import { BeatsInOrder1795823000000 } from './migrations/1795823000000-beats-in-order.js';
import { LaterNotes1795840000000 } from './migrations/1795840000000-later-notes.js';
import { UsedKeys1795911000000 } from './migrations/1795911000000-used-keys.js';
import { RequestIds1795911100000 } from './migrations/1795911100000-request-ids.js';
import { CredentialStates1795911200000 } from './migrations/1795911200000-credential-states.js';
import { Lists1795940000000 } from './migrations/1795940000000-lists.js';
import { Figures1796000000000 } from './migrations/1796000000000-figures.js';
import { Tags1796010000000 } from './migrations/1796010000000-tags.js';
import { SubjectBudgets1796010100000 } from './migrations/1796010100000-subject-budgets.js';
import { Destinations1796020000000 } from './migrations/1796020000000-destinations.js';
import { Alarms1796020100000 } from './migrations/1796020100000-alarms.js';
import { Broadcasts1796020200000 } from './migrations/1796020200000-broadcasts.js';
import { CredentialUses1796030000000 } from './migrations/1796030000000-credential-uses.js';
import { UpstreamModels1796030100000 } from './migrations/1796030100000-upstream-models.js';
import { Statements1796040000000 } from './migrations/1796040000000-statements.js';
import { BoundKeys1796041000000 } from './migrations/1796041000000-bound-keys.js';
import { FigureNames1796042000000 } from './migrations/1796042000000-figure-names.js';
import { ForgottenCounters1796042100000 } from './migrations/1796042100000-forgotten-counters.js';
import { ConsoleSessions1796045000000 } from './migrations/1796045000000-console-sessions.js';
import { LedgerVerifications1796051500000 } from './migrations/1796051500000-ledger-verifications.js';
import { Presets1796060000000 } from './migrations/1796060000000-presets.js';
import { FigureWeeks1796061000000 } from './migrations/1796061000000-figure-weeks.js';
import { OutcomeIndex1796062000000 } from './migrations/1796062000000-outcome-index.js';
import { KeptReplies1796070000000 } from './migrations/1796070000000-kept-replies.js';
import { ExpiringRows1796080000000 } from './migrations/1796080000000-expiring-rows.js';
import { ListedRows1796090000000 } from './migrations/1796090000000-listed-rows.js';
import { KeptDeliveries1796100000000 } from './migrations/1796100000000-kept-deliveries.js';
import { ConsolePersons1796046000000 } from './migrations/1796046000000-console-persons.js';

/** Every migration, oldest first. A released name never changes or disappears. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  Tables1795430000000,
  LedgerFunctions1795430000001,
  RefusingCounters1795435000000,
  FairShares1795440000000,
  AuditSeals1795450000000,
  ClocksOfServers1795455000000,
  ToolContainers1795460000000,
  Egress1795470000000,
  WebSearches1795475000000,
  PluginDefaults1795480000000,
  KeySecrets1795487200000,
  NotesOfHolds1795696000000,
  ConsultedDecisions1795697000000,
  BeatsInOrder1795823000000,
  LaterNotes1795840000000,
  UsedKeys1795911000000,
  RequestIds1795911100000,
  CredentialStates1795911200000,
  Lists1795940000000,
  Figures1796000000000,
  Tags1796010000000,
  SubjectBudgets1796010100000,
  Destinations1796020000000,
  Alarms1796020100000,
  Broadcasts1796020200000,
  CredentialUses1796030000000,
  UpstreamModels1796030100000,
  Statements1796040000000,
  BoundKeys1796041000000,
  FigureNames1796042000000,
  ForgottenCounters1796042100000,
  ConsoleSessions1796045000000,
  ConsolePersons1796046000000,
  LedgerVerifications1796051500000,
  Presets1796060000000,
  FigureWeeks1796061000000,
  OutcomeIndex1796062000000,
  KeptReplies1796070000000,
  ExpiringRows1796080000000,
  ListedRows1796090000000,
  KeptDeliveries1796100000000,
];

/**
 * The histories that made the schema before the first release, oldest first: each made tables whose columns still
 * exist. A store with one of them is refused; a file exported from one can be imported.
 */
export const FORMER_HISTORIES: readonly [readonly string[], ...(readonly string[])[]] = [
  [
    'AccountsKeysAndWindows1764000000000',
    'RouteDecisions1764100000000',
    'Books1764200000000',
    'BookStatements1764200000001',
    'VaultAndWalls1764300000000',
    'HoldsInOneValue1764400000000',
  ],
  ['Tables1795300000000', 'LedgerFunctions1795300000001'],
  ['Tables1795300000000', 'LedgerFunctions1795300000001', 'DurableHolds1795400390000', 'TrueRefusals1795417800000'],
];

/** Migrations that create the tables of the former histories. */
export const FORMER_AS: readonly string[] = MIGRATIONS.slice(0, 2).map(({ name }) => name);
