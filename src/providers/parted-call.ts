import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { countInputs, textOf, withInputs, type TaskRequest } from '../core/conversation/task-request.js';
import type { Computed, Vector } from '../core/conversation/task.js';
import { addUsage, NO_USAGE, type Usage } from '../core/conversation/usage.js';
import { doInSlices } from '../core/steps.js';
import { estimateInputTokens } from '../core/money/estimate.js';
import { textTokens } from '../core/money/text-tokens.js';
import type { Target, TaskCodec } from '../core/provider.js';
import { PreparedCall } from './prepared-call.js';

/** Parts that are sent at the same time. Chosen: a provider's limits count each as a request. */
const PARTS_AT_ONCE = 4;

/** A part of the inputs: its call, and what became of it. */
interface Part {
  readonly request: TaskRequest<'embeddings'>;
  wasSent: boolean;
  events: readonly ModelEvent[] | undefined;
}

/**
 * A call with more inputs than its provider takes at once: several calls, whose results are put together in the order
 * of the inputs. Nothing is sent before it is known that the target can carry all of them. The first failure is that of
 * the whole. Calls that are under way then are awaited, because they are billed; no further one begins.
 */
export class PartedCall extends PreparedCall {
  private parts: readonly Part[] = [];
  private cut: CancelSignal | undefined;

  of(requests: readonly TaskRequest<'embeddings'>[]): this {
    this.parts = requests.map((request) => ({ request, wasSent: false, events: undefined }));
    return this;
  }

  override async answer(signal: CancelSignal): Promise<ModelEvent[]> {
    this.cut = signal;
    for (const { request } of this.parts) await doInSlices(this.codec.encode(request, this.target, this.media));
    const failures: unknown[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < this.parts.length && failures.length === 0) {
        try {
          await this.sendPart(this.parts[next++]!, signal);
        } catch (error) {
          failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work));
    if (failures.length > 0) throw failures[0];
    return joined(this.parts.map(({ events }) => events!));
  }

  /** The usage of the parts that were answered; where the call was cut off, an estimate of those that were sent. */
  override get billed(): readonly ModelEvent[] {
    let usage = NO_USAGE;
    for (const { request, wasSent, events } of this.parts) {
      const own = events ? usageOf(events) : undefined;
      if (own) usage = addUsage(usage, own);
      else if (wasSent && this.cut?.aborted)
        usage = addUsage(usage, { inputTokens: estimateInputTokens(request), estimated: true });
    }
    return usage === NO_USAGE ? [] : [{ type: 'usage', usage }];
  }

  private async sendPart(part: Part, signal: CancelSignal): Promise<void> {
    const { target, credential, media, access, dependencies, watch, codec } = this;
    const onSent = (status?: number): void => {
      part.wasSent = true;
      watch?.onSent(status);
    };
    const own = { traceparent: watch?.traceparent, onSent };
    const call = new PreparedCall(target, part.request, credential, media, access, dependencies, own, codec);
    part.events = await call.answer(signal);
  }
}

/**
 * The requests of the calls that the inputs need.
 * @returns the request itself where one call takes all of them
 */
export function divided(
  request: TaskRequest<'embeddings'>,
  target: Target,
  codec: TaskCodec,
): readonly TaskRequest<'embeddings'>[] {
  const inputs = countInputs(request);
  if (inputs === 1 || !codec.limits) return [request];
  const { inputs: inputsMax, tokens: tokensMax = Infinity } = codec.limits(target);
  const starts = [0];
  let tokens = 0;
  for (let index = 0; index < inputs; index++) {
    const own = tokensMax === Infinity ? 0 : tokensAt(request, index);
    tokens += own;
    if (index - starts.at(-1)! < inputsMax && (tokens <= tokensMax || tokens === own)) continue;
    starts.push(index);
    tokens = own;
  }
  if (starts.length === 1) return [request];
  return starts.map((from, part) => withInputs(request, from, starts[part + 1] ?? inputs));
}

/** The most tokens of an input: its part is never too long, although a longer one may have fitted. */
function tokensAt({ task, messages }: TaskRequest<'embeddings'>, index: number): number {
  return task.tokens ? task.tokens[index]!.length : textTokens(textOf(messages[index]!) ?? '');
}

function usageOf(events: readonly ModelEvent[]): Usage | undefined {
  const last = events.findLast(({ type }) => type === 'usage');
  return last?.type === 'usage' ? last.usage : undefined;
}

/** Joins the replies of all parts to one, which begins and ends as the first one does. */
function joined(parts: readonly (readonly ModelEvent[])[]): ModelEvent[] {
  const vectors: Vector[] = [];
  let usage: Usage = NO_USAGE;
  for (const events of parts) {
    const { computed } = endOf(events);
    if (computed?.kind === 'embeddings') for (const vector of computed.vectors) vectors.push(vector);
    usage = addUsage(usage, usageOf(events) ?? NO_USAGE);
  }
  const computed: Computed = { kind: 'embeddings', vectors };
  return [parts[0]![0]!, { type: 'usage', usage }, { ...endOf(parts[0]!), computed }];
}

/** The grammar has been checked. */
const endOf = (events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'reply-end' }> =>
  events.at(-1) as Extract<ModelEvent, { type: 'reply-end' }>;
