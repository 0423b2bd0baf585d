import type { CancelSignal } from '../core/cancellation.js';
import { SIMULATED_SCHEME } from '../core/routing/catalog.js';
import { Transport, type OutgoingCall, type UpstreamResponse } from './transport.js';

/** Carries calls to the network, but for those of the sandbox: they are played in this process and reach no socket. */
export class SandboxedTransport extends Transport {
  constructor(
    private readonly network: Transport,
    private readonly sandbox: Transport,
  ) {
    super();
  }

  override open(call: OutgoingCall, signal: CancelSignal): Promise<UpstreamResponse> {
    return call.url.startsWith(SIMULATED_SCHEME) ? this.sandbox.open(call, signal) : this.network.open(call, signal);
  }
}
