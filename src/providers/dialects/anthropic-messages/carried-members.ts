import type { ModelRequest } from '../../../core/conversation/request.js';
import { isJsonObject, type JsonObject } from '../../../core/json/json.js';

/** The wire objects of options that are rewritten for the model. */
const HOLDERS: Readonly<Record<string, (asked: ModelRequest) => JsonObject | undefined>> = {
  thinking: ({ thinking }) => thinking?.origin?.value,
  output_config: ({ outputOrigin }) => outputOrigin?.value,
  tool_choice: ({ toolChoice }) => toolChoice?.origin?.value,
};
/** The one of them that needs no other member. */
const BY_ITSELF = 'output_config';

/**
 * The body with the members that no face declares, of options that were rewritten for the model. An option that is not
 * sent has none.
 */
export function withMembers(body: JsonObject, asked: ModelRequest): JsonObject {
  const members = asked.undeclared?.vendor === 'anthropic' ? asked.undeclared.members : [];
  let whole = body;
  for (const { path } of members) {
    const [field, ...rest] = path;
    const source = HOLDERS[field!]?.(asked);
    const sent = whole[field!] ?? (field === BY_ITSELF ? {} : undefined);
    if (source === undefined || !isJsonObject(sent)) continue;
    const carried = withMember(sent, source, rest);
    if (carried !== sent) whole = { ...whole, [field!]: carried };
  }
  return whole;
}

/** The object with the member of another one at this path; the same object where it has it or have no field for it. */
function withMember(sent: JsonObject, source: JsonObject, [name, ...rest]: readonly string[]): JsonObject {
  const value = Object.hasOwn(source, name!) ? source[name!] : undefined;
  const own = sent[name!];
  if (rest.length === 0) return value === undefined || own !== undefined ? sent : { ...sent, [name!]: value };
  if (!isJsonObject(value) || !isJsonObject(own)) return sent;
  const carried = withMember(own, value, rest);
  return carried === own ? sent : { ...sent, [name!]: carried };
}
