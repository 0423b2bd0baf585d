// Further calls with one reservation and key limits that grant, refuse or fail: the reservation of a further call is
// released where the limits of its key refuse the call.
import { modelRequest } from '../../test/support/model-request.js';
import { GatewayError } from '../core/errors.js';
import type { Generation } from '../core/generation/generation.js';
import type { Plan } from '../core/routing/plan.js';
import { Admission, type Admitted } from './billing/admission.js';
import { FurtherCalls } from './further-calls.js';

const PLAN = { legs: [] } as unknown as Plan;
const LIMITED = new GatewayError('rate-limited', 'No tokens are left of this minute.');
const FAULT = new TypeError('of the limits');
const unused = undefined as never;

function bench(takeTokens: () => Promise<void>) {
  let isFree = true;
  const reserveNext = async (): Promise<(() => void) | undefined> => {
    if (!isFree) return undefined;
    isFree = false;
    return () => void (isFree = true);
  };
  const admission = new Admission(unused, unused, unused, unused, unused, unused, unused);
  const further = new FurtherCalls(admission);
  const admitted = { billing: { reserveNext }, keyRate: { takeTokens } } as unknown as Admitted;
  const request = modelRequest();
  return {
    step: () => further.admitStep(admitted, PLAN, request),
    consulted: () => further.admitConsulted({} as Generation, admitted, PLAN, request),
    isFree: () => isFree,
  };
}

it('keeps the reservation of an admitted step until its release', async () => {
  const { step, isFree } = bench(() => Promise.resolve());
  const next = await step();
  expect([isFree(), await step()]).toEqual([false, undefined]);
  next!.release();
  expect(isFree()).toBe(true);
});

it('reports no reservation for a step past the limits of its key, and reserves nothing', async () => {
  const { step, isFree } = bench(() => Promise.reject(LIMITED));
  expect([await step(), isFree()]).toEqual([undefined, true]);
});

it('reserves nothing where the limits cannot be checked', async () => {
  const { step, isFree } = bench(() => Promise.reject(FAULT));
  await expect(step()).rejects.toBe(FAULT);
  expect(isFree()).toBe(true);
});

it('reserves nothing for a consultation past the limits of its key, and fails with their error', async () => {
  const { consulted, isFree } = bench(() => Promise.reject(LIMITED));
  await expect(consulted()).rejects.toBe(LIMITED);
  expect(isFree()).toBe(true);
});
