import type { DocumentBlock, DocumentWords, MediaSource } from '../../core/conversation/content.js';
import { asWords, listDocuments, withDocuments, type FoundDocument } from '../../core/conversation/documents.js';
import { isOfficeFile, ONLY_PDFS } from '../../core/conversation/office-file.js';
import { viewParsedFile, type ParsedFile } from '../../core/conversation/parsed-file.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { LocalContext, Prepared } from '../../core/plugin.js';
import { decoded, decodedLengthMax, hashInTurns, joinInTurns } from '../../tools/parse-file/file-bytes.js';
import { wordsOf } from '../../tools/parse-file/file-words.js';
import type { PdfText } from '../../tools/parse-file/parse-pdf.js';
import type { ChosenEngine } from './choose-engine.js';

const PDF = 'application/pdf';
/** Of one request: each has a thread for seconds, perhaps. Chosen. */
const FILES_MAX = 20;
const DEFAULT_NAME = 'document.pdf';
/** Characters of a name, as many as come back. */
const NAME_LENGTH_MAX = 256;

/** A file that a model may not be able to read. */
export type FileBlock = DocumentBlock & { readonly source: MediaSource };

export interface FoundFile extends FoundDocument {
  readonly block: FileBlock;
}

const isFile = ({ block: { source } }: FoundDocument): boolean =>
  source.type === 'url' || (source.type === 'base64' && source.mediaType === PDF);

/** The files of a request, without those that are stored at a vendor: nobody else can read these. */
export function* listFiles(request: ModelRequest): Generator<FoundFile, void> {
  for (const found of listDocuments(request)) if (isFile(found)) yield found as FoundFile;
}

/** What became of the files of one request. */
export class ReadFiles {
  /** In words, by hash: those that the caller handed back, too. */
  private readonly files = new Map<string, ParsedFile>();
  /** Of these, those that he does not have. */
  private readonly unknown = new Set<string>();
  private readonly words = new Map<DocumentBlock, DocumentWords | undefined>();

  constructor(
    private readonly request: ModelRequest,
    private readonly engine: ChosenEngine,
    private readonly context: Pick<LocalContext, 'parsedFiles'>,
  ) {
    for (const file of request.parsedFiles ?? []) this.files.set(file.hash, file);
  }

  /** What is told of those that were read here. */
  get told(): readonly ParsedFile[] {
    return [...this.unknown].map((hash) => this.files.get(hash)!);
  }

  /**
   * A file in words that was read before, here or in an earlier turn.
   * @param name as it is called now: whoever sent it before may have called it otherwise
   */
  find(hash: string, name: string): ParsedFile | undefined {
    const known = this.files.get(hash);
    if (known) return known;
    const kept = this.context.parsedFiles.find(hash, this.engine.name);
    const named = kept && { ...kept, name };
    if (named) this.add(named);
    return named;
  }

  /** It was read now. */
  keep(file: ParsedFile): void {
    this.add(file);
    // Whoever wants nothing retained has it read again.
    if (this.request.preferences.zeroDataRetention !== true) this.context.parsedFiles.keep(file, this.engine.name);
  }

  /** @param words absent: nobody could read it here, and who takes files has it as it is */
  tell(block: DocumentBlock, words: DocumentWords | undefined): void {
    this.words.set(block, words);
  }

  /** @throws GatewayError where no model could read it either */
  unreadable({ block, path }: FoundFile, reason: string): void {
    if (this.engine.isForAll) throw this.failure('invalid-request', `${path}: ${reason}`);
    this.tell(block, undefined);
  }

  /** With what was read already, so that it need not be read again (docs/wire/errors.md#file-annotations). */
  failure(kind: 'invalid-request' | 'unavailable', message: string): GatewayError {
    const { told } = this;
    const metadata = { file_annotations: told.map(viewParsedFile) };
    return new GatewayError(kind, message, told.length > 0 ? { metadata } : {});
  }

  /** The request with what its files say. */
  done(isForAll: boolean): Pick<Prepared, 'request' | 'files'> {
    const request = withDocuments(this.request, (block) => {
      if (!this.words.has(block)) return block;
      const words = this.words.get(block);
      const { inWords: _before, ...file } = block;
      if (!words) return file;
      return isForAll && words.type === 'blocks' ? asWords(file, words.blocks) : { ...file, inWords: words };
    });
    return { request, files: this.told };
  }

  private add(file: ParsedFile): void {
    this.files.set(file.hash, file);
    this.unknown.add(file.hash);
  }
}

/** @throws GatewayError for more files than are read, and for those of office programs */
export function assertReadable(files: readonly FoundFile[]): void {
  const excess = files[FILES_MAX];
  if (excess) {
    throw new GatewayError('invalid-request', `${excess.path}: at most ${FILES_MAX} files of a request can be parsed`);
  }
  for (const { block, path } of files) {
    const { source } = block;
    if (source.type !== 'base64' || !isOfficeFile({ mediaType: PDF, base64: source.data })) continue;
    throw new GatewayError('invalid-request', `${path}: ${ONLY_PDFS}`);
  }
}

export const hashOf = (base64: string, { signal }: Pick<LocalContext, 'signal'>): Promise<string> =>
  hashInTurns(decoded(base64), signal);

/** @throws ExtensionFault, or the signal's reason */
export function parse(
  base64: string,
  wantsText: boolean,
  { workers, signal }: Pick<LocalContext, 'workers' | 'signal'>,
): Promise<PdfText> {
  const makeInput = async (): Promise<object> => {
    const bytes = await joinInTurns(decoded(base64), decodedLengthMax(base64.length));
    return { bytes, wantsText };
  };
  return workers.run('parse-pdf', makeInput, signal) as Promise<PdfText>;
}

/** A file in words, as it was read here. */
export const parsedFile = (hash: string, { title }: DocumentBlock, { pages, texts }: PdfText): ParsedFile => ({
  hash,
  name: nameOf(title),
  content: wordsOf(
    texts.map((text) => ({ text })),
    pages,
  ),
});

export const nameOf = (title: string | undefined): string =>
  title === undefined || title === '' ? DEFAULT_NAME : title.slice(0, NAME_LENGTH_MAX);

/** Why a file cannot be read; what is no fault of the file's is thrown on. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ExtensionFault) || error.kind === 'busy') throw error;
  return error.message;
}
