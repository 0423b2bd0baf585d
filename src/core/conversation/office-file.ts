/** File name endings and media types of text documents, spreadsheets and slides. */
const ENDING = /\.(?:docx?|docm|dotx?|xlsx?|xlsm|xlsb|pptx?|pptm|ppsx?|odt|ods|odp|rtf|pages|numbers|key|epub)$/i;
const TYPE =
  /^application\/(?:msword|rtf|epub\+zip|vnd\.(?:ms-|openxmlformats-officedocument\.|oasis\.opendocument\.|apple\.(?:pages|numbers|keynote)))/i;
/** The first bytes of a zip and of an OLE file, in base64: all of these formats but RTF are one of them. */
const ZIP = 'UEsDB';
const OLE = '0M8R4KGxGu';
const RTF = 'e1xydG';

/** Hints about the format of a file; none is reliable. */
export interface FileMarks {
  readonly mediaType?: string;
  readonly name?: string | undefined;
  readonly base64?: string;
}

/** Whether a file is one of an office program: by its first bytes, else by its type or name. */
export function isOfficeFile({ mediaType = '', name = '', base64 = '' }: FileMarks): boolean {
  if ([ZIP, OLE, RTF].some((beginning) => base64.startsWith(beginning))) return true;
  return TYPE.test(mediaType) || (!/^(?:text\/|application\/pdf$)/i.test(mediaType) && ENDING.test(name));
}

/** The message to the caller about such a file. */
export const ONLY_PDFS = 'is an office file, of which no text is read: only PDFs are parsed; send a PDF or its text';
