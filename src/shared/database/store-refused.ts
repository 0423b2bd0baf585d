/**
 * The store cannot be used in its current state. The message gives the operator the remedy; starting again without a
 * change is useless.
 */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}
