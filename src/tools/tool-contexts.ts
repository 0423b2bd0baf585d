import { Injectable } from '@nestjs/common';
import type { ExtensionContext } from '../core/extension.js';
import { parseJson, printJson, type Json } from '../core/json/json.js';
import type { OpenSeal } from '../core/tool.js';
import { Clock } from '../core/time.js';
import type { Caller } from '../core/caller.js';
import { SealRing } from '../vault/seal-ring.js';
import { ToolContainers } from './containers/tool-containers.js';
import { EngineClients } from './engine-client.js';
import { GuardedPages } from './guarded-pages.js';
import { ToolWorkers } from './workers/tool-workers.js';

/** What a generation gives its tools. */
export type GenerationParts = Pick<ExtensionContext, 'signal' | 'catalog' | 'request' | 'infer'>;

/** What the tools of one generation work with. */
export interface GenerationTools {
  /** At one of its steps. */
  at(parts: GenerationParts): ExtensionContext;
  /** The generation is over: what was kept for its tools is let go. */
  close(): void;
}

/** Makes what tools work with, for one generation each. */
@Injectable()
export class ToolContexts {
  constructor(
    private readonly seals: SealRing,
    private readonly pages: GuardedPages,
    private readonly engines: EngineClients,
    private readonly workers: ToolWorkers,
    private readonly containers: ToolContainers,
    private readonly clock: Clock,
  ) {}

  /**
   * To be awaited before anything is sealed.
   * @throws GatewayError `unavailable` when the key service does not answer
   */
  ready(): Promise<void> {
    return this.seals.ready();
  }

  /** Has what was sealed at hand, as far as it can be opened: to be awaited before `opener` is asked. */
  prepareToOpen(sealed: readonly string[]): Promise<void> {
    return this.seals.prepareToOpen(sealed);
  }

  open(caller: Caller): GenerationTools {
    const pages = this.pages.open(caller.keyHash, caller.egress);
    const ports = {
      caller,
      clock: this.clock,
      guardedFetch: pages,
      engines: this.engines.open(caller.keyHash),
      workers: this.workers.of(caller.keyHash),
      containers: this.containers.of(caller),
      seal: (value: Json) => this.seal(caller, value),
    };
    return { at: (parts) => ({ ...ports, ...parts }), close: () => pages.close() };
  }

  /** Seals for the account of a caller. */
  seal(caller: Caller, value: Json): string {
    return this.seals.seal(Buffer.from(printJson(value)), contextOf(caller));
  }

  opener(caller: Caller): OpenSeal {
    return (sealed) => {
      const plain = this.seals.open(sealed, contextOf(caller));
      return plain && (parseJson(plain.toString()) as Json);
    };
  }
}

/** No other kind of text that is sealed under these keys is told like it. */
const contextOf = ({ accountId }: Caller): string => JSON.stringify(['tool-result', accountId]);
