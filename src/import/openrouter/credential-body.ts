import type { Note } from '../remark.js';
import type { ExportedCredential } from './read-exports.js';
import type { Workspaces } from './workspaces.js';

/** Fields of `POST /byok` that are copied unchanged (docs/operate/byok.md#fields). */
const FIELDS = [
  'provider', 'name', 'disabled', 'is_fallback', 'is_required', 'is_byok_only', 'declared_zdr', 'sort_order',
  'allowed_models', 'allowed_user_ids',
] as const; // oxfmt-ignore
const HASHES = 'allowed_api_key_hashes';

/** The body that enters a credential anew, without its `key`. @param hashes new hash by old one */
export function credentialBody(
  { location, fields, provider }: ExportedCredential,
  workspaces: Workspaces,
  hashes: ReadonlyMap<string, string>,
  note: Note,
): Readonly<Record<string, unknown>> {
  const name = typeof fields['name'] === 'string' ? `, ${fields['name']}` : '';
  const title = `${location} (${provider}${name})`;
  note('credentials', title, 'POST /api/v1/byok with the printed body and its `key`, which no export has');
  if (fields['workspace_id'] === null)
    note('assumed', title, 'is for the default workspace alone: here a credential is for one workspace');
  const workspace = workspaces.find(fields['workspace_id'], title, note);
  const copied = FIELDS.flatMap((field) => {
    const value = fields[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  return {
    ...Object.fromEntries(copied),
    ...restriction(fields[HASHES], hashes, title, note),
    ...(workspace !== undefined && { workspace_id: workspace }),
  };
}

/** Maps the key hashes of a restriction, which differ here. A restricted credential never becomes one for all keys. */
function restriction(
  exported: unknown,
  hashes: ReadonlyMap<string, string>,
  title: string,
  note: Note,
): Readonly<Record<string, unknown>> {
  if (!Array.isArray(exported)) return {};
  const known = exported.flatMap((hash) => hashes.get(String(hash)) ?? []);
  if (known.length < exported.length)
    note(
      'assumed',
      title,
      `is for ${exported.length} keys, of which ${known.length} are known here by their new hashes`,
    );
  if (known.length > 0) return { [HASHES]: known };
  note('assumed', title, `is switched off: give it ${HASHES} of the new keys before it is on`);
  return { disabled: true };
}
