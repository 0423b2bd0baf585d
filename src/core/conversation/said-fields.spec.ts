/**
 * Goal: a request says exactly the fields that it sets, in the order of the tables, whichever they are.
 * Method: a request that says one field, for every field there is, beside the same one without it; then all at once.
 */
import { FIELD_SAMPLES } from '../../../test/support/field-samples.js';
import { REQUEST_FIELD_NAMES, type RequestField } from '../translation.js';
import { saidFields } from './said-fields.js';

/** Every request says how much it wants at most, in these samples, and which model. */
const ALWAYS: ReadonlySet<RequestField> = new Set<RequestField>(['model', 'max_tokens', 'tools']);

it.each(REQUEST_FIELD_NAMES)('finds %s where it is said, and only there', (field) => {
  const { request, without } = FIELD_SAMPLES[field]({});
  expect(saidFields(request)).toContain(field);
  if (!ALWAYS.has(field)) expect(saidFields(without)).not.toContain(field);
});

it('keeps the order of the tables', () => {
  const samples = REQUEST_FIELD_NAMES.map((field) => FIELD_SAMPLES[field]({}));
  const parts = samples.flatMap(({ request, without }) =>
    Object.entries(request).filter(([key, value]) => value !== without[key as keyof typeof without]),
  );
  const sampling = Object.assign({}, ...samples.map(({ request }) => request.sampling)) as object;
  const all = { ...samples[0]!.request, ...Object.fromEntries(parts), sampling };
  // A format is JSON by a schema or without, and who asks is said by one object beside the other.
  const [lacking, ...others] = REQUEST_FIELD_NAMES.filter((field) => !saidFields(all).includes(field));
  expect([lacking, others]).toEqual(['structured_outputs', []]);
  expect(saidFields(all)).toEqual(REQUEST_FIELD_NAMES.filter((field) => field !== lacking));
});
