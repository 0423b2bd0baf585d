import { dialectOf } from '../../core/routing/catalog.js';
import type { Plan } from '../../core/routing/plan.js';

/** Whether only the sandbox may answer: the tools need no engine outside. */
export const isOnlySandbox = ({ legs }: Pick<Plan, 'legs'>): boolean =>
  legs.length > 0 && legs.every(({ endpoint }) => dialectOf(endpoint) === 'simulated');
