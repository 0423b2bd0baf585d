import { append } from '../../core/append.js';
import { blockPath, type ContentBlock, type Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import type { Target } from '../../core/provider.js';
import { rewrittenTurn } from './rewritten-turn.js';

/** Takes the position of an image that a model generated. */
const IMAGE_PLACEHOLDER = '[Image]';
const PLACEHOLDER_AFTER_TEXT = `\n\n${IMAGE_PLACEHOLDER}`;

interface GeneratedImage {
  readonly image: ContentBlock;
  readonly path: string;
}

/**
 * A request without images in assistant turns, for formats that allow none there. A placeholder replaces each image. If
 * the model reads images and a user turn follows, the image itself goes into that turn, after the results of tools.
 * Returns the same object where there is no such image.
 */
export function moveAssistantImages(request: ModelRequest, { model }: Target): ModelRequest {
  if (!traitsOf(request.messages).hasImages || !request.messages.some(holdsImage)) return request;
  const reads = model.inputModalities.includes('image');
  let generated: GeneratedImage[] = [];
  const messages = request.messages.map((message, index): Message => {
    if (message.role === 'system') return message;
    const pathOf = (blockIndex: number): string => blockPath(message, index, blockIndex);
    if (message.role === 'user') {
      const images = generated;
      generated = [];
      return images.length === 0 ? message : withImages(message, images, pathOf);
    }
    if (!holdsImage(message)) return message;
    if (reads) append(generated, imagesOf(message, pathOf));
    const content = message.content.map((block, blockIndex): ContentBlock =>
      block.type === 'image'
        ? { type: 'text', text: blockIndex === 0 ? IMAGE_PLACEHOLDER : PLACEHOLDER_AFTER_TEXT }
        : block,
    );
    return rewrittenTurn(
      message,
      content,
      message.content.map((_, blockIndex) => pathOf(blockIndex)),
    );
  });
  return { ...request, messages };
}

const imagesOf = ({ content }: Message, pathOf: (index: number) => string): GeneratedImage[] =>
  content.flatMap((image, index) => (image.type === 'image' ? [{ image, path: pathOf(index) }] : []));

const holdsImage = ({ role, content }: Message): boolean =>
  role === 'assistant' && content.some(({ type }) => type === 'image');

function withImages(message: Message, images: readonly GeneratedImage[], pathOf: (index: number) => string): Message {
  const { content } = message;
  const others = content.findIndex(({ type }) => type !== 'tool-result');
  const at = others < 0 ? content.length : others;
  const paths = content.map((_, index) => pathOf(index));
  return rewrittenTurn(
    message,
    [...content.slice(0, at), ...images.map(({ image }) => image), ...content.slice(at)],
    [...paths.slice(0, at), ...images.map(({ path }) => path), ...paths.slice(at)],
  );
}
