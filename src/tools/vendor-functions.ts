import type { CallerRunTool, ToolFunction } from '../core/tool.js';
import { assertServable } from './servable.js';
import type { ToolDefinition, VendorType } from './tool-definition.js';

/**
 * Tools that Anthropic has trained its models on and leaves to the caller to run. Any model can be offered them, as
 * functions with the published names and arguments (docs.claude.com, "Bash tool", "Text editor tool", read November
 * 2026).
 */

export const BASH_FUNCTION: ToolFunction = {
  name: 'bash',
  description:
    'Runs a command in a bash session. The session goes on from one call to the next: its directory, variables and files stay. It has nobody at a terminal to answer questions.',
  inputSchema: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command to run. Needed unless the session is restarted.' },
      restart: { type: 'boolean', description: 'True ends the session and begins a new one.' },
    },
  },
};

const EDITOR_COMMANDS = {
  view: 'shows a file with line numbers, or what a directory holds',
  create: 'writes a new file',
  str_replace: 'puts `new_str` in the place of the one `old_str` in a file',
  insert: 'puts `new_str` behind a line of a file',
};

/** All versions of the editor have the same arguments; names and commands differ. */
const editor = (name: string, commands: Readonly<Record<string, string>>): ToolFunction => ({
  name,
  description: `Views and edits text files. ${Object.entries(commands)
    .map(([command, does]) => `\`${command}\` ${does}`)
    .join('; ')}.`,
  inputSchema: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: Object.keys(commands), description: 'What to do.' },
      path: { type: 'string', description: 'Absolute path of the file or directory.' },
      file_text: { type: 'string', description: 'With `create`: all of the file.' },
      old_str: { type: 'string', description: 'With `str_replace`: the text to replace, which the file has once.' },
      new_str: { type: 'string', description: 'With `str_replace` and `insert`: the text to put there.' },
      insert_line: { type: 'integer', description: 'With `insert`: the line to put it behind; 0 is the beginning.' },
      view_range: {
        type: 'array',
        items: { type: 'integer' },
        description: 'With `view`: first and last line, from 1; -1 as the last is the end.',
      },
    },
    required: ['command', 'path'],
  },
});

/** The caller answers the calls, so no result of this type is ever the gateway's. */
const handed = (type: VendorType, asFunction: ToolFunction): ToolDefinition => ({
  types: [type],
  parameters: {},
  resultType: `${type}_tool_result`,
  offer: (requested): CallerRunTool => {
    assertServable(requested);
    return { runsAt: 'caller', asFunction };
  },
  recall: () => '',
  isFailure: () => false,
});

export const bash20250124 = handed('bash_20250124', BASH_FUNCTION);

export const textEditor20250124 = handed(
  'text_editor_20250124',
  editor('str_replace_editor', { ...EDITOR_COMMANDS, undo_edit: 'takes the last edit of a file back' }),
);

export const VENDOR_FUNCTIONS: readonly ToolDefinition[] = [bash20250124, textEditor20250124];
