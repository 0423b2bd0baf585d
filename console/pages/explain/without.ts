type Body = Readonly<Record<string, unknown>>;

/** The request with these providers left out too. */
export function without(body: Body, ignored: readonly string[]): Body {
  if (ignored.length === 0) return body;
  const provider = (body['provider'] ?? {}) as { readonly ignore?: readonly string[] };
  return { ...body, provider: { ...provider, ignore: [...new Set([...(provider.ignore ?? []), ...ignored])] } };
}
