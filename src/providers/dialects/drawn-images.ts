import { append } from '../../core/append.js';
import { blockPath, type ContentBlock, type Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import type { Target } from '../../core/provider.js';
import { rewrittenTurn } from './rewritten-turn.js';

/** Takes the place of an image that a model generated. */
const DRAWN = '[Image]';
const BESIDE_WORDS = `\n\n${DRAWN}`;

interface Drawn {
  readonly image: ContentBlock;
  readonly path: string;
}

/**
 * A request without images in assistant turns, for formats that allow none there. A placeholder replaces each image. If
 * the model reads images and a user turn follows, the image itself goes into that turn, after the results of tools.
 * Returns the same object where there is no such image.
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
    if (reads) append(drawn, imagesOf(message, pathOf));
    const content = message.content.map((block, place): ContentBlock =>
      block.type === 'image' ? { type: 'text', text: place === 0 ? DRAWN : BESIDE_WORDS } : block,
    );
    return rewrittenTurn(
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
  return rewrittenTurn(
    message,
    [...content.slice(0, at), ...images.map(({ image }) => image), ...content.slice(at)],
    [...paths.slice(0, at), ...images.map(({ path }) => path), ...paths.slice(at)],
  );
}
