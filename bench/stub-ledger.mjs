// Loaded before the gateway: answers the ledger's statements without a database. The rest of the gateway is unchanged.
import { Statements } from '../dist/shared/database/statements.js';

const { run, value } = Statements.prototype;

Statements.prototype.run = async function (text, values) {
  return text.includes('post_holds') ? [] : run.call(this, text, values);
};

Statements.prototype.value = async function (text, values) {
  if (text.includes('take_holds')) {
    const now = Date.now();
    return JSON.stringify(JSON.parse(values[0]).map(({ place }) => [place, now, null, []]));
  }
  return text.includes('settle_generations') ? null : value.call(this, text, values);
};
