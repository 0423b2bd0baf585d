import type { JsonObject } from '../../core/json/json.js';
import { textOf } from '../text-of.js';

/** Values that LiteLLM takes from a variable of the process begin so. */
const FROM_VARIABLE = /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/;

/** The variable that a value is read from; undefined for a literal value. */
export const variableOf = (value: unknown): string | undefined => FROM_VARIABLE.exec(textOf(value) ?? '')?.[1];

/** A value of the file that is no secret, and may come from a variable. */
export type ConfigValue = { readonly text: string } | { readonly unset: string } | undefined;

/** Reads such values. As in LiteLLM, variables of the file (`environment_variables`) take precedence. */
export class ConfigValues {
  constructor(
    private readonly own: JsonObject,
    private readonly variables: NodeJS.ProcessEnv,
  ) {}

  read(value: unknown): ConfigValue {
    const variable = variableOf(value);
    const text =
      variable === undefined ? textOf(value) : (textOf(this.own[variable]) ?? textOf(this.variables[variable]));
    if (text !== undefined) return { text };
    return variable === undefined ? undefined : { unset: variable };
  }
}
