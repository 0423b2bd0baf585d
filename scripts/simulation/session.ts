import type { ModelRequest } from '../../src/core/conversation/request.js';
import type { Tool } from '../../src/core/conversation/tools.js';
import { readModelName } from '../../src/core/routing/model-name.js';
import type { Leg } from '../../src/core/routing/plan.js';
import type { NamedModel, RouteNeeds } from '../../src/core/routing/route-inputs.js';
import type { SeededRandom } from './seeded-random.js';
import type { AnswerTokens } from './list-price.js';
import type { LabelledPrompt, TrafficKind } from './scenario.js';
import type { PlannedSession } from './traffic.js';

/**
 * How long a provider's cache keeps a prompt, in milliseconds
 * (docs/operate/catalog.md#prices).
 */
const CACHE_MS = 300_000;
const CHARACTERS_PER_TOKEN = 4;
/** The gateway's lower bound of a prompt is less than its tokens: characters / 6, where a token has about four. */
const PROMPT_BOUND_SHARE = CHARACTERS_PER_TOKEN / 6;
const TOOL: Tool = { type: 'function', name: 'run', inputSchema: { type: 'object' } };

/** A conversation of several turns. Remembers how much of it each endpoint has seen. */
export class Session {
  turn = 0;
  promptTokens: number;
  /** The leg that answered last. */
  answeredBy: Leg | undefined;
  private readonly seen = new Map<string, { readonly tokens: number; readonly at: number }>();
  private readonly models: readonly NamedModel[];
  private known: ModelRequest;
  /** The prompt, where its content matters. */
  readonly prompt: LabelledPrompt | undefined;

  constructor(
    readonly plan: PlannedSession,
    private readonly random: SeededRandom,
  ) {
    const { kind, id } = plan;
    this.models = namedModels(kind);
    this.promptTokens = random.whole(kind.promptTokens, id, 'prompt');
    this.prompt = kind.prompts?.[Math.floor(random.chance(id, 'asked') * kind.prompts.length)];
    this.known = requestOf(kind, id);
  }

  /** The name of this turn's draws. */
  get subject(): string {
    return `${this.plan.id}.${this.turn}`;
  }

  get answerTokens(): number {
    return this.random.whole(this.plan.kind.answerTokens, this.subject, 'answer');
  }

  /** The parts of a request that identify sessions, and that routers read. */
  get request(): ModelRequest {
    const { prompt, known } = this;
    if (!prompt) return known;
    const characters = this.promptTokens * CHARACTERS_PER_TOKEN - prompt.text.length;
    return {
      ...known,
      system: [{ type: 'text', text: ' '.repeat(Math.max(0, characters)) }],
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt.text }] }],
      tools: prompt.tools ? [TOOL] : [],
    };
  }

  /** The parts of this turn's request that routing reads. */
  get needs(): RouteNeeds {
    const { model, preferences, parameters, maxOutputTokens } = this.plan.kind;
    return {
      requested: model,
      models: this.models,
      movesOnRefusal: false,
      preferences,
      parameters,
      modalities: [],
      promptTokensMin: Math.floor(this.promptTokens * PROMPT_BOUND_SHARE),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      tier: 'standard',
    };
  }

  /** Tokens of this turn's prompt in the endpoint's cache. */
  cachedAt({ model, tag, endpoint }: Leg, now: number): number {
    const seen = this.seen.get(`${model.id} ${tag}`);
    if (!seen || now - seen.at > CACHE_MS || endpoint.pricing?.inputCacheRead === undefined) return 0;
    return Math.floor(this.plan.kind.cachedShare * Math.min(seen.tokens, this.promptTokens));
  }

  /** @param cached the result of `cachedAt` when the call was made */
  answered(leg: Leg, cached: number, now: number): AnswerTokens {
    const { model, tag, endpoint } = leg;
    const isWritten = endpoint.pricing?.inputCacheWrite !== undefined;
    const kept = isWritten ? Math.floor(this.plan.kind.cachedShare * this.promptTokens) : 0;
    const written = Math.max(0, kept - cached);
    this.seen.set(`${model.id} ${tag}`, { tokens: this.promptTokens, at: now });
    this.answeredBy = leg;
    return { fresh: this.promptTokens - cached - written, cached, written, answer: this.answerTokens };
  }

  /** @returns milliseconds until the next turn; undefined: that was the last */
  next(): number | undefined {
    const { kind, turns, id } = this.plan;
    if (++this.turn >= turns) return undefined;
    this.promptTokens += this.random.whole(kind.growthTokens, this.subject, 'growth');
    // Nothing links its turns, so each begins another conversation.
    if (kind.affinity === 'none') this.known = requestOf(kind, `${id} ${this.turn}`);
    return this.random.between(kind.pauseMs, this.subject, 'pause');
  }
}

function namedModels({ model, fallbacks }: TrafficKind): readonly NamedModel[] {
  const named = [model, ...fallbacks].map(readModelName);
  return [...new Map(named.map((one) => [one.id, one])).values()];
}

const requestOf = ({ model, preferences, affinity, plugins }: TrafficKind, text: string): ModelRequest => ({
  model,
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  stream: true,
  sampling: {},
  tools: [],
  preferences,
  plugins,
  betas: [],
  ...(affinity === 'id' && { sessionId: text }),
});
