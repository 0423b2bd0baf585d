import { blockPath, type ContentBlock, type Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import type { Target } from '../../core/provider.js';

/** Stands where a model drew a picture. */
const DRAWN = '[Image]';
const BESIDE_WORDS = `\n\n${DRAWN}`;

interface Drawn {
  readonly image: ContentBlock;
  readonly path: string;
}

/**
 * A request without pictures in turns of the assistant, for formats that have none there: a word stands in the place of
 * each, and the picture itself in the turn of the user behind it, after the results of tools, where the model reads
 * pictures and there is such a turn. The very same request where none was drawn.
 */
export function withImagesBehind(request: ModelRequest, { model }: Target): ModelRequest {
  if (!traitsOf(request.messages).hasImages || !request.messages.some(holdsImage)) return request;
  const reads = model.inputModalities.includes('image');
  let drawn: Drawn[] = [];
  const messages = request.messages.map((message, index): Message => {
    if (message.role === 'system') return message;
    const pathOf = (place: number): string => blockPath(message, index, place);
    if (message.role === 'user') {
      const images = drawn;
      drawn = [];
      return images.length === 0 ? message : withImages(message, images, pathOf);
    }
    if (!holdsImage(message)) return message;
    if (reads) drawn = [...drawn, ...imagesOf(message, pathOf)];
    const content = message.content.map((block, place): ContentBlock =>
      block.type === 'image' ? { type: 'text', text: place === 0 ? DRAWN : BESIDE_WORDS } : block,
    );
    return rewritten(
      message,
      content,
      message.content.map((_, place) => pathOf(place)),
    );
  });
  return { ...request, messages };
}

const imagesOf = ({ content }: Message, pathOf: (place: number) => string): Drawn[] =>
  content.flatMap((image, place) => (image.type === 'image' ? [{ image, path: pathOf(place) }] : []));

const holdsImage = ({ role, content }: Message): boolean =>
  role === 'assistant' && content.some(({ type }) => type === 'image');

function withImages(message: Message, images: readonly Drawn[], pathOf: (place: number) => string): Message {
  const { content } = message;
  const others = content.findIndex(({ type }) => type !== 'tool-result');
  const at = others < 0 ? content.length : others;
  const paths = content.map((_, place) => pathOf(place));
  return rewritten(
    message,
    content.toSpliced(at, 0, ...images.map(({ image }) => image)),
    paths.toSpliced(at, 0, ...images.map(({ path }) => path)),
  );
}

/** Of what the caller wrote the speaker's name alone holds: the words are others. */
const rewritten = ({ role, origin }: Message, content: readonly ContentBlock[], paths: readonly string[]): Message => ({
  role,
  content,
  paths,
  ...(origin?.vendor === 'openai' && { origin }),
});
