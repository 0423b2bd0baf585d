import { Injectable } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { EgressError } from '../shared/http/client/egress-error.js';
import { SafePost } from '../shared/http/client/safe-post.js';
import { SealedConfigs } from './destination-seals.js';
import type { DestinationEntity } from './destination.entity.js';
import type { OutboxEvent } from './outbox-event.js';
import type { AttemptResult } from './outbox.repository.js';
import { TYPE_FACTS } from './print-event.js';

/** Time limit of an attempt, from the resolution of the name to the end of the answer. */
export const ATTEMPT_MS_MAX = 10_000;
const REDIRECT_MIN = 300;
const ERROR_MIN = 400;

/** Sends one event to one destination, once. Safe to share. */
@Injectable()
export class EventSender {
  constructor(
    private readonly configs: SealedConfigs,
    private readonly sender: SafePost,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws GatewayError `service-unavailable` when the key service does not answer
   * @throws the signal's reason once it is aborted
   */
  async send(event: OutboxEvent, row: DestinationEntity, signal: AbortSignal): Promise<AttemptResult> {
    const config = await this.configs.open(row);
    if (!config) return { status: null, error: 'Its configuration cannot be decrypted by this gateway.' };
    const facts = TYPE_FACTS[row.type];
    const { headers, body } = facts.print(event, config, this.clock.now());
    const { method = 'POST' } = config;
    const request = { url: facts.address(config), headers, body, method, timeoutMs: ATTEMPT_MS_MAX };
    try {
      return judge(await this.sender.post(request, signal));
    } catch (error) {
      if (error instanceof EgressError) return { status: null, error: `Its address ${error.message}.` };
      throw error;
    }
  }
}

function judge(status: number): AttemptResult {
  if (status < REDIRECT_MIN) return { status };
  if (status < ERROR_MIN)
    return { status, error: `It answered with a redirect (status ${status}), which is not followed.` };
  return { status, error: `It answered with status ${status}.` };
}
