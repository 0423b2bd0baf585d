import type { JSX } from 'preact';
import { orderingWords } from '../../parts/orderings.js';
import { Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';

/** The parts of a decision that are drawn; the record has the complete decision. */
interface ShownDecision {
  readonly derivation: string;
  readonly requested?: string;
  readonly plan?: {
    readonly ordering: string;
    readonly attemptsMax: number;
    readonly legs: readonly Leg[];
    readonly excluded: readonly {
      readonly model?: string;
      readonly tag?: string;
      readonly reason: string;
      readonly words: string;
    }[];
  };
}

interface Leg {
  readonly model: string;
  readonly tag: string;
  readonly provider: string;
  readonly price: number;
  readonly weight?: number;
  readonly setBack?: string;
  readonly isPinned?: true;
}

/** Why an endpoint can be derived no more, by the word of the record. */
const DERIVATIONS: Readonly<Record<string, string>> = {
  differs: 'The planner has changed since: the plan below is not the one that was followed.',
  'catalog-changed': 'The catalog has changed since, so the plan cannot be derived again.',
  'inputs-cut': 'The record was too long to keep all that the plan depends on.',
  'other-version': 'Another release has written this record.',
};

/** Why it went where it went: the endpoints that could have served it, in their order, and those that were left out. */
export function Decision({ of }: { readonly of: Readonly<Record<string, unknown>> | null }): JSX.Element {
  return (
    <section aria-labelledby="decision">
      <h2 id="decision">Decision</h2>
      {of === null ? <Empty>No decision is kept of it.</Empty> : <Kept of={of as unknown as ShownDecision} />}
    </section>
  );
}

function Kept({ of: { derivation, plan } }: { readonly of: ShownDecision }): JSX.Element {
  const weights = plan?.legs.map(({ weight }) => weight ?? 0) ?? [];
  const all = weights.reduce((sum, one) => sum + one, 0);
  return (
    <>
      {DERIVATIONS[derivation] && <p>{DERIVATIONS[derivation]}</p>}
      {plan && (
        <>
          <p>
            Order: {orderingWords(plan.ordering)}. At most {plan.attemptsMax}{' '}
            {plan.attemptsMax === 1 ? 'attempt' : 'attempts'}.
          </p>
          <Table
            caption="Endpoints in their order"
            columns={[
              { name: 'model', title: 'Model', cell: ({ model }) => model, sortBy: ({ model }) => model },
              { name: 'endpoint', title: 'Endpoint', cell: ({ tag }) => tag, sortBy: ({ tag }) => tag },
              {
                name: 'provider',
                title: 'Provider',
                cell: ({ provider }) => provider,
                sortBy: ({ provider }) => provider,
              },
              {
                name: 'price',
                title: 'USD per million tokens',
                isNumber: true,
                cell: ({ price }) => price,
                sortBy: ({ price }) => price,
              },
              {
                name: 'weight',
                title: 'Chance',
                isNumber: true,
                cell: ({ weight }) =>
                  weight === undefined || all === 0 ? (
                    '–'
                  ) : (
                    <>
                      {((100 * weight) / all).toFixed(1)} %{' '}
                      <meter min={0} max={all} value={weight} aria-hidden="true" />
                    </>
                  ),
                sortBy: ({ weight }) => weight ?? null,
              },
              {
                name: 'notes',
                title: 'Notes',
                cell: ({ setBack, isPinned }) =>
                  [isPinned && 'pinned by the session', setBack && `set back: ${setBack}`].filter(Boolean).join(', ') ||
                  '–',
              },
            ]}
            csv="endpoints-in-order.csv"
            rows={plan.legs}
            keyOf={({ model, tag }) => `${model} ${tag} ${plan.legs.findIndex((leg) => leg.tag === tag)}`}
          />
          {plan.excluded.length > 0 && (
            <Table
              caption="Left out"
              columns={[
                {
                  name: 'model',
                  title: 'Model',
                  cell: ({ model }) => model ?? '–',
                  sortBy: ({ model }) => model ?? null,
                },
                {
                  name: 'endpoint',
                  title: 'Endpoint',
                  cell: ({ tag }) => tag ?? '–',
                  sortBy: ({ tag }) => tag ?? null,
                },
                {
                  name: 'reason',
                  title: 'Reason',
                  wraps: true,
                  cell: ({ words }) => words,
                  sortBy: ({ words }) => words,
                },
              ]}
              csv="left-out.csv"
              rows={plan.excluded}
              keyOf={(one) => JSON.stringify(one)}
            />
          )}
        </>
      )}
    </>
  );
}
