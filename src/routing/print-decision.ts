import type {
  Derivation,
  ExplainedDecision,
  ExplainedExclusion,
  ExplainedLeg,
  ExplainedPlan,
} from '../core/routing/decision/explain-decision.js';
import type { ReadRef } from '../core/routing/decision/decision-ref.js';
import type { Ordering } from '../core/routing/plan.js';

/** The texts for what determined the order. */
const ORDERINGS: Readonly<Record<Ordering, string>> = {
  draw: 'drawn from the seed, weighted by price',
  session: 'drawn for the session, weighted by price',
  order: "in the request's own order",
  price: 'sorted by price',
  throughput: 'sorted by throughput',
  latency: 'sorted by latency',
  exacto: 'sorted for exact tool calls',
};

const SET_BACK = { outage: 'set back: in outage', preference: 'set back: misses a preferred figure' } as const;

/** A recorded decision as text for the operator. Ends with a line break. */
export function printDecision(decision: ExplainedDecision): string {
  const { requested, seed, choice, catalog, cut, plan, recordedLegs, calls } = decision;
  const lines = [
    `Requested: ${requested ?? '(cut)'}`,
    ...(choice ? [`Chosen by ${choice.by} (${choice.strategy}), from ${JSON.stringify(choice.data)}`] : []),
    `Seed: ${seed ?? '(cut)'}; catalog: ${catalog}`,
    ...(cut.length > 0 ? [`Left out of the record, which would have been too long: ${cut.join(', ')}`] : []),
    printDerivation(decision),
    ...(plan ? printPlan(plan) : []),
    ...(recordedLegs && decision.derivation !== 'derived' ? printRecorded(recordedLegs) : []),
    'Called:',
    ...(calls.length > 0 ? calls.map((call, index) => `  ${index + 1}. ${nameOf(call)}: ${call.status}`) : ['  none']),
  ];
  return `${lines.join('\n')}\n`;
}

function printDerivation({ derivation, catalogNow }: ExplainedDecision): string {
  const words: Readonly<Record<Derivation, string>> = {
    derived: 'Recomputed from the record and the catalog: the plan is the same.',
    differs: 'Recomputed from the record and the catalog: the plan is DIFFERENT.',
    'catalog-changed':
      `The catalog has changed since (it is ${catalogNow} now), so the plan cannot be recomputed: prices, weights and what was ` +
      'left out are unknown. To see them, set FAIRLEAD_CATALOG to the former catalog.',
    'inputs-cut': 'The plan cannot be recomputed: an input of the decision is missing. Only the record is known.',
    'other-version': 'The record is of another release, and only that release can recompute the plan.',
  };
  return words[derivation];
}

const printPlan = ({ ordering, legs, excluded, attemptsMax }: ExplainedPlan): readonly string[] => [
  `Could be tried, ${ORDERINGS[ordering]}, at most ${attemptsMax} calls:`,
  ...(legs.length > 0 ? legs.map(printLeg) : ['  none']),
  ...(excluded.length > 0 ? ['Left out:', ...excluded.map(printExclusion)] : []),
];

const printRecorded = (legs: readonly ReadRef[]): readonly string[] => [
  'Recorded candidates, first ones only:',
  ...legs.map((leg, index) => `  ${index + 1}. ${nameOf(leg)}`),
];

function printLeg(leg: ExplainedLeg, index: number): string {
  const notes = [
    leg.price === 0 ? 'free' : `${leg.price} USD per million tokens`,
    ...(leg.weight !== undefined ? [`weight ${Number(leg.weight.toPrecision(3))}`] : []),
    ...(leg.isPinned ? ['pinned by the session'] : []),
    ...(leg.setBack ? [SET_BACK[leg.setBack]] : []),
    ...(leg.widening
      ? [`reserved for ${leg.widening.input} times its input, ${leg.widening.output} times its output`]
      : []),
  ];
  return `  ${index + 1}. ${nameOf(leg)} (${leg.provider}): ${notes.join(', ')}`;
}

function printExclusion({ model, tag, credential, words, detail, reason }: ExplainedExclusion): string {
  const excluded = tag === undefined ? model : nameOf({ model, tag, ...(credential !== undefined && { credential }) });
  return `  ${excluded}: ${words}${detail === undefined ? '' : ` (${detail})`} [${reason}]`;
}

const nameOf = ({ model, tag, credential }: ReadRef): string =>
  `${model ?? '(a model that was cut)'} at ${tag}${credential === undefined ? '' : ` with ${credential}`}`;
