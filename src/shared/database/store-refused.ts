/**
 * The store cannot be used as it is. The message tells an operator what to do; starting again
 * without a change is useless.
 */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}
