/**
 * The decision of each consulted model is recorded once, at its index, when its model has an answer or the generation
 * has ended, up to a limit. Generations built by hand, and statements that record what they are sent.
 */
import { endpoint, inputsOf, model } from '../../test/support/route-inputs.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { Generation, type ConsultedDecision } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import type { Plan } from '../core/routing/plan.js';
import { planRoute } from '../core/routing/plan-route.js';
import { SystemClock } from '../core/time.js';
import type { Statements } from '../shared/database/statements.js';
import type { Environment } from '../shared/environment.js';
import { DecisionLog } from './decision-log.js';

const INPUTS = inputsOf([model('a/b', [endpoint('p0')])]);
const planOf = (): Plan => planRoute(INPUTS)!;

/** The rows that were written, by table. */
interface Written {
  readonly own: string[];
  readonly consulted: { readonly place: number; readonly purpose: string }[];
}

/** @param failures number of statements that fail first because of an outage */
function logOf(failures = 0): { readonly log: DecisionLog; readonly written: () => Promise<Written> } {
  const rows: Written = { own: [], consulted: [] };
  let failing = failures;
  const statements = {
    value: (text: string, [list]: readonly string[]) => {
      if (failing-- > 0) return Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      for (const row of JSON.parse(list!)) {
        if (text.includes('INTO consulted_decisions')) rows.consulted.push({ place: row.place, purpose: row.purpose });
        else rows.own.push(row.generation_id);
      }
      return Promise.resolve(null);
    },
  };
  const log = new DecisionLog(statements as unknown as Statements, {} as Environment, new SystemClock());
  const written = async (): Promise<Written> => {
    await log.flush();
    return rows;
  };
  return { log, written };
}

function generationOf(consulted: number): Generation {
  const caller = { accountId: 'a', workspaceId: 'w' } as Caller;
  const generation = new Generation('gen-1-x', { request: {} as ModelRequest, caller, api: 'messages' });
  generation.planned({ inputs: INPUTS, plan: planOf() }, []);
  generation.held(planOf());
  for (let count = 0; count < consulted; count++) generation.consulted.push(consultedOne());
  return generation;
}

function consultedOne(): ConsultedDecision {
  const plan = planOf();
  return { purpose: 'moderation', plan, decision: { inputs: INPUTS, plan } };
}

const answerOf = (plan: Plan): ProviderCall => ({ run: { plan, purpose: 'moderation' } }) as unknown as ProviderCall;

it('records each once, at its index, whichever answers first', async () => {
  const { log, written } = logOf();
  const generation = generationOf(3);
  for (const place of [2, 0]) log.answered(generation, answerOf(generation.consulted[place]!.plan));
  expect(await written()).toMatchObject({ own: [], consulted: [{ place: 3 }, { place: 1 }] });
  expect(generation.consulted.map(({ decision }) => decision !== undefined)).toEqual([false, true, false]);
  log.ended(generation);
  expect(await written()).toEqual({
    own: ['gen-1-x'],
    consulted: [3, 1, 2].map((place) => ({ place, purpose: 'moderation' })),
  });
});

it('records the first 32, and retains none of the others', async () => {
  const { log, written } = logOf();
  const generation = generationOf(100);
  for (const { plan } of generation.consulted) log.answered(generation, answerOf(plan));
  log.ended(generation);
  const { consulted } = await written();
  expect(consulted.map(({ place }) => place)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  expect(generation.consulted.some(({ decision }) => decision)).toBe(false);
});

it('writes the rows of an outage when the database is available again', async () => {
  const { log, written } = logOf(1);
  log.ended(generationOf(0));
  expect(await written()).toEqual({ own: [], consulted: [] });
  log.ended(generationOf(0));
  expect(await written()).toEqual({ own: ['gen-1-x', 'gen-1-x'], consulted: [] });
});
