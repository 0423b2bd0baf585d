/** The import cannot be done. The message is one line with the reason, and contains no value of the input. */
export class ImportRefused extends Error {
  override readonly name: string = 'ImportRefused';
}
