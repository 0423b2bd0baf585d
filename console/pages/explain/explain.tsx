import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Operations, Plan } from '../../api/schema.js';
import { asFailure, type ApiFailure } from '../../api/transport.js';
import { Failure } from '../../parts/states.js';
import { PlanResult } from './plan-result.js';
import { RequestForm, type Format } from './request-form.js';
import { without } from './without.js';

/** A request of which the plan is shown. */
export interface Explained {
  readonly format: Format;
  readonly body: Readonly<Record<string, unknown>>;
  /** Slugs of providers that the reader has left out to see what would be. */
  readonly ignored: readonly string[];
  /** Undefined: another draw. */
  readonly seed: string | undefined;
}

type Body = Operations['explainExplain']['body'];

/** Page that shows the plan of a request with its reasons. No provider is called, and nothing is charged. */
export function Explain(): JSX.Element {
  const [shown, setShown] = useState<{ readonly of: Explained; readonly plan: Plan }>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [isUnderWay, setUnderWay] = useState(false);
  const explain = async (of: Explained): Promise<void> => {
    setUnderWay(true);
    setFailure(undefined);
    try {
      const body = without(of.body, of.ignored) as Body;
      const { data } = await call('explainExplain', { query: { format: of.format, seed: of.seed }, body });
      setShown({ of: { ...of, seed: data.seed }, plan: data });
    } catch (error) {
      setShown(undefined);
      setFailure(asFailure(error));
    }
    setUnderWay(false);
  };
  return (
    <>
      <h1 tabIndex={-1}>Explain</h1>
      <p class="hint">
        Where a request would go now, and why, by the settings of the key that signed in. No provider is called, and
        nothing is charged.
      </p>
      <RequestForm
        isUnderWay={isUnderWay}
        explain={(format, body) => void explain({ format, body, ignored: [], seed: undefined })}
      />
      {failure && <Failure failure={failure} />}
      {shown && <PlanResult of={shown.of} plan={shown.plan} again={(next) => void explain(next)} />}
    </>
  );
}
