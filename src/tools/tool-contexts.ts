import { Injectable } from '@nestjs/common';
import type { ExtensionContext } from '../core/extension.js';
import { parseJson, printJson, type Json } from '../core/json/json.js';
import type { CancelSignal } from '../core/cancellation.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import type { LocalContext } from '../core/plugin.js';
import { Clock } from '../core/time.js';
import type { Caller } from '../core/caller.js';
import { BytesInFlight } from '../shared/queues/bytes-in-flight.js';
import { SealRing } from '../vault/seal-ring.js';
import { ToolContainers } from './containers/tool-containers.js';
import { EngineClients } from './engine-client.js';
import { GuardedPages } from './guarded-pages.js';
import { ParsedFiles } from './parse-file/parsed-files.js';
import { ToolWorkers } from './workers/tool-workers.js';

/**
 * Characters; longer than any seal of this gateway. Rejecting a foreign seal otherwise takes as long as opening one.
 */
const SEAL_LENGTH_MAX = 1024 * 1024;

/** Smaller data is always accepted, as small bodies do (docs/use/limits.md#bodies-in-flight). */
const SMALL_BYTES = 64 * 1024;

/** The part of the context that the generation provides to its tools. */
export type GenerationParts = Pick<
  ExtensionContext,
  'signal' | 'catalog' | 'isSandbox' | 'callable' | 'request' | 'charge' | 'countWeb' | 'plan' | 'infer'
>;

/** The contexts of the tools of one generation. */
export interface GenerationTools {
  /** The context at one step of the generation. */
  at(parts: GenerationParts): ExtensionContext;
  /** Releases what was kept for the tools: the generation has ended. */
  close(): void;
}

/** Makes the contexts of tools, for one generation each. */
@Injectable()
export class ToolContexts {
  constructor(
    private readonly seals: SealRing,
    private readonly pages: GuardedPages,
    private readonly engines: EngineClients,
    private readonly workers: ToolWorkers,
    private readonly containers: ToolContainers,
    private readonly parsedFiles: ParsedFiles,
    private readonly clock: Clock,
    private readonly bytesInFlight: BytesInFlight,
  ) {}

  /**
   * Must be awaited before `seal` is called.
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  ready(): Promise<void> {
    return this.seals.ready();
  }

  /** Caches the data keys of seals, as far as they can be opened: to be awaited before `opener` is called. */
  prepareToOpen(sealed: Iterable<string>): Promise<void> {
    return this.seals.prepareToOpen(sealed);
  }

  /**
   * @param showsResults as `ExtensionContext` has it
   * @param mayRetain as `ParsedFiles` has it
   */
  open(caller: Caller, showsResults: boolean, mayRetain: boolean): GenerationTools {
    const pages = this.pages.open(caller.keyHash, caller.egress);
    const kept = this.bytesInFlight.open(caller.keyHash);
    const ports = {
      caller,
      showsResults,
      clock: this.clock,
      guardedFetch: pages,
      engines: this.engines.open(caller.keyHash),
      workers: this.workers.of(caller.keyHash),
      containers: this.containers.of(caller),
      parsedFiles: this.parsedFiles.of(caller, mayRetain),
      keep: (bytes: number) => kept.take(bytes) || bytes < SMALL_BYTES,
      seal: (value: Json, address?: string) => this.seal(caller, value, address),
    };
    return {
      at: (parts) => ({ ...ports, ...parts }),
      close: () => {
        pages.close();
        kept.release();
      },
    };
  }

  /**
   * The context for work before there is a generation: local and free of charge.
   * @param mayRetain as `ParsedFiles` has it
   */
  local(caller: Caller, signal: CancelSignal, catalog: CatalogSnapshot, mayRetain: boolean): LocalContext {
    const workers = this.workers.of(caller.keyHash);
    return { caller, signal, catalog, workers, parsedFiles: this.parsedFiles.of(caller, mayRetain) };
  }

  /** Seals a value for the caller's workspace. @param address as of `ExtensionContext.seal` */
  seal(caller: Caller, value: Json, address?: string): string {
    return this.seals.seal(Buffer.from(printJson(value)), contextOf(caller, address));
  }

  /**
   * @returns a function that opens what `seal` returned for the same address; undefined for a seal whose key is not
   * cached, of another workspace or address, or of another origin
   */
  opener(caller: Caller): (sealed: string, address?: string) => Json | undefined {
    return (sealed, address) => {
      if (sealed.length > SEAL_LENGTH_MAX) return undefined;
      const plain = this.seals.open(sealed, contextOf(caller, address));
      return plain && (parseJson(plain.toString()) as Json);
    };
  }
}

/** No other kind of sealed text under these keys has such a context. */
const contextOf = ({ accountId, workspaceId }: Caller, address: string | undefined): string =>
  JSON.stringify(['tool-result', accountId, workspaceId, ...(address === undefined ? [] : [address])]);
