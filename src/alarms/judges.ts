import type { AlarmKind } from './alarm-fields.js';
import { judgeBalance } from './judge-balance.js';
import { judgeOperatorCost } from './judge-operator-cost.js';
import { judgeCredentials, judgeOutages } from './judge-providers.js';
import { judgeBudgets, judgeLimits } from './judge-shares.js';
import type { Finding, Judge, Judging } from './judge.js';

/** The function that checks alarms of each kind. A kind without a row does not compile. */
const JUDGES: { readonly [Kind in AlarmKind]: Judge<Kind> } = {
  limit: judgeLimits,
  budget: judgeBudgets,
  balance: judgeBalance,
  outage: judgeOutages,
  credential: judgeCredentials,
  operator_cost: judgeOperatorCost,
};

/** Every kind of alarm. */
export const ALARM_KINDS = Object.keys(JUDGES) as readonly AlarmKind[];

/** Finds the new reports of an alarm, and notes them as reported in its transaction. */
export const judge = (judging: Judging): Promise<readonly Finding[]> => {
  const { rule } = judging.alarm;
  return (JUDGES[rule.kind] as Judge<AlarmKind>)({ ...judging, rule });
};
