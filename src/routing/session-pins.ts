import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import { possibleUsage } from '../core/money/possible-usage.js';
import type { Plan, PlannedLeg } from '../core/routing/plan.js';
import type { SessionInputs } from '../core/routing/route-inputs.js';
import { Clock } from '../core/time.js';
import { laterWrite } from '../shared/redis/replicated-map-entry.js';
import { ReplicaLink } from '../shared/redis/replicated-map-link.js';
import { ReplicatedMap } from '../shared/redis/replicated-map.js';

/** A pin holds for ten idle minutes (docs/use/choosing-providers.md#sessions). */
const PIN_MS = 600_000;
/** A pin in use is renewed at most once in this time, so that a busy session does not cause a stream of writes. */
const RENEWAL_MS = 60_000;
const PINS_MAX = 50_000;
/** Characters of each text that distinguish conversations. */
const TEXT_CHARACTERS_MAX = 16 * 1024;

/**
 * Binds sessions to the endpoint that answered them, so that the provider's prompt cache is used. Where a draw decides,
 * a session needs no pin: every replica draws the same for it. A pin is set when another endpoint than the drawn one
 * answered. Shared by the replicas.
 */
@Injectable()
export class SessionPins implements GenerationObserver {
  /** Tags by hash of account, key, model and session. */
  private readonly pins: ReplicatedMap<Pin>;

  constructor(
    link: ReplicaLink,
    private readonly clock: Clock,
  ) {
    this.pins = new ReplicatedMap<Pin>(
      {
        name: 'session-pins',
        entriesMax: PINS_MAX,
        lifeMsMax: PIN_MS,
        // The last write wins: each success of the session confirms or moves its pin.
        merge: laterWrite,
        read: readPin,
      },
      link,
      clock,
    );
  }

  /**
   * The session of a request, by its id or else by the beginning of the conversation. Undefined where it has no id, and
   * nothing is pinned.
   */
  inputsOf(caller: Caller, request: ModelRequest): SessionInputs | undefined {
    const { sessionId, task } = request;
    // No provider caches the inputs of a task: a session only groups its records.
    if (task || (sessionId === undefined && this.pins.size === 0)) return undefined;
    const nameOf = (model: string): string => pinName(caller, model, request);
    const tags = new Map<string, string | undefined>();
    return {
      pinOf: (model) => {
        if (!tags.has(model)) tags.set(model, this.pins.get(nameOf(model))?.tag);
        return tags.get(model);
      },
      ...(sessionId !== undefined && { key: digest([caller.accountId, caller.keyHash, sessionId]) }),
    };
  }

  /**
   * Called when a leg has answered. Pins the session to it, or renews its pin, unless the next request would go there
   * without a pin.
   * @param cachedTokens the plausible part of what the provider reported
   */
  confirm(caller: Caller, request: ModelRequest, plan: Plan, leg: PlannedLeg, cachedTokens: number): void {
    if (plan.ordering === 'order') return;
    const isWorthAPin =
      request.sessionId === undefined
        ? cachedTokens > 0 && isCacheCheaper(leg)
        : leg.isPinned === true || !isRepeatedBySeed(plan, leg);
    if (isWorthAPin) this.pin(pinName(caller, leg.model.id, request), leg.tag);
  }

  ended({ ending, caller, request, plan, answer }: Generation): undefined {
    if (ending !== 'completed' || !plan || !answer || request.task) return;
    const cachedTokens = answer.usage.cacheReadTokens ? (possibleUsage(answer).cacheReadTokens ?? 0) : 0;
    // The conversation has no session and no cached prompt that would bind it.
    if (request.sessionId === undefined && cachedTokens === 0) return;
    // A session keeps the model that was chosen for it; one without an id keeps it only where that has it cached.
    const isKept = request.sessionId !== undefined || (cachedTokens > 0 && isCacheCheaper(answer.leg));
    if (plan.chosenBy !== undefined && isKept) this.pin(pinName(caller, plan.requested, request), answer.leg.model.id);
    this.confirm(caller, request, plan, answer.leg, cachedTokens);
  }

  private pin(name: string, tag: string): void {
    const now = this.clock.now();
    const known = this.pins.get(name);
    if (known?.tag === tag && now - known.at < RENEWAL_MS) return;
    this.pins.set(name, { tag, at: now }, now + PIN_MS);
  }
}

interface Pin {
  readonly tag: string;
  /** Epoch milliseconds of the last renewal. */
  readonly at: number;
}

/** If the stateless draw alone decided, without exceptions, the next request of the session has the same result. */
function isRepeatedBySeed(plan: Plan, leg: PlannedLeg): boolean {
  if (plan.ordering !== 'session' || plan.legs[0] !== leg) return false;
  const isDisturbed =
    plan.excluded.some(({ reason, model }) => reason === 'cooling-down' && model === leg.model.id) ||
    plan.legs.some(({ setBack, modelIndex }) => setBack !== undefined && modelIndex === leg.modelIndex);
  return !isDisturbed;
}

/** A pin is useful only where reading the cache is cheaper than sending the prompt again. */
function isCacheCheaper({ endpoint }: PlannedLeg): boolean {
  const { pricing } = endpoint;
  return pricing?.inputCacheRead !== undefined && pricing.inputCacheRead < pricing.prompt;
}

/**
 * A conversation without an id is identified by its first instructions and its first other message
 * (docs/use/choosing-providers.md#sessions).
 */
function pinName({ accountId, keyHash }: Caller, model: string, request: ModelRequest): string {
  const { sessionId } = request;
  if (sessionId !== undefined) return digest([accountId, keyHash, model, 'id', sessionId]);
  const instructions = request.system.map(({ text }) => cut(text));
  const first = request.messages.find(({ role }) => role !== 'system');
  const texts = (first?.content ?? []).map((block) => (block.type === 'text' ? cut(block.text) : block.type));
  return digest([accountId, keyHash, model, 'content', ...instructions, '', ...texts]);
}

const cut = (text: string): string => text.slice(0, TEXT_CHARACTERS_MAX);

/** Prefixes each part with its length, so that any content is unambiguous. */
const digest = (parts: readonly string[]): string =>
  hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'hex').slice(0, 32);

function readPin(value: unknown): Pin | undefined {
  if (typeof value !== 'object' || value === null || !('tag' in value) || !('at' in value)) return undefined;
  const { tag, at } = value;
  return typeof tag === 'string' && typeof at === 'number' ? { tag, at } : undefined;
}
