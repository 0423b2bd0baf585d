/**
 * Sets each single field, beside the same request without it, and then all of them: the fields that a request sets are
 * found, in the order of the tables.
 */
import { FIELD_SAMPLES } from '../../../test/support/field-samples.js';
import { REQUEST_FIELD_NAMES, type RequestField } from '../translation.js';
import { presentFields } from './present-fields.js';

/** In these samples every request sets its maximum and its model. */
const ALWAYS: ReadonlySet<RequestField> = new Set<RequestField>(['model', 'max_tokens', 'tools']);

it.each(REQUEST_FIELD_NAMES)('finds %s where it is set, and only there', (field) => {
  const { request, without } = FIELD_SAMPLES[field]({});
  expect(presentFields(request)).toContain(field);
  if (!ALWAYS.has(field)) expect(presentFields(without)).not.toContain(field);
});

it('keeps the order of the tables', () => {
  const samples = REQUEST_FIELD_NAMES.map((field) => FIELD_SAMPLES[field]({}));
  const parts = samples.flatMap(({ request, without }) =>
    Object.entries(request).filter(([key, value]) => value !== without[key as keyof typeof without]),
  );
  const sampling = Object.assign({}, ...samples.map(({ request }) => request.sampling)) as object;
  const all = { ...samples[0]!.request, ...Object.fromEntries(parts), sampling };
  // A format is JSON with a schema or without, and a metadata object contains the end user.
  const [lacking, ...others] = REQUEST_FIELD_NAMES.filter((field) => !presentFields(all).includes(field));
  expect([lacking, others]).toEqual(['structured_outputs', []]);
  expect(presentFields(all)).toEqual(REQUEST_FIELD_NAMES.filter((field) => field !== lacking));
});
