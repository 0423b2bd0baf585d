import type { ContentBlock, Message } from '../../core/conversation/content.js';
import type { TaskRequest } from '../../core/conversation/task-request.js';
import { invalidField } from '../common/invalid-field.js';
import type { RequestHeaders } from '../common/read-headers.js';
import { readMedia } from '../common/read-media.js';
import { taskRequest } from '../common/task-request.js';
import type { CreateRerankDto } from './create-rerank.dto.js';
import type { WireDocument } from './schemas/request.js';

/**
 * The neutral request of a checked body: the query and the documents are its messages. Null is the same as absence.
 * @throws GatewayError `invalid-request` for a document without content, or with a picture that cannot be read
 */
export function readRequest(dto: CreateRerankDto, headers: RequestHeaders): TaskRequest<'rerank'> {
  const query: Message = { role: 'user', content: [{ type: 'text', text: dto.query }] };
  const documents = dto.documents.map((document, index): Message => ({
    role: 'user',
    content: readDocument(document, `documents.${index}`),
  }));
  const topN = dto.top_n ?? undefined;
  const task = { kind: 'rerank' as const, ...(topN !== undefined && { topN }) };
  return taskRequest(dto, headers, [query, ...documents], task);
}

function readDocument(document: WireDocument, path: string): ContentBlock[] {
  if (typeof document === 'string') return [{ type: 'text', text: document }];
  const { text, image } = document;
  const content: ContentBlock[] = [];
  if (text !== undefined) content.push({ type: 'text', text });
  if (image !== undefined) content.push({ type: 'image', source: readMedia(image, `${path}.image`) });
  if (content.length === 0) throw invalidField(path, 'must have text or image');
  return content;
}
