import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import { parseJson, printJson, type Json, type JsonObject } from '../../core/json/json.js';
import type { ModelRequest, OutputFormat } from '../../core/conversation/request.js';
import type { HealOutcome, TextToHeal } from '../../tools/heal-json/heal-json.js';
import { asOneTurn } from './conversation.js';
import { ConsultedModel, type Consultation, type Question } from './consulted-model.js';
import type { Panel, PanelModel } from './panel.js';

const texts = { type: 'array', items: { type: 'string' } };
const listOf = (properties: JsonObject): JsonObject => ({
  type: 'array',
  items: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
});
const PROPERTIES: JsonObject = {
  consensus: texts,
  contradictions: listOf({
    topic: { type: 'string' },
    stances: listOf({ model: { type: 'string' }, stance: { type: 'string' } }),
  }),
  partial_coverage: listOf({ point: { type: 'string' }, models: texts }),
  unique_insights: listOf({ model: { type: 'string' }, insight: { type: 'string' } }),
  blind_spots: texts,
};

/** The findings of the judge, in the field names of the service (`@openrouter/sdk` 1.3, FusionAnalysisResult). */
const SCHEMA: JsonObject = {
  type: 'object',
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  additionalProperties: false,
};
const FORMAT: OutputFormat = { type: 'json-schema', name: 'analysis', schema: SCHEMA, strict: true };

const INSTRUCTIONS = [
  'You compare the answers that several models gave, each by itself, to the end of a conversation. You do not answer',
  'the conversation yourself. Say on what they agree, where they contradict each other, what only some of them cover,',
  'what one alone has seen, and what all have missed. Judge by substance, not by length or by who speaks; check what',
  'is doubtful where you have tools for it. Your reply is one JSON object that fits this schema, and nothing else:',
  printJson(SCHEMA),
].join('\n');

/** The outcome of the judge. */
export interface Verdict {
  /** The analysis, as JSON; absent where the answer is made without one. */
  readonly analysis?: string;
  readonly report: JsonObject;
}

/** Has the answers of a panel compared. If the judge fails, the answers are used without an analysis. */
export async function judge(
  context: ExtensionContext,
  panel: Panel,
  answers: readonly Consultation[],
): Promise<Verdict> {
  const question = judgeQuestion(context.request, panel, answers);
  const { text, isCut = false, report } = await ask(context, panel, question);
  if (text === undefined) return { report: { ...report, outcome: 'left out' } };
  const analysis = await healed(context, { text, isCut });
  return analysis === undefined
    ? { report: { ...report, outcome: 'unusable' } }
    : { analysis, report: { ...report, outcome: 'judged' } };
}

export const judgeQuestion = (request: ModelRequest, panel: Panel, answers: readonly Consultation[]): Question => ({
  kind: 'fusion-judge',
  system: [{ type: 'text', text: INSTRUCTIONS }],
  messages: [asOneTurn(request, printAnswers(answers))],
  ...(takesSchemas(panel.judge) && { outputFormat: FORMAT }),
});

async function ask(
  context: ExtensionContext,
  panel: Panel,
  question: Question,
): Promise<Pick<Consultation, 'report'> & Partial<Consultation>> {
  try {
    return await (await ConsultedModel.plan(context, panel, panel.judge, question)).ask();
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof GatewayError)) throw error;
    return { report: { model: panel.judge.name, reason: error.kind } };
  }
}

/** Models that take a schema get it as such; the others get it in the prompt. */
const takesSchemas = ({ model }: PanelModel): boolean =>
  model?.endpoints.every(({ supportedParameters }) => supportedParameters.includes('structured_outputs')) ?? false;

/** @returns undefined where the text is no analysis */
async function healed(
  { workers, signal }: ExtensionContext,
  { text, isCut }: { readonly text: string; readonly isCut: boolean },
): Promise<string | undefined> {
  const task: TextToHeal = { text, isCut, schema: SCHEMA };
  try {
    const outcome = (await workers.run('heal-json', () => task, signal)) as HealOutcome;
    if (outcome.is === 'beyond-repair') return undefined;
    return printJson(parseJson(outcome.is === 'healed' ? outcome.text : text) as Json);
  } catch (error) {
    if (!(error instanceof ExtensionFault)) throw error;
    return undefined;
  }
}

/** The form in which the judge and the answering model read the answers. */
export const printAnswers = (answers: readonly Consultation[]): string =>
  answers
    .map(({ name, text, isCut }) => `<answer model="${name}"${isCut ? ' cut="true"' : ''}>\n${text}\n</answer>`)
    .join('\n\n');
