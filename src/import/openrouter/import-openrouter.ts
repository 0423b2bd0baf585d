import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { ImportRefused } from '../import-refused.js';
import type { Note } from '../remark.js';
import { textOf } from '../text-of.js';
import { credentialBody } from './credential-body.js';
import { keyRequest, type KeyRequest } from './key-request.js';
import { RefusedBody, type ManagementClient } from './management-client.js';
import type { ExportedCredential, ExportedKey, OpenrouterExports } from './read-exports.js';
import { Workspaces } from './workspaces.js';

/** What an import of exports runs with. */
export interface OpenrouterTools {
  /** The gateway that keys are made in; absent: what would be sent is printed. */
  readonly client: ManagementClient | undefined;
  /** Keys are made although there are some of their names. */
  readonly again: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** One line of JSON. */
  readonly print: (line: object) => void;
  readonly note: Note;
}

/**
 * Makes the exported keys in a gateway, and prints the bodies that enter the credentials anew
 * (docs/importing.md#openrouter). Each new key is printed as soon as it is made, and once.
 * @throws ImportRefused where the gateway cannot be asked any further
 */
export async function importOpenrouter(
  { keys, credentials }: OpenrouterExports,
  tools: OpenrouterTools,
): Promise<void> {
  const { client, print } = tools;
  const workspaces = new Workspaces(
    client && (await client.list('/workspaces?')).flatMap(({ id }) => textOf(id) ?? []),
  );
  const requests = keys.flatMap((key) => remarkedRequest(key, workspaces, tools) ?? []);
  const hashes = client ? await makeKeys(requests, client, tools) : printKeys(requests, print);
  for (const credential of credentials) printCredential(credential, workspaces, hashes, tools);
}

/** A request, and what is to be told of it where it is made or printed. */
interface RemarkedRequest extends KeyRequest {
  readonly tell: () => void;
}

function remarkedRequest(
  key: ExportedKey,
  workspaces: Workspaces,
  { now, note }: OpenrouterTools,
): RemarkedRequest | undefined {
  const remarks: Parameters<Note>[] = [];
  const request = keyRequest(key, workspaces, now, (...remark) => remarks.push(remark));
  const tell = (): void => remarks.forEach((remark) => note(...remark));
  if (request) return { ...request, tell };
  tell();
  return undefined;
}

function printKeys(requests: readonly RemarkedRequest[], print: OpenrouterTools['print']): ReadonlyMap<string, string> {
  for (const { body, disabled, tell } of requests) {
    tell();
    print({ method: 'POST', path: '/api/v1/keys', body });
    if (disabled) print({ method: 'PATCH', path: '/api/v1/keys/{hash}', body: { disabled } });
  }
  return new Map();
}

/** @returns the hash that each key has here, by the one it had there */
async function makeKeys(
  requests: readonly RemarkedRequest[],
  client: ManagementClient,
  { again, print, note }: OpenrouterTools,
): Promise<ReadonlyMap<string, string>> {
  const existing = again
    ? new Map<string, ExistingKey[]>()
    : keysByName(await client.list('/keys?include_disabled=true&'));
  const hashes = new Map<string, string>();
  for (const request of requests) {
    // As many of a name as there are were made by an import before; the export may have more of it.
    const known = existing.get(request.body.name)?.shift();
    if (known !== undefined) {
      // Whoever manages it may have switched it on: it is told, and left as it is.
      const isOn = request.disabled && !known.disabled ? ', and is on although the exported one is off' : '';
      note('left-out', request.place, `is there already, by its name${isOn}: --again makes another`);
      hashes.set(request.oldHash, known.hash);
      continue;
    }
    const made = await makeKey(request, client, note);
    if (!made) continue;
    request.tell();
    print(made);
    hashes.set(request.oldHash, made.hash);
    if (request.disabled) await switchOff(made, request, client);
  }
  return hashes;
}

/** A key that was off is never left on without a word. */
async function switchOff({ hash }: MadeKey, { place }: KeyRequest, client: ManagementClient): Promise<void> {
  try {
    await client.call('PATCH', `/keys/${hash}`, { disabled: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ImportRefused(`${place} was made and could not be switched off: ${why}`, { cause: error });
  }
}

interface MadeKey {
  readonly name: string;
  readonly hash: string;
  readonly key: string;
}

async function makeKey(
  { body, place }: KeyRequest,
  client: ManagementClient,
  note: Note,
): Promise<MadeKey | undefined> {
  try {
    const { key, data } = await client.call('POST', '/keys', body);
    const hash = isJsonObject(data) ? textOf(data['hash']) : undefined;
    if (typeof key !== 'string' || hash === undefined) throw new ImportRefused('the gateway answered no key');
    return { name: body.name, hash, key };
  } catch (error) {
    if (!(error instanceof RefusedBody)) throw error;
    note('left-out', place, `the gateway refuses it: ${error.message}`);
    return undefined;
  }
}

interface ExistingKey {
  readonly hash: string;
  readonly disabled: boolean;
}

/** Oldest first, as an export before made them: the list is newest first, and exports are too. */
function keysByName(keys: readonly JsonObject[]): Map<string, ExistingKey[]> {
  const existing = new Map<string, ExistingKey[]>();
  for (const { name, hash, disabled } of [...keys].reverse()) {
    if (typeof name !== 'string' || typeof hash !== 'string') continue;
    const key: ExistingKey = { hash, disabled: disabled === true };
    const known = existing.get(name);
    if (known) known.push(key);
    else existing.set(name, [key]);
  }
  return existing;
}

function printCredential(
  credential: ExportedCredential,
  workspaces: Workspaces,
  hashes: ReadonlyMap<string, string>,
  { print, note }: OpenrouterTools,
): void {
  print({ method: 'POST', path: '/api/v1/byok', body: credentialBody(credential, workspaces, hashes, note) });
}
