/** What was asked for cannot be done; the message is one line that says why, and holds no value of the input. */
export class ImportRefused extends Error {
  override readonly name: string = 'ImportRefused';
}
