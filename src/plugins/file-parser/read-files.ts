import type { DocumentBlock, DocumentWords, MediaSource } from '../../core/conversation/content.js';
import { asWords, listDocuments, withDocuments, type FoundDocument } from '../../core/conversation/documents.js';
import { isOfficeFile, ONLY_PDFS } from '../../core/conversation/office-file.js';
import { viewParsedFile, type ParsedFile } from '../../core/conversation/parsed-file.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { LocalContext, Prepared } from '../../core/plugin.js';
import { decoded, decodedLengthMax, hashInSlices, joinInSlices } from '../../tools/parse-file/file-bytes.js';
import { pageBlocks } from '../../tools/parse-file/file-pages.js';
import type { PdfText } from '../../tools/parse-file/parse-pdf.js';
import type { ChosenEngine } from './choose-engine.js';

const PDF = 'application/pdf';
/** Maximum number of files of one request: each may occupy a thread for seconds. Chosen. */
const FILES_MAX = 20;
const DEFAULT_NAME = 'document.pdf';
/** Characters of a name, as many as responses carry. */
const NAME_LENGTH_MAX = 256;

/** A file that a model may not be able to read. */
export type FileBlock = DocumentBlock & { readonly source: MediaSource };

export interface FoundFile extends FoundDocument {
  readonly block: FileBlock;
}

const isFile = ({ block: { source } }: FoundDocument): boolean =>
  source.type === 'url' || (source.type === 'base64' && source.mediaType === PDF);

/** The files of a request, without those stored at a vendor, which only that vendor can read. */
export function* listFiles(request: ModelRequest): Generator<FoundFile, void> {
  for (const found of listDocuments(request)) if (isFile(found)) yield found as FoundFile;
}

/** The state of the files of one request. */
export class ReadFiles {
  /** Parsed files by hash, including those that the caller sent back. */
  private readonly files = new Map<string, ParsedFile>();
  /** Hashes of those that the caller does not have yet. */
  private readonly unknown = new Set<string>();
  private readonly words = new Map<DocumentBlock, DocumentWords | undefined>();

  constructor(
    private readonly request: ModelRequest,
    private readonly engine: ChosenEngine,
    private readonly context: Pick<LocalContext, 'parsedFiles'>,
  ) {
    for (const file of request.parsedFiles ?? []) this.files.set(file.hash, file);
  }

  /** The files that were parsed here, as the response reports them. */
  get reported(): readonly ParsedFile[] {
    return [...this.unknown].map((hash) => this.files.get(hash)!);
  }

  /**
   * A parsed file of this or an earlier turn.
   * @param name the current name: an earlier turn may have named the file differently
   */
  find(hash: string, name: string): ParsedFile | undefined {
    const known = this.files.get(hash);
    if (known) return known;
    const kept = this.context.parsedFiles.find(hash, this.engine.name);
    const named = kept && { ...kept, name };
    if (named) this.add(named);
    return named;
  }

  /** Adds a file that was parsed now. */
  keep(file: ParsedFile): void {
    this.add(file);
    // A request with zero data retention has its files parsed each time.
    if (this.request.preferences.zeroDataRetention !== true) this.context.parsedFiles.keep(file, this.engine.name);
  }

  /** @param words absent where the gateway could not read the file; a model that takes files is sent the file itself */
  setWords(block: DocumentBlock, words: DocumentWords | undefined): void {
    this.words.set(block, words);
  }

  /** @throws GatewayError where no model could read it either */
  unreadable({ block, path }: FoundFile, reason: string): void {
    if (this.engine.isForAll) throw this.failure('invalid-request', `${path}: ${reason}`);
    this.setWords(block, undefined);
  }

  /**
   * An error with the files that are parsed already, so that a retry does not parse them again
   * (docs/use/errors.md#file-annotations).
   */
  failure(kind: 'invalid-request' | 'unavailable', message: string): GatewayError {
    const { reported } = this;
    const metadata = { file_annotations: reported.map(viewParsedFile) };
    return new GatewayError(kind, message, reported.length > 0 ? { metadata } : {});
  }

  /** The request with the text of its files. */
  done(isForAll: boolean): Pick<Prepared, 'request' | 'files'> {
    const request = withDocuments(this.request, (block) => {
      if (!this.words.has(block)) return block;
      const words = this.words.get(block);
      const { inWords: _before, ...file } = block;
      if (!words) return file;
      return isForAll && words.type === 'blocks' ? asWords(file, words.blocks) : { ...file, inWords: words };
    });
    return { request, files: this.reported };
  }

  private add(file: ParsedFile): void {
    this.files.set(file.hash, file);
    this.unknown.add(file.hash);
  }
}

/** @throws GatewayError for too many files, and for those of office programs */
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
  hashInSlices(decoded(base64), signal);

/** @throws ExtensionFault, or the signal's reason */
export function parse(
  base64: string,
  wantsText: boolean,
  { workers, signal }: Pick<LocalContext, 'workers' | 'signal'>,
): Promise<PdfText> {
  const makeInput = async (): Promise<object> => {
    const bytes = await joinInSlices(decoded(base64), decodedLengthMax(base64.length));
    return { bytes, wantsText };
  };
  return workers.run('parse-pdf', makeInput, signal) as Promise<PdfText>;
}

/** A parsed file, as it was read here. */
export const parsedFile = (hash: string, { title }: DocumentBlock, { pages, texts }: PdfText): ParsedFile => ({
  hash,
  name: nameOf(title),
  content: pageBlocks(
    texts.map((text) => ({ text })),
    pages,
  ),
});

export const nameOf = (title: string | undefined): string =>
  title === undefined || title === '' ? DEFAULT_NAME : title.slice(0, NAME_LENGTH_MAX);

/** Why a file cannot be read. Rethrows what is not a fault of the file. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ExtensionFault) || error.kind === 'busy') throw error;
  return error.message;
}
