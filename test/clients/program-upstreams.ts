import { extendedCatalogOf } from '../support/app.js';
import { anthropicReply, anthropicText } from '../support/anthropic-upstream.js';
import { openaiText, openaiTools } from '../support/openai-upstream.js';
import { responsesReply, responsesText } from '../support/responses-upstream.js';
import type { Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

// Scripted upstreams of three formats, each behind one model.

interface Kind {
  readonly dialect: string;
  readonly upstream: 'anthropic' | 'openai' | 'responses';
  readonly text: (text: string) => Script;
  readonly call: (name: string, input: object, id: string) => Script;
}

/** By the model that programs name. The first is what `@openai/agents` takes where nothing names a model. */
const KINDS: Readonly<Record<string, Kind>> = {
  'openai/gpt-5.6-luna': {
    dialect: 'openai-responses',
    upstream: 'responses',
    text: responsesText,
    call: (name, input, call_id) =>
      responsesReply([
        { id: `fc_${call_id}`, type: 'function_call', call_id, name, arguments: JSON.stringify(input), status: 'completed' },
      ]),
  },
  'test/anthropic': {
    dialect: 'anthropic-messages',
    upstream: 'anthropic',
    text: anthropicText,
    call: (name, input, id) =>
      anthropicReply([{ type: 'tool_use', id, name, input: { ...input } }], { stopReason: 'tool_use' }),
  },
  'anthropic/claude-sonnet-4.5': {
    dialect: 'anthropic-messages',
    upstream: 'anthropic',
    text: anthropicText,
    call: (name, input, id) =>
      anthropicReply([{ type: 'tool_use', id, name, input: { ...input } }], { stopReason: 'tool_use' }),
  },
  'test/openai': {
    dialect: 'openai-chat',
    upstream: 'openai',
    text: openaiText,
    call: (name, input) => openaiTools({ name, input }),
  },
}; // oxfmt-ignore

/** The model of the README, of the same kind as another. */
export const README_MODEL = 'anthropic/claude-sonnet-4.5';
export const MODELS = Object.keys(KINDS).filter((model) => model !== README_MODEL);
export const DEFAULT_MODEL = MODELS[0]!;

/** A step of a model: its text, a call of a tool, or an answer of its own. */
export type Step = string | { readonly name: string; readonly input: object } | Script;

export class ProgramUpstreams {
  private constructor(private readonly upstreams: ReadonlyMap<string, Upstream>) {}

  static async start(): Promise<ProgramUpstreams> {
    const upstreams = new Map<string, Upstream>();
    for (const [model, { upstream }] of Object.entries(KINDS)) upstreams.set(model, await startUpstream(upstream));
    return new ProgramUpstreams(upstreams);
  }

  get catalog(): object {
    return extendedCatalogOf(
      ...Object.entries(KINDS).map(([id, { dialect }]) => ({
        id,
        at: [{ url: this.upstreams.get(id)!.url, dialect: dialect as never }],
      })),
    );
  }

  /** The model takes one step for each request; the last is repeated. @returns how many steps it took */
  play(model: string, ...steps: readonly Step[]): () => number {
    const { text, call } = KINDS[model]!;
    let taken = 0;
    this.upstreams.get(model)!.script((...request) => {
      const index = Math.min(taken++, steps.length - 1);
      const step = steps[index]!;
      if (typeof step === 'function') return step(...request);
      const script = typeof step === 'string' ? text(step) : call(step.name, step.input, `call_${index}`);
      return script(...request);
    });
    return () => taken;
  }

  /** The newest body that the model received, as JSON. */
  lastBody(model: string): string {
    return JSON.stringify(this.upstreams.get(model)!.requests.at(-1)!.json);
  }

  /** All bodies that the model received. */
  bodies(model: string): readonly string[] {
    return this.upstreams.get(model)!.requests.map(({ json }) => JSON.stringify(json));
  }

  async close(): Promise<void> {
    for (const upstream of this.upstreams.values()) await upstream.close();
  }
}
