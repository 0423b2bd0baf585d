import type { Note } from '../remark.js';

/** The workspaces of the gateway that is imported into. */
export class Workspaces {
  private readonly ids: ReadonlySet<string>;

  /** @param ids empty where no gateway is called */
  constructor(ids: Iterable<string> = []) {
    this.ids = new Set(ids);
  }

  /** The workspace here, or undefined for the default one; a workspace that does not exist here is noted. */
  find(id: unknown, title: string, note: Note): string | undefined {
    if (typeof id !== 'string') return undefined;
    if (this.ids.has(id)) return id;
    note('assumed', title, `goes to the default workspace: there is no workspace ${id} here`);
    return undefined;
  }
}
