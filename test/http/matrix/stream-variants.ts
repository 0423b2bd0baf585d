import type { WireDialect } from '../../support/doubles/double.js';
import type { Transmission } from '../../support/doubles/start-double.js';
import type { Pair } from './bench.js';

// In which manners streams come, and where they cannot. A new dialect or manner does not compile without an entry for
// each.

/** The form of a stream: its dialect's events, or AWS's frames with another dialect's events in them. */
export type StreamForm = WireDialect | 'anthropic-messages in AWS frames';

export const formOf = ({ dialect, platform }: Pair): StreamForm =>
  dialect === 'anthropic-messages' && platform === 'bedrock' ? 'anthropic-messages in AWS frames' : dialect;

interface Absent {
  /** Why no stream of the form comes so. */
  readonly cannot: string;
}
type Occurrence = Readonly<Record<StreamForm, true | Absent>>;

const cannot = (why: string): Absent => ({ cannot: why });
const EVERYWHERE: Occurrence = {
  'anthropic-messages': true,
  'anthropic-messages in AWS frames': true,
  'bedrock-converse': true,
  'cohere-chat': true,
  'google-gemini': true,
  'openai-chat': true,
  'openai-responses': true,
};
const NO_LINES = cannot('frames say their lengths, and have no lines');
const NO_FRAMES = cannot('server-sent events have no checksums');

/** Manners that concern the order of a stream's content. */
export const CONTENT_VARIANTS = {
  /** Reports come with the end, or behind it: OpenAI's chat in a separate chunk, Converse in its last event. */
  'usage at the end': EVERYWHERE,
  'no usage': EVERYWHERE,
  'arguments in pieces': {
    ...EVERYWHERE,
    'google-gemini': cannot('calls come whole but for who asks for pieces, which is not done'),
  },
} as const satisfies Readonly<Record<string, Occurrence>>;

interface TransmissionVariant {
  readonly occurs: Occurrence;
  /** @param lineEnd the vendor's usual one */
  readonly transmission: (lineEnd: Transmission['lineEnd']) => Transmission;
}

/** Manners that concern only its bytes. */
export const TRANSMISSIONS = {
  'torn at each byte': { occurs: EVERYWHERE, transmission: () => ({ bytesPerPiece: 1 }) },
  'lines that end otherwise': {
    occurs: { ...EVERYWHERE, 'anthropic-messages in AWS frames': NO_LINES, 'bedrock-converse': NO_LINES },
    transmission: (lineEnd) => ({ lineEnd: lineEnd === '\n' ? '\r\n' : '\n' }),
  },
  'pings between events': {
    occurs: { ...EVERYWHERE, 'bedrock-converse': cannot('no event of it says nothing') },
    transmission: () => ({ pings: true }),
  },
} as const satisfies Readonly<Record<string, TransmissionVariant>>;

/** Which checksums of a stream may be wrong, after which it is no answer. */
export const CHECKSUMS: Occurrence = {
  'anthropic-messages': NO_FRAMES,
  'anthropic-messages in AWS frames': true,
  'bedrock-converse': true,
  'cohere-chat': NO_FRAMES,
  'google-gemini': NO_FRAMES,
  'openai-chat': NO_FRAMES,
  'openai-responses': NO_FRAMES,
};
