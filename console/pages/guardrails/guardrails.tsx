import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { GuardrailList } from './guardrail-list.js';
import { NewGuardrail } from './new-guardrail.js';
import { OneGuardrail } from './one-guardrail.js';

/** The guardrails: all of them, one, or the form of a new one. */
export function Guardrails({ rest }: PageProps): JSX.Element {
  if (rest === '') return <GuardrailList />;
  return rest === 'new' ? <NewGuardrail /> : <OneGuardrail key={rest} id={rest} />;
}
