import type { JSX } from 'preact';
import type { Plan } from '../../api/schema.js';
import { Money } from '../../parts/money.js';
import { orderingWords } from '../../parts/orderings.js';
import { Empty } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import type { Explained } from './explain.js';
import { chanceOf, hindranceOf, PlanPicture } from './plan-picture.js';

type Candidate = Plan['candidates'][number];
type Exclusion = Plan['excluded'][number];

interface PlanResultProps {
  readonly of: Explained;
  readonly plan: Plan;
  /** Explains another request in its place. */
  readonly again: (request: Explained) => void;
}

/** A plan: as a picture, with its numbers, and what would be without one of its providers. */
export function PlanResult({ of, plan, again }: PlanResultProps): JSX.Element {
  const { ignored } = of;
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">
        Plan for <bdi>{plan.requested}</bdi>
      </h2>
      <Facts of={plan} />
      <div class="buttons">
        <button type="button" onClick={() => again({ ...of, seed: undefined })}>
          Draw again
        </button>
        {ignored.map((slug) => (
          <button
            key={slug}
            type="button"
            onClick={() => again({ ...of, ignored: ignored.filter((one) => one !== slug) })}
          >
            With {slug} again
          </button>
        ))}
      </div>
      {plan.candidates.length === 0 ? (
        <Empty>No endpoint could serve it: the request would be refused. Below is why each was left out.</Empty>
      ) : (
        <>
          <PlanPicture of={plan} />
          <Table
            caption="Candidates in their order"
            columns={candidateColumns(plan, (slug) => again({ ...of, ignored: [...ignored, slug] }))}
            rows={plan.candidates}
            keyOf={({ position }) => String(position)}
            csv="candidates.csv"
          />
        </>
      )}
      {plan.excluded.length > 0 && (
        <Table
          caption="Left out"
          columns={EXCLUDED}
          rows={plan.excluded}
          keyOf={(one) => JSON.stringify(one)}
          csv="left-out.csv"
        />
      )}
      <details>
        <summary>JSON</summary>
        <pre tabIndex={0} aria-label="The plan as JSON">
          {JSON.stringify(plan, null, 2)}
        </pre>
      </details>
    </section>
  );
}

function Facts({ of: plan }: { readonly of: Plan }): JSX.Element {
  const facts: readonly (readonly [string, JSX.Element | string | undefined])[] = [
    ['Strategy', plan.strategy],
    ['Models', plan.models.join(', ')],
    ['Chosen by', plan.choice && `${plan.choice.by}: ${plan.choice.summary}`],
    ['Order', orderingWords(plan.ordering)],
    ['Attempts, at most', String(plan.attempts_max)],
    ['Draw', <code>{plan.seed}</code>],
    ['Pinned by its session', plan.session.pins.map(({ tag }) => tag).join(', ')],
    ['Warnings', plan.warnings?.join(' ')],
    ['Unknown providers', plan.unknown_providers?.map(({ field, name }) => `${field}: ${name}`).join(', ')],
  ];
  return (
    <dl class="facts columns">
      {facts
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const candidateColumns = (plan: Plan, leaveOut: (slug: string) => void): readonly Column<Candidate>[] => [
  {
    name: 'position',
    title: 'No.',
    isNumber: true,
    cell: ({ position }) => position,
    sortBy: ({ position }) => position,
  },
  { name: 'tag', title: 'Endpoint', isHeader: true, cell: ({ tag }) => tag, sortBy: ({ tag }) => tag },
  { name: 'model', title: 'Model', cell: ({ model }) => <bdi class="name">{model}</bdi>, sortBy: ({ model }) => model },
  {
    name: 'without',
    title: 'What if',
    cell: ({ provider }) => (
      <button type="button" class="quiet" onClick={() => leaveOut(provider)}>
        Without {provider}
      </button>
    ),
  },
  {
    name: 'weight',
    title: 'Weight',
    isNumber: true,
    cell: ({ weight }) => (weight === null ? '–' : Number(weight.toPrecision(3))),
    sortBy: ({ weight }) => weight,
  },
  {
    name: 'chance',
    title: 'Chance',
    isNumber: true,
    cell: (one) => {
      const chance = chanceOf(plan.candidates, one);
      return chance === null ? '–' : `${(100 * chance).toFixed(1)} %`;
    },
    sortBy: (one) => chanceOf(plan.candidates, one),
  },
  {
    name: 'price',
    title: 'USD a million tokens',
    isNumber: true,
    cell: ({ price_per_million: price }) => <Money usd={price} />,
    sortBy: ({ price_per_million: price }) => price,
  },
  {
    name: 'bound',
    title: 'Charges at most',
    isNumber: true,
    cell: (one) => <Bound of={one} />,
    sortBy: ({ bound }) => (bound === undefined ? null : Number(bound)),
  },
  {
    name: 'affordable',
    title: 'Affordable',
    cell: (one) => <Affordable of={one} />,
    sortBy: ({ would_be_granted: granted }) => (granted === undefined ? null : Number(granted)),
  },
  {
    name: 'credential',
    title: 'Credential',
    cell: ({ is_byok: own }) => (own ? 'own' : 'of the operator'),
    sortBy: ({ is_byok: own }) => Number(own),
  },
  { name: 'notes', title: 'Notes', wraps: true, cell: notesOf, sortBy: notesOf },
];

const Bound = ({ of: { bound, byok_bound: own } }: { readonly of: Candidate }): JSX.Element => (
  <>
    <Money usd={bound === undefined ? null : Number(bound)} />
    {own !== undefined && (
      <>
        , own account <Money usd={Number(own)} />
      </>
    )}
  </>
);

function Affordable({ of: { would_be_granted: granted, refused_by: by } }: { readonly of: Candidate }): JSX.Element {
  if (granted === undefined) return <>–</>;
  if (granted) return <span class="good">yes</span>;
  return <span class="bad">no{by && `: ${by.counter} has $${by.left} left of $${by.limit}`}</span>;
}

function notesOf(one: Candidate): string {
  const { untranslatable, set_back: setBack, pinned, dropped, health } = one;
  const parts = [
    untranslatable ? `cannot take ${untranslatable.field}: ${untranslatable.reason}` : undefined,
    setBack && `set back: ${setBack}`,
    pinned && 'pinned by the session',
    health?.out && 'in an outage',
    dropped.length > 0 && `would not be sent ${dropped.join(', ')}`,
    untranslatable ? undefined : hindranceOf(one),
  ];
  return parts.filter(Boolean).join('; ') || '–';
}

const EXCLUDED: readonly Column<Exclusion>[] = [
  {
    name: 'endpoint',
    title: 'Endpoint',
    isHeader: true,
    cell: ({ tag, model }) => tag ?? model,
    sortBy: ({ tag, model }) => tag ?? model,
  },
  { name: 'model', title: 'Model', cell: ({ model }) => <bdi class="name">{model}</bdi>, sortBy: ({ model }) => model },
  { name: 'reason', title: 'Reason', cell: ({ reason }) => <code>{reason}</code>, sortBy: ({ reason }) => reason },
  {
    name: 'words',
    title: 'In words',
    wraps: true,
    cell: ({ words, detail }) => (detail === undefined ? words : `${words} (${detail})`),
    sortBy: ({ words, detail }) => (detail === undefined ? words : `${words} (${detail})`),
  },
];
