import type { CatalogReading, ParsedTexts } from './read-catalog.js';
import { CredentialFiles, type CatalogContent, type Judgement } from './catalog-files.js';
import type { CredentialFile } from './read-credential.js';
import { packSecrets, unpackSecrets, type PackedSecret } from './secret-parcel.js';

/** What a thread is asked to judge. */
export interface CatalogJob {
  readonly content: CatalogContent;
  /** What credentials may stand in. */
  readonly variables: Variables;
  /** What need not be parsed again. */
  readonly known: ParsedTexts;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** What it answers: plain data, which another thread gets as a copy. */
export interface JudgementParcel {
  readonly reading: CatalogReading;
  readonly parsed: ParsedTexts;
  readonly secrets: readonly PackedSecret[];
  readonly credentials: readonly (readonly [string, CredentialFile])[];
}

export function parcelOf({ reading, parsed, credentials }: Judgement): JudgementParcel {
  return { reading, parsed, secrets: packSecrets(holdersOf(reading)), credentials: credentials.entries };
}

/** @param parcel a copy, which becomes the judgement's */
export function judgementOf({ reading, parsed, secrets, credentials }: JudgementParcel): Judgement {
  unpackSecrets(holdersOf(reading), secrets);
  return { reading, parsed, credentials: new CredentialFiles(credentials) };
}

/** All of a catalog but its models, which hold the same providers. */
function holdersOf(reading: CatalogReading): unknown {
  if ('faults' in reading) return undefined;
  const { models: _models, ...holders } = reading.snapshot;
  return holders;
}
