import type { EnvironmentFault } from '../environment.js';
import { reasonOf } from './grammars.js';
import type { Variable } from './variables.js';

const SHOWN_CHARACTERS_MAX = 80;

/** Reads variables one by one and collects the faults of all of them. A faulty one counts as not set. */
export class VariableReader {
  readonly faults: EnvironmentFault[] = [];

  constructor(private readonly variables: NodeJS.ProcessEnv) {}

  read<T>(variable: Variable<T>): T {
    const text = this.variables[variable.name]?.trim();
    // Compose files and charts pass an empty text for "not set".
    if (text === undefined || text === '') return variable.fallback();
    try {
      return variable.grammar(text);
    } catch (error) {
      const shown = variable.isSecret ? '' : ` (it is ${JSON.stringify(text.slice(0, SHOWN_CHARACTERS_MAX))})`;
      this.refuse(variable, `${reasonOf(error)}${shown}`);
      return variable.fallback();
    }
  }

  /** Reads a variable that is required because another variable is set. */
  require<T>(variable: Variable<T>, reason: string): T {
    if (!this.isSet(variable)) this.refuse(variable, reason);
    return this.read(variable);
  }

  isSet(variable: { readonly name: string }): boolean {
    return (this.variables[variable.name]?.trim() ?? '') !== '';
  }

  refuse(variable: { readonly name: string }, reason: string): void {
    this.faults.push({ variable: variable.name, reason });
  }
}
