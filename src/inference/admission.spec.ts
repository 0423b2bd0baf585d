// Goal: what a further call was given room for is free again where the limits of its key refuse it. Method: admission
// before a billing with one room, and limits that grant, refuse or fail.
import { modelRequest } from '../../test/support/model-request.js';
import { GatewayError } from '../core/errors.js';
import type { Generation } from '../core/generation/generation.js';
import type { Plan } from '../core/routing/plan.js';
import { Admission, type Admitted } from './admission.js';

const PLAN = { legs: [] } as unknown as Plan;
const LIMITED = new GatewayError('rate-limited', 'No tokens are left of this minute.');
const FAULT = new TypeError('of the limits');
const nobody = undefined as never;

function bench(claim: () => Promise<void>) {
  let isFree = true;
  const makeRoom = async (): Promise<(() => void) | undefined> => {
    if (!isFree) return undefined;
    isFree = false;
    return () => void (isFree = true);
  };
  const admission = new Admission(nobody, nobody, nobody, nobody, nobody, nobody, nobody);
  const admitted = { billing: { makeRoom }, keyRate: { claim } } as unknown as Admitted;
  const request = modelRequest();
  return {
    step: () => admission.admitStep(admitted, PLAN, request),
    consulted: () => admission.admitConsulted({} as Generation, admitted, PLAN, request),
    isFree: () => isFree,
  };
}

it('keeps the room of a step that its key may take, until that lets go of it', async () => {
  const { step, isFree } = bench(() => Promise.resolve());
  const next = await step();
  expect([isFree(), await step()]).toEqual([false, undefined]);
  next!.release();
  expect(isFree()).toBe(true);
});

it('says of a step past the limits of its key that there is no room, and keeps none', async () => {
  const { step, isFree } = bench(() => Promise.reject(LIMITED));
  expect([await step(), isFree()]).toEqual([undefined, true]);
});

it('keeps no room where the limits cannot be asked', async () => {
  const { step, isFree } = bench(() => Promise.reject(FAULT));
  await expect(step()).rejects.toBe(FAULT);
  expect(isFree()).toBe(true);
});

it('keeps no room for a model that is consulted past the limits of its key, and says why', async () => {
  const { consulted, isFree } = bench(() => Promise.reject(LIMITED));
  await expect(consulted()).rejects.toBe(LIMITED);
  expect(isFree()).toBe(true);
});
