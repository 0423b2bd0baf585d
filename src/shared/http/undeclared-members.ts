import type { UndeclaredMember } from '../../core/conversation/request.js';

/** Maximum number of members that are kept of one body. */
const MEMBERS_MAX = 100;
const LIST_PLACE = /^\d+$/;

/**
 * What validation finds while it runs, which is synchronous. Validation only sets the mark: the members themselves are
 * collected by a second validation of the few bodies that have some.
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
    const key = JSON.stringify([path, of]);
    const isSet = holder[name] !== null;
    if (found.size >= MEMBERS_MAX && !found.has(key)) return;
    const known = found.get(key)?.isSet ?? false;
    found.set(key, { path, ...(typeof of === 'string' && { of }), isSet: isSet || known });
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
