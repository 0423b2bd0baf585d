import type { Json } from '../../core/json/json.js';
import type { Warning } from '../../core/warning.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { isClientTool, isOffline, type ToolList } from './read-tools.js';
import type { WireTool } from './schemas/tools.js';

const SENDS_STANDARD = 'is not sent: providers receive their standard mode';

/** A field of a tool that is not sent: the values that change something, and what is sent instead. */
interface UnsentField {
  readonly field: string;
  readonly message: string;
  readonly changes: (value: Json) => boolean;
}

const OUTPUT_SCHEMA: UnsentField = {
  field: 'output_schema',
  message: 'is not sent: no provider supports it',
  changes: () => true,
};
const DEFERRED: UnsentField = {
  field: 'defer_loading',
  message: 'is not sent: the model sees the tool from the start',
  changes: (value) => value === true,
};
/** The model itself calls every tool. */
const CALLERS: UnsentField = {
  field: 'allowed_callers',
  message: 'is not sent: the model itself calls the tool',
  changes: (value) => !Array.isArray(value) || value.some((caller) => caller !== 'direct'),
};
const DESCRIPTION: UnsentField = {
  field: 'description',
  message: 'is not sent: the model sees the tools of a namespace one by one',
  changes: (value) => value !== '',
};
const ACCESS: UnsentField = {
  field: 'external_web_access',
  message: 'false omits the tool, because every search of the gateway uses the web',
  changes: () => true,
};

/** Providers of this format receive a custom tool as it is. */
const withinFormat = ({ changes, field }: UnsentField): UnsentField => ({
  field,
  message: 'is sent to providers of this format alone',
  changes,
});

const NONE: readonly never[] = [];
const OF_FUNCTION = [OUTPUT_SCHEMA, DEFERRED, CALLERS];
const OF_MEMBER = [DEFERRED, CALLERS];
const OF_CUSTOM = OF_MEMBER.map(withinFormat);
const OF_NAMESPACE = [DESCRIPTION];
const OF_OFFLINE = [ACCESS];

/**
 * Options of a valid request that change nothing here (docs/use/responses.md#request-fields).
 * @param lists the tools of its body
 */
export function ignoredOptions({ reasoning }: CreateResponseDto, lists: readonly ToolList[]): readonly Warning[] {
  const isPro = reasoning?.mode === 'pro';
  if (!isPro && lists.length === 0) return NONE;
  const warnings: Warning[] = isPro ? [{ field: 'reasoning.mode', message: SENDS_STANDARD }] : [];
  for (const { tools, path } of lists) {
    for (const [index, tool] of tools.entries()) {
      addUnsent(tool, unsentOf(tool), `${path}.${index}`, warnings);
      if (!isClientTool(tool, 'namespace')) continue;
      for (const [toolIndex, member] of tool.tools.entries())
        addUnsent(
          member,
          member.type === 'function' ? OF_FUNCTION : OF_MEMBER,
          `${path}.${index}.tools.${toolIndex}`,
          warnings,
        );
    }
  }
  return warnings;
}

function unsentOf(tool: WireTool): readonly UnsentField[] {
  if (isClientTool(tool, 'function')) return OF_FUNCTION;
  if (isClientTool(tool, 'custom')) return OF_CUSTOM;
  if (isClientTool(tool, 'namespace')) return OF_NAMESPACE;
  return isOffline(tool) ? OF_OFFLINE : NONE;
}

function addUnsent(tool: object, fields: readonly UnsentField[], path: string, warnings: Warning[]): void {
  for (const { field, message, changes } of fields) {
    const value = (tool as Readonly<Record<string, Json | undefined>>)[field];
    if (value !== undefined && value !== null && changes(value)) warnings.push({ field: `${path}.${field}`, message });
  }
}
