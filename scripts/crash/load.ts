import { Agent, request as open, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fortune } from '../simulation/fortune.js';
import type { SeenReply } from './evidence.js';
import type { Target } from './fleet.js';
import { OUTPUT_TOKENS_MAX, promptOf } from './upstream.js';

const STREAMED_SHARE = 0.6;
const LEAVING_SHARE = 0.08;
/** After how many milliseconds a leaving client does so. */
const LEAVES_AFTER = { min: 0, max: 60 };
const OUTPUT_TOKENS = { min: 20, max: OUTPUT_TOKENS_MAX };
/** Pause of a client without a target, or below its limit, in milliseconds. */
const PAUSE_MS = 20;
/** Longest wait for one reply: one that never ends is a fault. */
const REPLY_MS_MAX = 60_000;

/** Clients that each send one request after another to any living process. */
export class Load {
  readonly replies: SeenReply[] = [];
  /** Markers of requests that got neither a reply nor an end. */
  readonly overdue: string[] = [];
  /** The processes that currently take requests. */
  readonly targets = new Set<Target>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly clients: Promise<void>[] = [];
  private readonly under = new Map<Target, number>();
  private isOver = false;

  constructor(private readonly fortune: Fortune) {}

  /** @param keys of the clients, one each */
  start(keys: readonly string[]): void {
    for (const [index, key] of keys.entries()) this.clients.push(this.run(key, index));
  }

  /** Open requests at this target. */
  openAt(target: Target): number {
    return this.under.get(target) ?? 0;
  }

  /** Resolves when every client has finished its request. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
    this.agent.destroy();
  }

  private async run(key: string, client: number): Promise<void> {
    for (let turn = 0; !this.isOver; turn++) {
      const target = this.pick(`${client} ${turn}`);
      const request = target?.next();
      if (!target || !request) {
        await delay(PAUSE_MS);
        continue;
      }
      this.under.set(target, this.openAt(target) + 1);
      const reply = await this.ask(target.origin, key, request).finally(() => {
        this.under.set(target, this.openAt(target) - 1);
      });
      this.replies.push(reply);
      if (reply.status !== 200) await delay(PAUSE_MS);
    }
  }

  private pick(subject: string): Target | undefined {
    const targets = [...this.targets].filter((target) => this.openAt(target) < target.openMax);
    return targets[Math.floor(this.fortune.chance(subject, 'target') * targets.length)];
  }

  private async ask(origin: string, key: string, request: { marker: string; model: string }): Promise<SeenReply> {
    const { marker, model } = request;
    const stream = this.fortune.chance(marker, 'streamed') < STREAMED_SHARE;
    const body = JSON.stringify({
      model,
      max_tokens: this.fortune.whole(OUTPUT_TOKENS, marker, 'max_tokens'),
      stream,
      user: marker,
      messages: [{ role: 'user', content: promptOf(marker) }],
    });
    const patience = AbortSignal.timeout(REPLY_MS_MAX);
    const call = open(`${origin}/api/v1/messages`, {
      method: 'POST',
      agent: this.agent,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
      signal: patience,
    });
    if (this.fortune.chance(marker, 'leaves') < LEAVING_SHARE) {
      const leaving = setTimeout(() => call.destroy(), this.fortune.between(LEAVES_AFTER, marker, 'leaves after'));
      call.once('close', () => clearTimeout(leaving));
    }
    const reply = new Promise<SeenReply>((resolve) => {
      const seen = { marker, id: undefined, status: undefined, isComplete: false, reportedCost: undefined };
      call.once('error', () => resolve(seen));
      call.once('response', (response) => resolve(readReply(marker, response, stream)));
      call.end(body);
    });
    return reply.finally(() => patience.aborted && this.overdue.push(marker));
  }
}

async function readReply(marker: string, response: IncomingMessage, stream: boolean): Promise<SeenReply> {
  let text = '';
  response.setEncoding('utf8');
  // A broken connection ends the reading; bytes received before it count.
  await (async () => {
    for await (const chunk of response) text += chunk as string;
  })().catch(() => undefined);
  const { statusCode: status, headers } = response;
  const id = headers['x-generation-id'];
  const isWhole = stream ? text.includes('event: message_stop\n') : response.complete;
  const isComplete = status === 200 && isWhole;
  return {
    marker,
    id: typeof id === 'string' ? id : undefined,
    status,
    isComplete,
    reportedCost: isComplete ? readCost(text, stream) : undefined,
  };
}

function readCost(text: string, stream: boolean): number | undefined {
  const json = stream ? /^data: (\{"type":"message_delta".*)$/m.exec(text)?.[1] : text;
  const { usage } = JSON.parse(json ?? '{}') as { usage?: { cost?: number } };
  return usage?.cost;
}
