import type { ContentBlock, Message, TextBlock } from '../../core/conversation/content.js';
import type { TaskRequest } from '../../core/conversation/task-request.js';
import { definedOnly } from '../../core/defined.js';
import { plainBase64 } from '../../core/json/plain-base64.js';
import { invalidField } from '../common/invalid-field.js';
import type { RequestHeaders } from '../common/read-headers.js';
import { readFileData, readMedia } from '../common/read-media.js';
import { INPUTS_MAX } from '../common/schemas/task-inputs.js';
import { taskRequest } from '../common/task-request.js';
import type { CreateEmbeddingsDto } from './create-embeddings.dto.js';
import type { WireInput, WirePart } from './schemas/request.js';

/** The format of sound where none is stated. */
const SOUND = 'wav';

/**
 * The neutral request of a checked body. Null is the same as absence.
 * @throws GatewayError `invalid-request` for inputs of several kinds, too many of them, and media that cannot be read
 */
export function readRequest(dto: CreateEmbeddingsDto, headers: RequestHeaders): TaskRequest<'embeddings'> {
  const { messages, tokens } = readInputs(dto.input);
  return taskRequest(dto, headers, messages, {
    kind: 'embeddings',
    encoding: dto.encoding_format ?? 'float',
    ...definedOnly({
      dimensions: dto.dimensions ?? undefined,
      inputType: dto.input_type ?? undefined,
      tokens,
    }),
  });
}

interface Inputs {
  readonly messages: readonly Message[];
  /** Absent: the inputs are messages. */
  readonly tokens?: readonly (readonly number[])[];
}

type Entry = Exclude<WireInput, string>[number];
type EntryKind = 'string' | 'number' | 'list' | 'object';

const kindOf = (entry: Entry): EntryKind => {
  if (typeof entry === 'string') return 'string';
  if (typeof entry === 'number') return 'number';
  return Array.isArray(entry) ? 'list' : 'object';
};

function readInputs(input: WireInput): Inputs {
  if (typeof input === 'string') return { messages: [ofUser([{ type: 'text', text: input }])] };
  const kind = kindOf(input[0]!);
  const differing = input.findIndex((entry) => kindOf(entry) !== kind);
  if (differing !== -1) throw invalidField(`input.${differing}`, 'must be of the same kind as the entries before it');
  // A list of numbers is one input.
  if (kind === 'number') return { messages: [], tokens: [input as number[]] };
  if (input.length > INPUTS_MAX) throw invalidField('input', `must have at most ${INPUTS_MAX} entries`);
  if (kind === 'list') return { messages: [], tokens: input as number[][] };
  return { messages: input.map((entry, index) => ofUser(readContent(entry, `input.${index}`))) };
}

const ofUser = (content: readonly ContentBlock[]): Message => ({ role: 'user', content });

const readContent = (entry: Entry, path: string): ContentBlock[] => {
  if (typeof entry === 'string') return [{ type: 'text', text: entry } satisfies TextBlock];
  const { content } = entry as { readonly content: readonly WirePart[] };
  return content.map((part, index) => readPart(part, `${path}.content.${index}`));
};

/** @throws GatewayError for media that are neither an address nor bytes */
function readPart(part: WirePart, path: string): ContentBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image_url':
      return { type: 'image', source: readMedia(part.image_url.url, `${path}.image_url.url`) };
    case 'input_audio': {
      const { data, format = SOUND } = part.input_audio;
      return { type: 'audio', data: plainBase64(data), format };
    }
    case 'input_video': {
      const { data, format } = part.input_video;
      return { type: 'video', source: readMedia(withType(data, format, 'video'), `${path}.input_video.data`) };
    }
    case 'input_file': {
      const { data, format } = part.input_file;
      const source = readFileData(withType(data, format, 'application'), undefined, `${path}.input_file.data`);
      return { type: 'document', source };
    }
  }
}

const ADDRESS_OR_DATA_URL = /^(?:https?:\/\/|data:)/i;

/** Plain base64 becomes a data URL of the stated format. */
const withType = (data: string, format: string | undefined, family: string): string =>
  format === undefined || ADDRESS_OR_DATA_URL.test(data) ? data : `data:${family}/${format};base64,${data}`;
