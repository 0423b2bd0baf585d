import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../core/caller.js';
import type { CancelSignal } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, type ContainerStore } from '../../core/extension.js';
import { newUuid } from '../../core/ids.js';
import { Clock } from '../../core/time.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { isDatabaseUnavailable } from '../../shared/database/database-unavailable.js';
import { SealRing } from '../../vault/seal-ring.js';
import { CONTAINER_BYTES_MAX, CONTAINERS_MAX } from './container-bounds.js';
import { ToolContainersRepository, type ContainerKey, type ContainerState } from './tool-containers.repository.js';

/**
 * Bytes that are sealed and stored at a time: an embedded database takes a few milliseconds for it, which block the
 * event loop. Chosen.
 */
const PIECE_BYTES = 256 * 1024;
/** Maximum number of attempts to read a state that other processes keep replacing. */
const READS_MAX = 3;

interface LoadedState {
  readonly container: ContainerState;
  readonly bytes: Uint8Array;
}

/** The container and state that loaded or saved bytes correspond to, as long as the bytes are in use. */
type KeptStates = WeakMap<Uint8Array, ContainerState & { readonly id: string }>;

/**
 * The stored containers of tools, each sealed for its key and its id. Any number of replicas may read and write one at
 * once: a state is read whole or not at all, and of several concurrent writes the last `put` wins, whole; the others
 * leave nothing. Safe to share.
 */
@Injectable()
export class ToolContainers {
  private readonly logger = new Logger('tools');

  constructor(
    private readonly rows: ToolContainersRepository,
    private readonly ring: SealRing,
    private readonly clock: Clock,
  ) {}

  /** The store for the caller's key; containers of other keys do not exist for it. */
  of({ accountId, keyHash }: Pick<Caller, 'accountId' | 'keyHash'>): ContainerStore {
    const kept: KeptStates = new WeakMap();
    const load = async (id: string, signal: CancelSignal): Promise<Uint8Array | undefined> => {
      const loaded = await this.load({ accountId, keyHash, id }, signal);
      if (loaded) kept.set(loaded.bytes, { id, ...loaded.container });
      return loaded?.bytes;
    };
    const save = async (id: string, bytes: Uint8Array, seconds: number, signal: CancelSignal): Promise<void> => {
      const key = { accountId, keyHash, id };
      const before = kept.get(bytes);
      signal.throwIfAborted();
      if (before?.id === id && (await this.rows.prolong(key, before, seconds))) return;
      kept.set(bytes, { id, ...(await this.save(key, bytes, seconds, signal)) });
    };
    return {
      load: (id, signal) => this.attempt(signal, () => load(id, signal)),
      save: (id, bytes, seconds, signal) => this.attempt(signal, () => save(id, bytes, seconds, signal)),
    };
  }

  private async load(key: ContainerKey, signal: CancelSignal): Promise<LoadedState | undefined> {
    for (let read = 1; read <= READS_MAX; read++) {
      signal.throwIfAborted();
      const container = await this.rows.find(key);
      const pieces = container && (await this.readPieces(key, container, signal));
      if (pieces !== 'replaced') return pieces && { container, bytes: Buffer.concat(pieces) };
    }
    throw new ExtensionFault('busy', 'The container is being written by other requests; try again.');
  }

  /** @returns undefined when the data key is gone */
  private async readPieces(
    key: ContainerKey,
    container: ContainerState,
    signal: CancelSignal,
  ): Promise<Buffer[] | 'replaced' | undefined> {
    const pieces: Buffer[] = [];
    for (let number = 0; number < countPieces(container.size); number++) {
      signal.throwIfAborted();
      const stored = await this.rows.findPiece(container.state, number);
      if (!stored) return 'replaced';
      await this.ring.prepareKeys([stored.keyId]);
      const piece = this.ring.openBytes(stored, contextOf(key, container, number));
      if (!piece) return undefined;
      pieces.push(piece);
      await yieldToEventLoop();
    }
    return pieces;
  }

  private async save(
    key: ContainerKey,
    bytes: Uint8Array,
    seconds: number,
    signal: CancelSignal,
  ): Promise<ContainerState> {
    if (bytes.length > CONTAINER_BYTES_MAX)
      throw new ExtensionFault('too-large', `A container holds at most ${CONTAINER_BYTES_MAX / 1024 / 1024} MiB.`);
    if (!(await this.rows.hasHeadroom(key))) throw tooMany();
    await this.ring.ready();
    const container = { state: newUuid(this.clock.now()), size: bytes.length };
    try {
      await this.writePieces(key, container, bytes, signal);
    } catch (error) {
      await this.removePieces(container);
      throw error;
    }
    // If this fails, it is unknown whether the state was put, so the pieces are left to the sweep.
    const put = await this.rows.put(key, container, seconds);
    const unused = put ? put.before : container;
    if (unused) await this.removePieces(unused);
    if (!put) throw tooMany();
    return container;
  }

  private async writePieces(
    key: ContainerKey,
    container: ContainerState,
    bytes: Uint8Array,
    signal: CancelSignal,
  ): Promise<void> {
    for (let number = 0; number < countPieces(container.size); number++) {
      signal.throwIfAborted();
      const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(
        number * PIECE_BYTES,
        (number + 1) * PIECE_BYTES,
      );
      const sealed = this.ring.sealBytes(piece, contextOf(key, container, number));
      await this.rows.addPiece(container.state, number, sealed);
      await yieldToEventLoop();
    }
    signal.throwIfAborted();
  }

  /** Never throws: the sweep removes what is left. */
  private async removePieces({ state, size }: ContainerState): Promise<void> {
    try {
      for (let number = 0; number < countPieces(size); number++) {
        await this.rows.removePiece(state, number);
        await yieldToEventLoop();
      }
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
    }
  }

  /** Maps failures of the store and the key service to faults that a tool may report. */
  private async attempt<Result>(signal: CancelSignal, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ExtensionFault || (signal.aborted && error === signal.reason)) throw error;
      if (!(error instanceof GatewayError) && !isDatabaseUnavailable(error)) this.logger.error(error);
      throw new ExtensionFault('unavailable', 'Containers cannot be read or written at the moment.', { cause: error });
    }
  }
}

/** An empty state has one piece too: it is sealed like any other. */
const countPieces = (size: number): number => Math.max(1, Math.ceil(size / PIECE_BYTES));

/** Binds a piece to its owner, its state and its index, so that no piece passes for another. */
const contextOf = ({ keyHash, id }: ContainerKey, { state, size }: ContainerState, number: number): string =>
  JSON.stringify(['container', keyHash, id, state, size, number]);

const tooMany = (): ExtensionFault =>
  new ExtensionFault(
    'too-large',
    `This API key has ${CONTAINERS_MAX} containers already; each goes after its sleep_after_seconds.`,
  );
