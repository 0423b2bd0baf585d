import { dialectOf } from '../../core/routing/catalog.js';
import type { Plan } from '../../core/routing/plan.js';

/** Whether the sandbox is all that may answer: what it works with need not be real. */
export const isOnlySandbox = ({ legs }: Pick<Plan, 'legs'>): boolean =>
  legs.length > 0 && legs.every(({ endpoint }) => dialectOf(endpoint) === 'simulated');
