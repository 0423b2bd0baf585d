import type { JSX } from 'preact';
import type { Plan } from '../../api/schema.js';
import { shortUsd } from '../../parts/money.js';

type Candidate = Plan['candidates'][number];

const CANDIDATES_SHOWN = 12;
const EXCLUDED_SHOWN = 8;
const ROW = 58;

/** The chance of a candidate to be the first of its model; null where there was no draw. */
export function chanceOf(candidates: readonly Candidate[], { model, weight }: Candidate): number | null {
  if (weight === null) return null;
  const all = candidates.reduce((sum, one) => sum + (one.model === model ? (one.weight ?? 0) : 0), 0);
  return all === 0 ? null : weight / all;
}

/** Reason why a candidate would not be called; undefined: it would be called. */
export function hindranceOf({ untranslatable, would_be_granted: granted }: Candidate): string | undefined {
  if (untranslatable) return `cannot take the request: ${untranslatable.field}`;
  return granted === false ? 'not affordable' : undefined;
}

/** The candidates in their order, each with its chance, and what was left out; the numbers are in the tables below. */
export function PlanPicture({ of: plan }: { readonly of: Plan }): JSX.Element {
  const candidates = plan.candidates.slice(0, CANDIDATES_SHOWN);
  const excluded = plan.excluded.slice(0, EXCLUDED_SHOWN);
  return (
    <figure class="plan">
      <figcaption>
        The order in which they would be tried. Bars are chances to be the first of their model
        {plan.candidates.every(({ weight }) => weight === null) && '; here the order is fixed'}.
      </figcaption>
      <svg width="100%" height={candidates.length * ROW} role="img" aria-label={describe(plan)}>
        {candidates.map((one, at) => (
          <CandidateRow key={one.position} of={one} plan={plan} top={at * ROW} />
        ))}
      </svg>
      {excluded.length > 0 && (
        <ul class="left-out">
          {excluded.map(({ model, tag, words }, at) => (
            <li key={at}>
              ✕ {tag ?? model}: {words}
            </li>
          ))}
        </ul>
      )}
      {(plan.candidates.length > CANDIDATES_SHOWN || plan.excluded.length > EXCLUDED_SHOWN) && (
        <p class="hint">The tables have all of them.</p>
      )}
    </figure>
  );
}

interface RowProps {
  readonly of: Candidate;
  readonly plan: Plan;
  readonly top: number;
}

function CandidateRow({ of: one, plan, top }: RowProps): JSX.Element {
  const chance = chanceOf(plan.candidates, one);
  const hindrance = hindranceOf(one);
  const isTried = one.position <= plan.attempts_max;
  const notes = [
    chance === null ? undefined : `${(100 * chance).toFixed(1)} %`,
    one.bound !== undefined && `charges at most ${shortUsd(Number(one.bound))}`,
    one.byok_bound !== undefined && `at most ${shortUsd(Number(one.byok_bound))} at the provider`,
    hindrance,
    one.set_back && `set back: ${one.set_back}`,
    one.pinned && 'pinned by the session',
    one.is_byok && 'own credential',
    !isTried && 'beyond the attempts',
  ];
  const shade = hindrance ? 'hindered' : isTried ? 'tried' : 'spare';
  return (
    <g>
      <text x="0" y={top + 14} class="name">
        {one.position}. {one.tag} <tspan class="model">{one.model}</tspan>
      </text>
      <rect x="0" y={top + 20} width="100%" height="10" class="empty" />
      <rect x="0" y={top + 20} width={`${100 * (chance ?? (one.position === 1 ? 1 : 0))}%`} height="10" class={shade} />
      <text x="0" y={top + 45} class="notes">
        {notes.filter(Boolean).join(' · ')}
      </text>
    </g>
  );
}

function describe(plan: Plan): string {
  const names = plan.candidates.slice(0, CANDIDATES_SHOWN).map((one) => {
    const chance = chanceOf(plan.candidates, one);
    return `${one.position}: ${one.tag}${chance === null ? '' : `, ${(100 * chance).toFixed(1)} %`}`;
  });
  return `Candidates in their order: ${names.join('; ') || 'none'}. Left out: ${plan.excluded.length}.`;
}
