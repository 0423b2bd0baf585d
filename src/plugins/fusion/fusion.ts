import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import type { ExtensionContext } from '../../core/extension.js';
import type { JsonObject } from '../../core/json/json.js';
import { textTokens } from '../../core/money/text-tokens.js';
import {
  SHORTENED_LEAST,
  type Consulted,
  type PlannedConsultation,
  type PlanningContext,
  type Plugin,
} from '../../core/plugin.js';
import { dialectOf, FUSION_PRESETS } from '../../core/routing/catalog.js';
import type { Choice, ChoiceInputs } from '../../core/routing/route-inputs.js';
import { name } from '../../shared/http/maxima.js';
import { flag, integer, list, oneOf, optional, variant, type TProperties } from '../../shared/http/schema.js';
import { TOOL_PARAMETERS } from '../../tools/service-tools.js';
import { ConsultedModel, requestsFor, type Consultation, type Question } from './consulted-model.js';
import { conversationOf, withWords } from './conversation.js';
import { judge, judgeQuestion, printAnswers, type Verdict } from './judge.js';
import { FUSION_ID, FUSION_MODELS, readPanel, type Panel } from './panel.js';

const PANEL_MAX = 8;
const TOOLS_MAX = 8;
const TOOL_CALLS_MAX = 16;

/** Tools that are useful for an answer in text, by both of their names. */
const PANEL_TOOLS = ['web_search', 'web_fetch', 'datetime', 'bash', 'advisor', 'experimental__search_models'] as const;
const panelTools = Object.fromEntries(
  PANEL_TOOLS.flatMap((tool): [string, TProperties][] => {
    const fields = { parameters: optional(TOOL_PARAMETERS[`openrouter:${tool}`]!) };
    return [
      [`openrouter:${tool}`, fields],
      [tool, fields],
    ];
  }),
);

/**
 * Calls a panel of models in parallel, has their answers judged, and has the answer written from both
 * (docs/use/plugins/fusion.md).
 */
export const fusion: Plugin = {
  id: FUSION_ID,
  options: {
    enabled: optional(flag()),
    analysis_models: optional(list(name(), { min: 1, max: PANEL_MAX })),
    model: optional(name()),
    preset: optional(oneOf(FUSION_PRESETS)),
    max_tool_calls: optional(integer({ min: 1, max: TOOL_CALLS_MAX })),
    tools: optional(list(variant('type', panelTools), { max: TOOLS_MAX })),
  },
  models: FUSION_MODELS,
  choose,
  planConsultations,
  // Models that cannot be afforded are left out: the panel fails where all are. The judge is optional.
  requires: (request, options, context) => ({
    calls: planConsultations(request, options, context).filter(({ isWhole }) => isWhole),
    isAnyOf: true,
  }),
  addedTokens: (request) => (isPart(request) ? 0 : textTokens(CLOSING) + SHORTENED_LEAST),
  consult,
};

/** The judge of the panel is also the model that answers. */
function choose(request: ModelRequest, options: JsonObject, inputs: ChoiceInputs): Choice {
  const { catalog } = inputs;
  const panel = readPanel({ request, options, catalog, isSandbox: isTrial(options, inputs) });
  const { judge: judging } = panel;
  const id = judging.model!.id;
  const names = panel.models.map(({ name: modelName }) => modelName);
  return {
    models: [id, ...judging.fallbacks],
    strategy: 'fusion',
    summary: `${id} of a panel of ${names.length}`,
    data: { ...(panel.preset && { preset: panel.preset }), panel: names },
  };
}

/** Whether the sandbox is all that may answer: what it works with need not be real. */
function isTrial({ model }: JsonObject, { catalog, credentials, offersSharedCredential }: ChoiceInputs): boolean {
  if (typeof model === 'string') {
    const endpoints = catalog.models.get(model)?.endpoints ?? [];
    return endpoints.length > 0 && endpoints.every((endpoint) => dialectOf(endpoint) === 'simulated');
  }
  if (credentials.length > 0) return false;
  return [...catalog.providers.values()].every(
    (provider) => provider.dialect === 'simulated' || !offersSharedCredential(provider),
  );
}

/** @returns no calls where the plugin would not run */
function planConsultations(
  request: ModelRequest,
  options: JsonObject,
  { catalog, isSandbox }: PlanningContext,
): PlannedConsultation[] {
  if (isPart(request)) return [];
  const panel = readPanel({ request, options, catalog, isSandbox });
  const question = panelQuestion(request);
  const { toolUsesMax } = panel;
  return [
    ...panel.models.map((panelModel) => ({
      kind: question.kind,
      requests: requestsFor(request, panel, panelModel, question),
      toolUsesMax,
      isWhole: true,
    })),
    {
      kind: 'fusion-judge',
      requests: requestsFor(request, panel, panel.judge, judgeQuestion(request, panel, [])),
      toolUsesMax,
      isWhole: false,
    },
  ];
}

const isPart = ({ fusionDepth = 0 }: ModelRequest): boolean => fusionDepth > 0;

const panelQuestion = (request: ModelRequest): Question => ({ kind: 'fusion-panel', ...conversationOf(request) });

/** Waits for all; at the first failure ends the others, and waits for their end before it throws. */
async function allOf<T>(work: readonly Promise<T>[], end: (error: Error) => void): Promise<readonly T[]> {
  try {
    return await Promise.all(work);
  } catch (error) {
    end(error as Error);
    await Promise.allSettled(work);
    throw error;
  }
}

async function consult(request: ModelRequest, options: JsonObject, context: ExtensionContext): Promise<Consulted> {
  if (isPart(request)) return { request, note: { summary: 'not run', data: { reason: 'part of another fusion' } } };
  const { catalog, isSandbox } = context;
  const panel = readPanel({ request, options, catalog, isSandbox });
  const consulted = await callPanel(panel, context);
  const answers = consulted.filter(({ text }) => text !== undefined);
  if (answers.length === 0 && !isAnsweredAlone(consulted)) throw nobodyAnswered(consulted);
  const verdict = answers.length === 0 ? undefined : await judge(context, panel, answers);
  const read = verdict ? withWords(request, wordsFor(answers, verdict), CLOSING.length) : request;
  return {
    request: { ...read, fusionDepth: 1 },
    isOfModels: true,
    note: {
      summary: `${answers.length} of ${consulted.length} answered`,
      data: {
        ...(panel.preset && { preset: panel.preset }),
        panel: consulted.map(({ report }) => report),
        ...(verdict && { judge: verdict.report }),
      },
    },
  };
}

/** All are planned before one is called, so that a missing setting of a tool is reported before anything is spent. */
async function callPanel(panel: Panel, context: ExtensionContext): Promise<readonly Consultation[]> {
  const question = panelQuestion(context.request);
  const planning = panel.models.map((model) => ConsultedModel.plan(context, panel, model, question));
  // Plans are bounded by themselves, and start nothing.
  const planned = await allOf(planning, () => undefined);
  return allOf(
    planned.map((model) => model.ask()),
    (error) => {
      for (const model of planned) model.end(error);
    },
  );
}

/**
 * A model of the panel was called, and there was no capacity for its tools or for the models after it. The answer,
 * whose money is reserved, is made without the panel: a refusal would come after the charge.
 */
const isAnsweredAlone = (consulted: readonly Consultation[]): boolean => {
  const hasCharge = consulted.some(({ isCharged }) => isCharged);
  return consulted.some(({ omission, error }) => omission === 'payment-required' && (hasCharge || !error));
};

/** The request fails by the last failure. */
function nobodyAnswered(consulted: readonly Consultation[]): GatewayError {
  const error = consulted.findLast((consultation) => consultation.error)?.error;
  const reasons = consulted.map(({ name: modelName, omission }) => `${modelName} (${omission})`).join(', ');
  const last = error ? `; the last error: ${error.message}` : '';
  const message = `No model of the panel answered: ${reasons}${last}`;
  return new GatewayError(error?.kind ?? 'upstream-failed', message, error?.detail ?? {}, { cause: error?.cause });
}

const wordsFor = (answers: readonly Consultation[], { analysis }: Verdict): string =>
  [
    'Other models were asked the same, each by itself. Their answers follow, and the user sees none of them.',
    printAnswers(answers),
    ...(analysis === undefined ? [] : [`They were compared:\n<analysis>\n${analysis}\n</analysis>`]),
    CLOSING,
  ].join('\n\n');

const CLOSING =
  'Now answer the user yourself, as if only they had spoken to you. Keep what holds, settle what is contradicted, add ' +
  'what was missed. Do not speak of these answers, unless you are asked about them.';
