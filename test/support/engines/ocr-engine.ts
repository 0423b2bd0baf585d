import { createHash } from 'node:crypto';
import { pdf } from '../pdfs.js';
import { json, type Answer, type Complaint } from '../upstream-answers.js';
import type { Rules } from '../upstreams.js';
import { bearerKey, KEY, members, text, whole, type FieldRule } from './engine-double.js';

// Mistral's OCR on loopback, written from its published API (docs.mistral.ai/api/endpoint/ocr, read 2026-11-25); in
// addition it refuses unknown fields, documents that are not a PDF, and pages that a document does not have.

export interface OcrPage {
  readonly markdown: string;
  /** Data URLs. */
  readonly images?: readonly string[];
}

const PAGES_MAX = 1_000;
const DOCUMENT = /^data:application\/pdf;base64,JVBERi[A-Za-z0-9+/=]+$/;

const flag: FieldRule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

const FIELDS: Readonly<Record<string, FieldRule>> = {
  model: text(),
  document: members({
    type: (value) => (value === 'document_url' ? undefined : 'must be document_url'),
    document_url: (value) => (DOCUMENT.test(String(value)) ? undefined : 'must be a PDF as a data URL'),
  }),
  pages: (value) =>
    Array.isArray(value) && value.length <= PAGES_MAX && new Set(value).size === value.length
      ? value.map((page) => whole(0, PAGES_MAX - 1)(page)).find(Boolean)
      : 'must be a list of different pages',
  include_image_base64: flag,
  image_limit: whole(0, 1_000),
};

export const ocrRules: Rules = (request) => {
  const refuse = (status: number, detail: string): Complaint => ({ status, body: { detail } });
  if (request.method !== 'POST' || request.path !== '/v1/ocr') return refuse(404, 'Not found');
  if (bearerKey(request.headers) !== KEY) return refuse(401, 'Unauthorized');
  const body = request.json as Record<string, unknown>;
  for (const name of ['model', 'document']) if (!(name in body)) return refuse(422, `${name}: field required`);
  const fault = members(FIELDS)(body);
  return fault === undefined ? undefined : refuse(422, fault);
};

/** An answer with these pages, from the first one on. */
export const ocrAnswer = (pages: readonly OcrPage[], processed = pages.length): Answer =>
  json({
    pages: pages.map(({ markdown, images = [] }, index) => ({
      index,
      markdown,
      images: images.map((image, position) => ({
        id: `img-${position}.jpeg`,
        top_left_x: 0,
        top_left_y: 0,
        bottom_right_x: 9,
        bottom_right_y: 9,
        image_base64: image,
      })),
      dimensions: { dpi: 200, height: 2_200, width: 1_700 },
    })),
    model: 'mistral-ocr-2512',
    usage_info: { pages_processed: processed, doc_size_bytes: 1_000 },
  });

const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const WITH_FONT = '/MediaBox [0 0 612 792] /Resources << /Font << /F1 1000 0 R >> >> ';

/** A PDF with these texts as pages; an empty text is a scan. */
export const paged = (...pages: readonly string[]): Buffer =>
  pdf({
    pages: pages.map((words) => (words === '' ? '0 0 m 9 9 l S' : `BT /F1 12 Tf 72 720 Td (${words}) Tj ET`)),
    page: WITH_FONT,
    more: [FONT],
  });

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
