import type { Application } from 'express';

/** What is used of a layer of Express's router. */
interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Methods that routes of the application answer at a path, in capitals: none means there is no such path. */
export function allowedMethods(application: Application, path: string): string[] {
  const { stack } = application.router as unknown as { stack: readonly Layer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    if (!layer.route || !layer.match(path)) continue;
    const [method, ...others] = Object.keys(layer.route.methods);
    // Nest gives each route of ours one method. What takes every method is its own refusal of what no route has taken.
    if (method !== undefined && others.length === 0) methods.add(method.toUpperCase());
  }
  return [...methods].sort();
}
