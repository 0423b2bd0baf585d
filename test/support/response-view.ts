import type { JsonBody } from './recorded-request.js';

// Bodies and replies of the responses format in the form of chat, for suites whose cases all faces share.

const PARTS: Readonly<Record<string, (part: JsonBody, isAnswer: boolean) => JsonBody>> = {
  text: ({ text }, isAnswer) => ({ type: isAnswer ? 'output_text' : 'input_text', text }),
  image_url: ({ image_url: { url, detail } }) => ({ type: 'input_image', image_url: url, ...(detail && { detail }) }),
  file: ({ file: { filename, file_data: data } }) => {
    const isAddress = /^https?:/.test(String(data));
    return {
      type: 'input_file',
      ...(filename && { filename }),
      ...(isAddress ? { file_url: data } : { file_data: data }),
    };
  },
};

function itemsOf({
  role,
  content,
  tool_calls: calls = [],
  tool_call_id: callId,
  items,
  annotations,
}: JsonBody): JsonBody[] {
  if (items) return items;
  if (annotations) return [{ role, content: [{ type: 'output_text', text: content, annotations }] }];
  if (role === 'tool') return [{ type: 'function_call_output', call_id: callId, output: content }];
  const parts = Array.isArray(content)
    ? content.map((part: JsonBody) => PARTS[part.type]?.(part, role === 'assistant') ?? part)
    : content;
  const asked = calls.map(({ id, function: { name, arguments: json } }: JsonBody) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: json,
  }));
  return parts === null && asked.length > 0 ? asked : [{ role, content: parts }, ...asked];
}

/** A tool of the caller in the form of chat or Messages; any other is unchanged. */
function toolOf(tool: JsonBody): JsonBody {
  if (tool.type === 'function' && tool.function) return { type: 'function', ...tool.function };
  if (!tool.input_schema) return tool;
  const { input_schema: parameters, type: _type, ...named } = tool;
  return { type: 'function', parameters, ...named };
}

/** A body of chat as one of responses. */
export function asResponsesBody(body: JsonBody): JsonBody {
  const { messages, tools, max_tokens: most, response_format: format, tool_choice: choice, ...rest } = body;
  return {
    ...rest,
    input: messages.flatMap(itemsOf),
    ...(most !== undefined && { max_output_tokens: most }),
    ...(tools && { tools: tools.map(toolOf) }),
    ...(choice && { tool_choice: choice.function ? { type: 'function', name: choice.function.name } : choice }),
    ...(format && { text: { format: format.json_schema ? { type: format.type, ...format.json_schema } : format } }),
  };
}

const FINISHES: Readonly<Record<string, string>> = { max_output_tokens: 'length', content_filter: 'content_filter' };

/** A response as the choice of a completion, with its usage and what was routed; the response itself is in it too. */
export function asCompletion(response: JsonBody): JsonBody {
  const { output = [], status, incomplete_details: details, usage, model, router_metadata, annotations } = response;
  const ofType = (type: string): JsonBody[] => output.filter((item: JsonBody) => item.type === type);
  const parts: JsonBody[] = ofType('message').flatMap(({ content }) => content);
  const join = (key: string): string => parts.map((part) => part[key] ?? '').join('');
  const calls = ofType('function_call').map(({ call_id: id, name, arguments: json }) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  }));
  const cited = [...parts.flatMap((part) => part.annotations ?? []).map(citationOf), ...(annotations ?? [])];
  const finish = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    response,
    model,
    usage,
    router_metadata,
    ...(status !== 'failed' && { finish_reason: FINISHES[details?.reason] ?? finish }),
    message: {
      role: 'assistant',
      content: join('text') || null,
      refusal: join('refusal') || null,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(cited.length > 0 && { annotations: cited }),
    },
  };
}

const citationOf = ({ type, ...citation }: JsonBody): JsonBody =>
  type === 'url_citation' ? { type, url_citation: citation } : { type, ...citation };
