import { parentPort, workerData } from 'node:worker_threads';
import { inflateSync } from 'node:zlib';
import type { PdfSize } from '../../core/money/pdf-size.js';
import { measurePdf } from './measure-pdf.js';
import { announceCompression, type ThreadState } from '../../shared/thread-end.js';

announceCompression(workerData as ThreadState);

/** A thread of `PdfCounter`: receives PDFs in base64 and returns their sizes, in the same order. */
parentPort!.on('message', (pdfs: readonly Uint8Array[]) => {
  const sizes: (PdfSize | undefined)[] = pdfs.map((base64) =>
    measurePdf(decode(base64), (packed, bytesMax) => inflateSync(packed, { maxOutputLength: Math.max(1, bytesMax) })),
  );
  parentPort!.postMessage(sizes);
});

const decode = (base64: Uint8Array): Buffer => Buffer.from(Buffer.from(base64.buffer).toString('latin1'), 'base64');

// Reports that it has been loaded.
parentPort!.postMessage(undefined);
