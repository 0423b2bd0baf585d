import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { ImportRefused } from '../import-refused.js';
import type { Note } from '../remark.js';
import { textOf } from '../text-of.js';
import { credentialBody } from './credential-body.js';
import { keyRequest, type KeyRequest } from './key-request.js';
import { RefusedBody, type ManagementClient } from './management-client.js';
import type { ExportedCredential, ExportedKey, OpenrouterExports } from './read-exports.js';
import { Workspaces } from './workspaces.js';

/** Dependencies and options of an import of exports. */
export interface OpenrouterTools {
  /** The gateway in which keys are created; absent: the requests are printed instead. */
  readonly client: ManagementClient | undefined;
  /** Keys are created even where keys of their names exist. */
  readonly again: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Prints one line of JSON. */
  readonly print: (line: object) => void;
  readonly note: Note;
}

/**
 * Creates the exported keys in a gateway, and prints the bodies that enter the credentials anew
 * (docs/operate/importing.md#openrouter). Each new key is printed as soon as it is created, and once.
 * @throws ImportRefused where the gateway cannot be called any further
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

/** A request, and its remarks, which are noted when it is sent or printed. */
interface RemarkedRequest extends KeyRequest {
  readonly report: () => void;
}

function remarkedRequest(
  key: ExportedKey,
  workspaces: Workspaces,
  { now, note }: OpenrouterTools,
): RemarkedRequest | undefined {
  const remarks: Parameters<Note>[] = [];
  const request = keyRequest(key, workspaces, now, (...remark) => remarks.push(remark));
  const report = (): void => remarks.forEach((remark) => note(...remark));
  if (request) return { ...request, report };
  report();
  return undefined;
}

function printKeys(requests: readonly RemarkedRequest[], print: OpenrouterTools['print']): ReadonlyMap<string, string> {
  for (const { body, disabled, report } of requests) {
    report();
    print({ method: 'POST', path: '/api/v1/keys', body });
    if (disabled) print({ method: 'PATCH', path: '/api/v1/keys/{hash}', body: { disabled } });
  }
  return new Map();
}

/** @returns the new hash of each key by its old one */
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
    // Keys that exist under this name are from an earlier import; the export may have more of them.
    const known = existing.get(request.body.name)?.shift();
    if (known !== undefined) {
      // A key may have been enabled on purpose: this is reported, and the key is left unchanged.
      const isOn = request.disabled && !known.disabled ? ', and is on although the exported one is off' : '';
      note('left-out', request.location, `is there already, by its name${isOn}: --again makes another`);
      hashes.set(request.oldHash, known.hash);
      continue;
    }
    const made = await makeKey(request, client, note);
    if (!made) continue;
    request.report();
    print(made);
    hashes.set(request.oldHash, made.hash);
    if (request.disabled) await switchOff(made, request, client);
  }
  return hashes;
}

/** Disables a key. Where that fails, it is reported: a disabled key must not stay enabled unnoticed. */
async function switchOff({ hash }: MadeKey, { location }: KeyRequest, client: ManagementClient): Promise<void> {
  try {
    await client.call('PATCH', `/keys/${hash}`, { disabled: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ImportRefused(`${location} was made and could not be switched off: ${why}`, { cause: error });
  }
}

interface MadeKey {
  readonly name: string;
  readonly hash: string;
  readonly key: string;
}

async function makeKey(
  { body, location }: KeyRequest,
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
    note('left-out', location, `the gateway refuses it: ${error.message}`);
    return undefined;
  }
}

interface ExistingKey {
  readonly hash: string;
  readonly disabled: boolean;
}

/** Oldest first, as an earlier import created them: the list is newest first, and so are exports. */
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
