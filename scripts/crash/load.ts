import { Agent, request as open, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { LostReply, SeenReply } from './evidence.js';
import { STABLE_MODEL, type Target } from './fleet.js';
import { OUTPUT_TOKENS_MAX, promptOf } from './upstream.js';

const STREAMED_SHARE = 0.6;
const LEAVING_SHARE = 0.08;
/** The share of requests with an idempotency key: they are sent again, to any living process. */
const REPEATED_SHARE = 0.25;
/** The share of these that are sent again while the first one runs. */
const JOINING_SHARE = 0.5;
/** Milliseconds after which a leaving client does so. */
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
  /** Repetitions that got another reply than the first request, or a refusal after its end; one sentence each. */
  readonly unequal: string[] = [];
  readonly withheld: string[] = [];
  /** Complete replies that were given again. */
  again = 0;
  /** Complete replies that were read by two clients while their request ran. */
  joined = 0;
  /** The processes that currently take requests. */
  readonly targets = new Set<Target>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly clients: Promise<void>[] = [];
  private readonly under = new Map<Target, number>();
  /** Requests with an idempotency key that got no complete reply: its process may have been killed. */
  private readonly cut: SentRequest[] = [];
  private isOver = false;

  /** @param called resolves when the upstream receives the first call of a request */
  constructor(
    private readonly random: SeededRandom,
    private readonly called: (marker: string) => Promise<void>,
  ) {}

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
      const { text: _, ...reply } = await this.askOnce(target, { ...request, key });
      this.replies.push(reply);
      if (reply.status !== 200) await delay(PAUSE_MS);
    }
  }

  private pick(subject: string, { isFurther = false } = {}): Target | undefined {
    const targets = [...this.targets].filter((target) => isFurther || this.openAt(target) < target.openMax);
    return targets[Math.floor(this.random.chance(subject, 'target') * targets.length)];
  }

  /**
   * Repeats requests of killed processes that got no complete reply, at a target that has settled them.
   * @returns what it answers for those whose reply was lost
   */
  async repeatCut({ origin }: Target): Promise<readonly LostReply[]> {
    const lost: LostReply[] = [];
    // Requests to the stable model may run again, which would be a further call.
    for (const request of this.cut.filter(({ model }) => model !== STABLE_MODEL)) {
      const { status, text } = await this.ask(origin, request, keyed(request), false);
      if (status !== 409) continue;
      const { error } = JSON.parse(text) as { error: { metadata: Readonly<Record<string, unknown>> } };
      const { error_type: fault, generation_id: id, charged } = error.metadata;
      if (fault !== 'idempotency_lost') this.withheld.push(`${request.marker}: was cut off, and is repeated with ${text}`); // oxfmt-ignore
      lost.push({
        marker: request.marker,
        generationId: typeof id === 'string' ? id : undefined,
        charged: typeof charged === 'number' ? charged : undefined,
      });
    }
    return lost;
  }

  /** Sends a share of the requests twice: as one request for those who count. */
  private async askOnce(target: Target, request: SentRequest): Promise<ReadReply> {
    const { marker } = request;
    if (this.random.chance(marker, 'repeated') >= REPEATED_SHARE) return this.askAt(target, request, {}, true);
    const first = this.askAt(target, request, keyed(request), true);
    const joins = this.random.chance(marker, 'joins') < JOINING_SHARE;
    return joins ? this.join(request, first) : this.repeat(request, await first);
  }

  private async repeat(request: SentRequest, first: ReadReply): Promise<ReadReply> {
    // An answer that is no reply is not stored: its repetition would be another request.
    if (first.status !== undefined && first.status !== 200) return first;
    const elsewhere = this.pick(`${request.marker} again`, { isFurther: true });
    if (!elsewhere) {
      if (!first.isComplete) this.cut.push(request);
      return first;
    }
    const again = await this.askAt(elsewhere, request, keyed(request), false);
    if (this.compare(request, first, again)) this.again++;
    return first.isComplete ? first : { ...(again.isComplete ? again : first), isRepeated: true };
  }

  /** Sends it again as soon as the upstream has its call. */
  private async join(request: SentRequest, first: Promise<ReadReply>): Promise<ReadReply> {
    const { marker } = request;
    let isOver = false;
    const over = (): void => void (isOver = true);
    first.then(over, over);
    await Promise.race([this.called(marker), first]);
    const elsewhere = this.pick(`${marker} joins`, { isFurther: true });
    if (isOver || !elsewhere) return this.repeat(request, await first);
    const second = this.askAt(elsewhere, request, keyed(request), false);
    const [reply, joined] = await Promise.all([first, second]);
    if (this.compare(request, reply, joined)) this.joined++;
    return { ...(!reply.isComplete && joined.isComplete ? joined : reply), isRepeated: true };
  }

  /** Notes faults of a repetition. @returns whether both are the same complete reply */
  private compare(request: SentRequest, first: ReadReply, again: ReadReply): boolean {
    const { marker } = request;
    if (!first.isComplete) {
      if (!again.isComplete) this.cut.push(request);
      return false;
    }
    const fault = `${marker}: was answered by ${first.id}, and repeated with ${again.status} ${again.id}`;
    if (again.isComplete) {
      const at = firstDifference(withoutComments(first.text), withoutComments(again.text));
      if (again.id === first.id && at === undefined) return true;
      this.unequal.push(at === undefined ? fault : `${fault}, which differs at character ${at}`);
    }
    // If there is no status, the process that received the request was killed. A stream of a living one has an end.
    else if (again.status !== undefined && (again.status !== 200 || again.text.includes('event: error\n')))
      this.withheld.push(fault);
    return false;
  }

  private async askAt(
    target: Target,
    request: SentRequest,
    headers: Readonly<Record<string, string>>,
    mayLeave: boolean,
  ): Promise<ReadReply> {
    this.under.set(target, this.openAt(target) + 1);
    return this.ask(target.origin, request, headers, mayLeave).finally(() => {
      this.under.set(target, this.openAt(target) - 1);
    });
  }

  private async ask(
    origin: string,
    { key, marker, model }: SentRequest,
    more: Readonly<Record<string, string>>,
    mayLeave: boolean,
  ): Promise<ReadReply> {
    const stream = this.random.chance(marker, 'streamed') < STREAMED_SHARE;
    const body = JSON.stringify({
      model,
      max_tokens: this.random.whole(OUTPUT_TOKENS, marker, 'max_tokens'),
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
        ...more,
      },
      signal: patience,
    });
    if (mayLeave && this.random.chance(marker, 'leaves') < LEAVING_SHARE) {
      const leaving = setTimeout(() => call.destroy(), this.random.between(LEAVES_AFTER, marker, 'leaves after'));
      call.once('close', () => clearTimeout(leaving));
    }
    const reply = new Promise<ReadReply>((resolve) => {
      const seen = { marker, id: undefined, status: undefined, isComplete: false, reportedCost: undefined, text: '' };
      call.once('error', () => resolve(seen));
      call.once('response', (response) => resolve(readReply(marker, response, stream)));
      call.end(body);
    });
    return reply.finally(() => patience.aborted && this.overdue.push(marker));
  }
}

interface SentRequest {
  readonly key: string;
  readonly marker: string;
  readonly model: string;
}

const keyed = ({ marker }: SentRequest): Readonly<Record<string, string>> => ({ 'idempotency-key': marker });
/** A reply with its body. */
interface ReadReply extends SeenReply {
  readonly text: string;
}

async function readReply(marker: string, response: IncomingMessage, stream: boolean): Promise<ReadReply> {
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
    text,
  };
}

/**
 * A stream without its comments: how many of them a connection gets depends on its silences, such as those of a paused
 * process.
 */
const withoutComments = (text: string): string => text.replaceAll(/^:.*\n\n/gm, '');

/** The index of the first character that differs; undefined: the texts are equal. */
function firstDifference(a: string, b: string): number | undefined {
  if (a === b) return undefined;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function readCost(text: string, stream: boolean): number | undefined {
  const json = stream ? /^data: (\{"type":"message_delta".*)$/m.exec(text)?.[1] : text;
  const { usage } = JSON.parse(json ?? '{}') as { usage?: { cost?: number } };
  return usage?.cost;
}
