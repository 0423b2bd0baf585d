// Stored state is returned whole, only to its key and for its time, with concurrent writers and with writes that are
// cut off anywhere; the store reveals nothing of it. Two replicas share one store, and writes are interrupted or
// delayed at single pieces.
import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Cancellation } from '../../src/core/cancellation.js';
import { CallerGone } from '../../src/core/errors.js';
import { ExtensionFault, type ContainerStore } from '../../src/core/extension.js';
import { newUuid } from '../../src/core/ids.js';
import { HOUR_MS } from '../../src/core/time.js';
import { Statements } from '../../src/shared/database/statements.js';
import { ContainerSweep } from '../../src/tools/containers/container-sweep.js';
import { CONTAINER_BYTES_MAX, CONTAINERS_MAX } from '../../src/tools/containers/container-bounds.js';
import { ToolContainers } from '../../src/tools/containers/tool-containers.js';
import { ToolContainersRepository } from '../../src/tools/containers/tool-containers.repository.js';
import { DataKeys } from '../../src/vault/data-keys.js';
import { KeyService, KeyServiceUnavailable } from '../../src/vault/key-service.js';
import { SealRing, type SealedBytes } from '../../src/vault/seal-ring.js';
import { AheadClock, StandingClock } from '../support/ahead-clock.js';
import { localKeys } from '../support/audit-log.js';
import { describeOnEmbedded } from '../support/database.js';

const failed = jest.spyOn(Logger.prototype, 'error').mockImplementation();
jest.spyOn(Logger.prototype, 'warn').mockImplementation();

const { signal } = new Cancellation();
const abortedSignal = (): typeof signal => {
  const gone = new Cancellation();
  gone.abort(new CallerGone());
  return gone.signal;
};
const ID = 'container-of-a-test';
const [KEY, OTHER_KEY] = ['a'.repeat(64), 'b'.repeat(64)];
const PIECES = 3;
const LENGTH = 600_000;
const bytesOf = (fill: number, length = LENGTH): Uint8Array => new Uint8Array(length).fill(fill);
/** The common value of all bytes of a whole state. */
const fillOf = (state: Uint8Array | undefined): number | string | undefined =>
  state && (state.length === LENGTH && state.every((byte) => byte === state[0]) ? state[0]! : 'not whole');

/** Rows that let a test act before a piece is written or read. */
class WatchedRows extends ToolContainersRepository {
  beforePiece: (number: number) => void | Promise<void> = () => undefined;

  override async addPiece(state: string, number: number, piece: SealedBytes): Promise<void> {
    await this.beforePiece(number);
    return super.addPiece(state, number, piece);
  }

  override async findPiece(state: string, number: number): Promise<SealedBytes | undefined> {
    await this.beforePiece(number);
    return super.findPiece(state, number);
  }
}

describeOnEmbedded('containers of tools', (database) => {
  const clock = new AheadClock();
  let dataSource: DataSource;
  let accountId: string;

  beforeAll(async () => {
    dataSource = await database.connect();
    accountId = newUuid(Date.now());
    await dataSource.query(`insert into accounts (id, name, free_tier, created_at) values ($1, 'one', true, now())`, [
      accountId,
    ]);
  }, 240_000);
  afterAll(() => dataSource.destroy());
  beforeEach(async () => {
    await dataSource.query('truncate tool_containers, tool_container_pieces, data_keys cascade');
    failed.mockClear();
    clock.aheadMs = 0;
  });

  interface Replica {
    readonly rows: WatchedRows;
    readonly of: (keyHash?: string) => ContainerStore;
  }
  function replica(keys: KeyService = localKeys('test'), at = clock): Replica {
    const rows = new WatchedRows(new Statements(dataSource), dataSource, at);
    const containers = new ToolContainers(rows, new SealRing(new DataKeys(dataSource, keys, at)), at);
    return { rows, of: (keyHash = KEY) => containers.of({ accountId, keyHash }) };
  }
  const countPieces = async (): Promise<number> =>
    (await dataSource.query<{ count: number }[]>('select count(*)::integer from tool_container_pieces'))[0]!.count;
  const faultOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => (error instanceof ExtensionFault ? error.kind : String(error)),
    );

  it.each([0, 1, 262_144, 262_145, CONTAINER_BYTES_MAX])('keeps %d bytes, for every replica', async (length) => {
    const state = new Uint8Array(randomBytes(length));
    await replica().of().save(ID, state, 60, signal);
    const loaded = await replica().of().load(ID, signal);
    expect(Buffer.compare(Buffer.from(loaded!), Buffer.from(state))).toBe(0);
  });

  it('yields between pieces: when it is written, read and replaced', async () => {
    const store = replica().of();
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    turn();
    const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = turns;
      await work();
      return turns - before;
    };
    const pieces = CONTAINER_BYTES_MAX / 262_144;
    const write = (): Promise<void> => store.save(ID, new Uint8Array(CONTAINER_BYTES_MAX), 60, signal);
    expect(await turnsOf(write)).toBeGreaterThan(pieces);
    expect(await turnsOf(() => store.load(ID, signal))).toBeGreaterThan(pieces);
    expect(await turnsOf(write)).toBeGreaterThan(2 * pieces);
    isOver = true;
  });

  it('refuses more bytes than permitted, and keeps the previous state', async () => {
    const store = replica().of();
    await store.save(ID, bytesOf(1), 60, signal);
    expect(await faultOf(store.save(ID, new Uint8Array(CONTAINER_BYTES_MAX + 1), 60, signal))).toBe('too-large');
    expect(fillOf(await store.load(ID, signal))).toBe(1);
  });

  it('does not exist for another key, which may have one of the same id', async () => {
    const { of } = replica();
    await of().save(ID, bytesOf(1), 60, signal);
    expect(await of(OTHER_KEY).load(ID, signal)).toBe(undefined);
    expect(await of().load('another', signal)).toBe(undefined);
    await of(OTHER_KEY).save(ID, bytesOf(2), 60, signal);
    expect([(await of().load(ID, signal))![0], (await of(OTHER_KEY).load(ID, signal))![0]]).toEqual([1, 2]);
  });

  it('is limited to sixteen unexpired ones a key', async () => {
    const { of, rows } = replica();
    for (let number = 1; number <= CONTAINERS_MAX; number++) await of().save(`c${number}`, bytesOf(1, 1), 60, signal);
    // Refused before anything is written.
    rows.beforePiece = () => Promise.reject(new Error('a piece was written'));
    expect(await faultOf(of().save('one-more', bytesOf(1, 1), 60, signal))).toBe('too-large');
    rows.beforePiece = () => undefined;
    await of().save('c1', bytesOf(2, 1), 120, signal);
    await of(OTHER_KEY).save('one-more', bytesOf(1, 1), 60, signal);
    clock.aheadMs = 61_000;
    await of().save('one-more', bytesOf(1, 1), 60, signal);
    expect(await of().load('c1', signal)).toEqual(Buffer.from([2]));
  });

  it('never exceeds the limit when many are made concurrently', async () => {
    const { of } = replica();
    const made = Array.from({ length: CONTAINERS_MAX + 4 }, (_, number) =>
      faultOf(of().save(`c${number}`, bytesOf(1, 1), 60, signal)),
    );
    expect((await Promise.all(made)).filter((kind) => kind === 'none')).toHaveLength(CONTAINERS_MAX);
    expect(await countPieces()).toBe(CONTAINERS_MAX);
  });

  it('exists for its time from the last save, and is swept with its pieces', async () => {
    const { of, rows } = replica();
    await of().save(ID, bytesOf(1), 60, signal);
    clock.aheadMs = 59_000;
    await of().save(ID, bytesOf(2), 60, signal);
    clock.aheadMs = 118_000;
    expect((await of().load(ID, signal))![0]).toBe(2);
    clock.aheadMs = 120_000;
    expect(await of().load(ID, signal)).toBe(undefined);
    const sweep = new ContainerSweep(rows);
    await sweep.sweep();
    expect(await dataSource.query('select id from tool_containers')).toEqual([]);
    clock.aheadMs += 2 * HOUR_MS;
    await sweep.sweep();
    expect(await countPieces()).toBe(0);
  });

  it('expires at exactly its end: not found, not counted, not prolonged, and swept', async () => {
    const still = new StandingClock();
    const { of, rows } = replica(localKeys('test'), still);
    const store = of();
    const written = bytesOf(1, 1);
    await store.save(ID, written, 60, signal);
    still.aheadMs += 59_999;
    expect(await store.load(ID, signal)).toBeDefined();
    still.aheadMs++;
    expect(await store.load(ID, signal)).toBe(undefined);
    for (let number = 1; number <= CONTAINERS_MAX; number++) await store.save(`c${number}`, bytesOf(1, 1), 60, signal);
    expect(await faultOf(store.save(ID, written, 60, signal))).toBe('too-large');
    await new ContainerSweep(rows).sweep();
    const left = await dataSource.query<{ id: string }[]>('select id from tool_containers');
    expect(left.filter(({ id }) => id === ID)).toEqual([]);
    expect(left).toHaveLength(CONTAINERS_MAX);
  });

  it('is not confused with another one of its key, when it is read or saved again', async () => {
    const { of } = replica();
    const store = of();
    const states = ['one', 'two', 'three'].map((id, fill) => ({ id, bytes: bytesOf(fill, 1) }));
    for (const { id, bytes } of states) await store.save(id, bytes, 60, signal);
    const found = async (): Promise<(number | undefined)[]> => {
      const loaded = await Promise.all(states.map(({ id }) => of().load(id, signal)));
      return loaded.map((bytes) => bytes?.[0]);
    };
    expect(await found()).toEqual([0, 1, 2]);
    clock.aheadMs = 59_000;
    await store.save('two', states[1]!.bytes, 60, signal);
    clock.aheadMs = 61_000;
    expect(await found()).toEqual([undefined, 1, undefined]);
  });

  const standing = (): Promise<unknown> =>
    dataSource.query('select state, xmin from tool_container_pieces order by number');

  it('is not rewritten with bytes that are stored already, and lasts as long as they were saved for', async () => {
    const { of } = replica();
    const store = of();
    const written = bytesOf(1);
    await store.save(ID, written, 60, signal);
    const pieces = await standing();
    clock.aheadMs = 59_000;
    await store.save(ID, written, 60, signal);
    clock.aheadMs = 118_000;
    const [later, loaded] = [of(), await of().load(ID, signal)];
    expect(fillOf(loaded)).toBe(1);
    const own = (await later.load(ID, signal))!;
    await later.save(ID, own, 60, signal);
    expect(await standing()).toEqual(pieces);
    clock.aheadMs = 177_000;
    expect(fillOf(await of().load(ID, signal))).toBe(1);
    await expect(later.save(ID, own, 60, abortedSignal())).rejects.toThrow(CallerGone);
  });

  it('is read and written no further after its caller has left', async () => {
    const { of, rows } = replica();
    await of().save(ID, bytesOf(1), 60, signal);
    for (const work of [
      (left: typeof signal) => of().load(ID, left),
      (left: typeof signal) => of().save(ID, bytesOf(2), 60, left),
    ]) {
      const gone = new Cancellation();
      const seen: number[] = [];
      rows.beforePiece = (number) => {
        seen.push(number);
        gone.abort(new CallerGone());
      };
      await expect(work(gone.signal)).rejects.toThrow(CallerGone);
      expect(seen).toEqual([0]);
    }
  });

  it('is sealed even where it is empty', async () => {
    await replica().of().save(ID, new Uint8Array(0), 60, signal);
    expect(await countPieces()).toBe(1);
  });

  it('is rewritten where another state is stored by now, under another id, or after its time', async () => {
    const [one, other] = [replica().of(), replica().of()];
    const written = bytesOf(1);
    await one.save(ID, written, 60, signal);
    await other.save(ID, bytesOf(2), 60, signal);
    await one.save(ID, written, 60, signal);
    expect(fillOf(await other.load(ID, signal))).toBe(1);
    await one.save('another', written, 60, signal);
    expect(fillOf(await other.load('another', signal))).toBe(1);
    clock.aheadMs = 61_000;
    await one.save(ID, written, 60, signal);
    expect(fillOf(await other.load(ID, signal))).toBe(1);
    await expect(one.save('another', written, 60, abortedSignal())).rejects.toThrow(CallerGone);
  });

  it('is swept when expired, and not before', async () => {
    const { of, rows } = replica();
    await of().save(ID, bytesOf(1), 30 * 24 * 3_600, signal);
    clock.aheadMs = 29 * 24 * HOUR_MS;
    await new ContainerSweep(rows).sweep();
    expect((await of().load(ID, signal))![0]).toBe(1);
  });

  it('keeps its state whole where a write is cut off at any piece, and nothing of the rest', async () => {
    const { of, rows } = replica();
    await of().save(ID, bytesOf(1), 60, signal);
    for (let cut = 0; cut < PIECES; cut++) {
      const gone = new Cancellation();
      rows.beforePiece = (number) => (number === cut ? gone.abort(new CallerGone()) : undefined);
      await expect(of().save(ID, bytesOf(2), 60, gone.signal)).rejects.toThrow(CallerGone);
      rows.beforePiece = (number) => {
        if (number === cut) throw new Error('the disk is full');
      };
      expect(await faultOf(of().save(ID, bytesOf(2), 60, signal))).toBe('unavailable');
      expect(failed).toHaveBeenLastCalledWith(expect.objectContaining({ message: 'the disk is full' }));
      rows.beforePiece = () => undefined;
      expect(fillOf(await of().load(ID, signal))).toBe(1);
      expect(await countPieces()).toBe(PIECES);
    }
  });

  it('is whole where the answer to the last statement was lost, whether it was put or not', async () => {
    for (const isPut of [true, false]) {
      const { of, rows } = replica();
      await of().save(ID, bytesOf(1), 60, signal);
      const put = rows.put.bind(rows);
      rows.put = async (...parts) => {
        if (isPut) await put(...parts);
        throw Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' });
      };
      expect(await faultOf(of().save(ID, bytesOf(2), 60, signal))).toBe('unavailable');
      expect(fillOf(await of().load(ID, signal))).toBe(isPut ? 2 : 1);
    }
  });

  it('leaves the pieces of a killed process to the sweep', async () => {
    const { rows, of } = replica();
    await of().save(ID, bytesOf(1), 24 * 3_600, signal);
    const ring = new SealRing(new DataKeys(dataSource, localKeys('test'), clock));
    await ring.ready();
    // More than one statement removes.
    const state = newUuid(Date.now());
    for (let number = 0; number < 9; number++)
      await rows.addPiece(state, number, ring.sealBytes(Buffer.from('left'), 'x'));
    const sweep = new ContainerSweep(rows);
    await sweep.sweep();
    expect(await countPieces()).toBe(PIECES + 9);
    clock.aheadMs = HOUR_MS + 1_000;
    await sweep.sweep();
    expect(await countPieces()).toBe(PIECES);
    expect((await of().load(ID, signal))![0]).toBe(1);
  });

  it('is one of several concurrently written states, whole', async () => {
    const [one, other] = [replica(), replica()];
    await Promise.all([1, 2, 3, 4].map((fill) => (fill % 2 ? one : other).of().save(ID, bytesOf(fill), 60, signal)));
    const loaded = await one.of().load(ID, signal);
    expect([1, 2, 3, 4]).toContain(fillOf(loaded));
    expect(await countPieces()).toBe(PIECES);
  });

  it('is read whole while another replica writes: the read starts again with the new state', async () => {
    const [one, other] = [replica(), replica()];
    await other.of().save(ID, bytesOf(1), 60, signal);
    let written = 0;
    one.rows.beforePiece = async (number) => {
      if (number === 1 && written++ < 2) await other.of().save(ID, bytesOf(2), 60, signal);
    };
    expect(fillOf(await one.of().load(ID, signal))).toBe(2);
    one.rows.beforePiece = (number) => (number === 1 ? other.of().save(ID, bytesOf(3), 60, signal) : undefined);
    expect(await faultOf(one.of().load(ID, signal))).toBe('busy');
  });

  it('reveals nothing in the store, and opens no row that was moved, cut or changed', async () => {
    const { of } = replica();
    const text = Buffer.from('canary of a container '.repeat(30_000));
    await of().save(ID, text, 60, signal);
    const [row] = await dataSource.query<{ text: string }[]>(
      `select string_agg(encode(sealed, 'escape'), '') as text from tool_container_pieces`,
    );
    expect(row!.text).not.toContain('canary');
    for (const change of [
      `update tool_container_pieces set sealed = set_byte(sealed, 40, 7 # get_byte(sealed, 40)) where number = 1`,
      `update tool_container_pieces set number = number + 10; update tool_container_pieces set number = 12 - number`,
      `update tool_containers set size = 262144`,
      `update tool_containers set id = 'another'`,
      `update tool_containers set key_hash = '${OTHER_KEY}'`,
    ]) {
      await of().save(ID, text, 60, signal);
      for (const statement of change.split(';')) await dataSource.query(statement);
      const store = of(change.includes(OTHER_KEY) ? OTHER_KEY : KEY);
      expect(await store.load(change.includes('another') ? 'another' : ID, signal)).toBe(undefined);
      await dataSource.query('delete from tool_containers');
    }
  });

  it('opens no piece of its previous state', async () => {
    const store = replica().of();
    const pieces = (): Promise<{ sealed: Buffer }[]> => dataSource.query('select sealed from tool_container_pieces');
    await store.save(ID, bytesOf(1, 1), 60, signal);
    const [before] = await pieces();
    await store.save(ID, bytesOf(2, 1), 60, signal);
    await dataSource.query('update tool_container_pieces set sealed = $1', [before!.sealed]);
    expect(await store.load(ID, signal)).toBe(undefined);
  });

  it('does not exist where its data key is gone', async () => {
    await replica().of().save(ID, bytesOf(1), 60, signal);
    expect(await replica(localKeys('lost')).of().load(ID, signal)).toBe(undefined);
    await dataSource.query('delete from data_keys');
    expect(await replica().of().load(ID, signal)).toBe(undefined);
  });

  it('reports a key service that is down', async () => {
    class Down extends KeyService {
      readonly currentKeyId = 'test';
      wrap = (): Promise<never> => Promise.reject(new KeyServiceUnavailable('down'));
      unwrap = this.wrap;
    }
    expect(await faultOf(replica(new Down()).of().save(ID, bytesOf(1), 60, signal))).toBe('unavailable');
    expect(await countPieces()).toBe(0);
    await replica().of().save(ID, bytesOf(1), 60, signal);
    expect(await faultOf(replica(new Down()).of().load(ID, signal))).toBe('unavailable');
  });
});
