import type {
  Derivation,
  ExplainedDecision,
  ExplainedExclusion,
  ExplainedLeg,
  ExplainedPlan,
} from '../core/routing/explain-decision.js';
import type { ReadRef } from '../core/routing/decision-ref.js';
import type { Ordering } from '../core/routing/plan.js';

/** What determined the order. */
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
    derived: 'Made again from the record and the catalog: the plan is the one that was made.',
    differs: 'Made again from the record and the catalog, the plan is ANOTHER one than was made.',
    'catalog-changed':
      `The catalog has changed since (it is ${catalogNow} now), so the plan cannot be made again: prices, weights and what was ` +
      'left out are not known any more. Give the former catalog by FAIRLEAD_CATALOG to see them.',
    'inputs-cut': 'The plan cannot be made again: a part that decided is missing. Only what was recorded is known.',
    'other-version': 'The record is of another release, which alone can make the plan again.',
  };
  return words[derivation];
}

const printPlan = ({ ordering, legs, excluded, attemptsMax }: ExplainedPlan): readonly string[] => [
  `Could be tried, ${ORDERINGS[ordering]}, at most ${attemptsMax} calls:`,
  ...(legs.length > 0 ? legs.map(printLeg) : ['  none']),
  ...(excluded.length > 0 ? ['Left out:', ...excluded.map(printExclusion)] : []),
];

const printRecorded = (legs: readonly ReadRef[]): readonly string[] => [
  'Recorded as the first that could be tried:',
  ...legs.map((leg, index) => `  ${index + 1}. ${nameOf(leg)}`),
];

function printLeg(leg: ExplainedLeg, index: number): string {
  const notes = [
    leg.price === 0 ? 'free' : `${leg.price} USD per million tokens`,
    ...(leg.weight !== undefined ? [`weight ${Number(leg.weight.toPrecision(3))}`] : []),
    ...(leg.isPinned ? ['the session was bound here'] : []),
    ...(leg.setBack ? [SET_BACK[leg.setBack]] : []),
    ...(leg.widening
      ? [`reserved for ${leg.widening.input} times its input, ${leg.widening.output} times its output`]
      : []),
  ];
  return `  ${index + 1}. ${nameOf(leg)} (${leg.provider}): ${notes.join(', ')}`;
}

function printExclusion({ model, tag, credential, words, detail, reason }: ExplainedExclusion): string {
  const place = tag === undefined ? model : nameOf({ model, tag, ...(credential !== undefined && { credential }) });
  return `  ${place}: ${words}${detail === undefined ? '' : ` (${detail})`} [${reason}]`;
}

const nameOf = ({ model, tag, credential }: ReadRef): string =>
  `${model ?? '(a model that was cut)'} at ${tag}${credential === undefined ? '' : ` with ${credential}`}`;
