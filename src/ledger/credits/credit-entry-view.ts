import {
  described,
  moment,
  nullable,
  number,
  object,
  oneOf,
  text,
  titled,
  type Static,
} from '../../shared/http/schema.js';
import { ENTRY_KINDS, type StoredEntry } from './credit-entries.repository.js';

const ENTRY = {
  id: text(),
  kind: oneOf(ENTRY_KINDS),
  amount: described('USD by which the balance changes: below 0 for what was spent or taken back.', number()),
  generation_id: described('Id of the generation that was charged.', nullable(text())),
  key: described('Hash of the key that spent.', nullable(text())),
  workspace_id: nullable(text()),
  note: nullable(text()),
  created_at: described('When the credits were entered, or the generation began.', moment()),
  entered_at: described('When it was entered in the ledger.', moment()),
};

/** An amount that was entered, spent or corrected (docs/operate/keys.md#entries). */
export const creditEntryView = titled('credit-entry', object(ENTRY));
export type CreditEntryView = Static<typeof creditEntryView>;

/** Column names of an entry in csv. */
export const ENTRY_COLUMNS = Object.keys(ENTRY);

/** Amounts become JSON numbers here and nowhere earlier. */
export const viewEntry = (row: StoredEntry): CreditEntryView => ({
  id: row.list_id,
  kind: row.kind,
  amount: Number(row.amount),
  generation_id: row.generation_id,
  key: row.key_hash,
  workspace_id: row.workspace_id,
  note: row.note,
  created_at: row.list_at.toISOString(),
  entered_at: row.entered_at.toISOString(),
});
