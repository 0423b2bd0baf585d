// Loaded before the gateway: answers the ledger's statements without a database, everything else of the gateway as it is.
import { Statements } from '../dist/shared/database/statements.js';

const run = Statements.prototype.run;

Statements.prototype.run = async function (text, values) {
  if (text.includes('take_holds')) {
    const now = Date.now();
    return [{ taken: JSON.parse(values[0]).map(({ place }) => [place, now]) }];
  }
  if (text.includes('settle_generations') || text.includes('fold_holds')) return [];
  return run.call(this, text, values);
};
