import { GatewayError } from '../core/errors.js';
import { compile, map, text } from '../shared/http/schema.js';

/** Limits of one request. Chosen. */
const VARIABLES_MAX = 100;
const NAME_CHARACTERS_MAX = 64;
const VALUE_CHARACTERS_MAX = 100_000;
/** Limit of the prompts after substitution: a preset may refer to one variable any number of times. */
const FILLED_CHARACTERS_MAX = 2_000_000;

const NAME = {
  pattern: `^[A-Za-z0-9_]{1,${NAME_CHARACTERS_MAX}}$`,
  reason: `must be 1 to ${NAME_CHARACTERS_MAX} letters, digits, "_"`,
};

/** The field `preset_variables` of every API format: texts by name. */
export const presetVariables = compile(map(text({ max: VALUE_CHARACTERS_MAX }), { max: VARIABLES_MAX, keys: NAME }));

export type PresetVariables = Readonly<Record<string, string>>;

const REFERENCE = new RegExp(`\\{\\{([A-Za-z0-9_]{1,${NAME_CHARACTERS_MAX}})\\}\\}`, 'g');

/**
 * Replaces each `{{name}}` by its value. Values are not searched again.
 * @throws GatewayError `invalid-request`, naming a variable that has no value, or when the values make it too long
 */
export function fillVariables(prompt: string, variables: PresetVariables): string {
  let filled = 0;
  return prompt.replaceAll(REFERENCE, (_, name: string) => {
    if (!Object.hasOwn(variables, name))
      throw new GatewayError('invalid-request', `preset_variables.${name}: is required, as the preset refers to it`);
    const value = variables[name]!;
    filled += value.length;
    if (filled > FILLED_CHARACTERS_MAX)
      throw new GatewayError(
        'invalid-request',
        `preset_variables.${name}: fills the prompts of the preset with more than ${FILLED_CHARACTERS_MAX} characters`,
      );
    return value;
  });
}

/** @throws GatewayError `invalid-request`, naming the first fault */
export function readVariables(value: unknown): PresetVariables {
  if (value === undefined || value === null) return NO_VARIABLES;
  if (presetVariables.check(value)) return value;
  const { path, reason } = presetVariables.fault(value)!;
  throw new GatewayError('invalid-request', `preset_variables${path === '' ? '' : `.${path}`}: ${reason}`);
}

const NO_VARIABLES: PresetVariables = {};
