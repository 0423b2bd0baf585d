import type { CatalogReading, ParsedTexts } from './read-catalog.js';
import { CredentialFiles, type CatalogContent, type Judgement } from './catalog-files.js';
import type { CredentialFile } from './read-credential.js';
import { packSecrets, unpackSecrets, type PackedSecret } from './secret-transfer.js';

/** The input of a judging thread. */
export interface CatalogJob {
  readonly content: CatalogContent;
  /** Variables that may hold credentials. */
  readonly variables: Variables;
  /** Texts that need not be parsed again. */
  readonly known: ParsedTexts;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** The judgement of a catalog as plain data, which can be copied between threads. */
export interface PackedJudgement {
  readonly reading: CatalogReading;
  readonly parsed: ParsedTexts;
  readonly secrets: readonly PackedSecret[];
  readonly credentials: readonly (readonly [string, CredentialFile])[];
}

export function packJudgement({ reading, parsed, credentials }: Judgement): PackedJudgement {
  return { reading, parsed, secrets: packSecrets(holdersOf(reading)), credentials: credentials.entries };
}

/** @param packed a copy, owned by the judgement from here on */
export function unpackJudgement({ reading, parsed, secrets, credentials }: PackedJudgement): Judgement {
  unpackSecrets(holdersOf(reading), secrets);
  return { reading, parsed, credentials: new CredentialFiles(credentials) };
}

/** All parts of a catalog that may hold secrets; the models are left out, as they hold the same providers. */
function holdersOf(reading: CatalogReading): unknown {
  if ('faults' in reading) return undefined;
  const { models: _models, ...holders } = reading.snapshot;
  return holders;
}
