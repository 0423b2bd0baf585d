// Only what is used: the package has no types, and those published apart require the types of a browser.
declare module 'turndown' {
  export interface TurndownNode {
    readonly nodeName: string;
    readonly parentNode: TurndownNode;
    readonly firstElementChild: TurndownNode | null;
    readonly nextElementSibling: TurndownNode | null;
    readonly previousElementSibling: TurndownNode | null;
    getAttribute(name: string): string | null;
  }
  export interface TurndownRule {
    readonly filter: readonly string[];
    replacement(content: string, node: TurndownNode): string;
  }
  export default class TurndownService {
    constructor(options?: Readonly<Record<string, string>>);
    addRule(name: string, rule: TurndownRule): this;
    remove(filter: readonly string[]): this;
    turndown(html: string): string;
  }
}
