import type { UndeclaredMember } from '../../core/conversation/request.js';
import { printJson, type Json } from '../../core/json/json.js';

/** Maximum number of members that are kept of one body. */
const MEMBERS_MAX = 100;
const LIST_PLACE = /^\d+$/;

/**
 * Undeclared members that a validation finds. Validations run synchronously, so that one object serves all of them. The
 * first validation of a body only sets the mark: a second one collects the members of the few bodies that have some.
 */
class UndeclaredMembers {
  /** Whether an object with such a member has been validated. Its reader clears it before. */
  isFound = false;
  private found: Map<string, UndeclaredMember> | undefined;

  /** Called by the generated code of validators, for each member that its object's schema does not name. */
  readonly note = (holder: Readonly<Record<string, unknown>>, name: string, pointer: string): void => {
    this.isFound = true;
    const { found } = this;
    if (found === undefined) return;
    const path = [...pointer.split('/').filter((key) => key !== '' && !LIST_PLACE.test(key)), name];
    const { type: of } = holder;
    const value = holder[name] as Json | undefined;
    const text = value === undefined ? '' : printJson(value);
    const named = JSON.stringify([path, of]);
    // Beyond the limit only the lengths are counted.
    const key = found.size >= MEMBERS_MAX && !found.has(named) ? found.keys().next().value! : named;
    const known = found.get(key);
    found.set(key, {
      ...(known ?? { path, ...(typeof of === 'string' && { of }) }),
      isSet: (known?.isSet ?? false) || (key === named && value !== null),
      bytes: (known?.bytes ?? 0) + Buffer.byteLength(text),
      units: (known?.units ?? 0) + text.length,
    });
  };

  /** The members that `validate` comes upon. */
  collect(validate: () => void): UndeclaredMember[] {
    this.found = new Map();
    try {
      validate();
      return [...this.found.values()];
    } finally {
      this.found = undefined;
    }
  }
}

export const undeclaredMembers = new UndeclaredMembers();
