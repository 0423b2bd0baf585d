/** Upper bounds for the content of a PDF. */
export interface PdfSize {
  readonly pages: number;
  /** Bytes of all strings that may be shown as text, as often as they may be shown. */
  readonly textBytes: number;
}
