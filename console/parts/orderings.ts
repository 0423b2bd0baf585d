/** The bases of an order of endpoints, as a reader knows them. */
const ORDERINGS: Readonly<Record<string, string>> = {
  draw: 'by chance, weighted by price',
  session: 'by the session, weighted by price',
  order: 'as the request names them',
  price: 'cheapest first',
  throughput: 'fastest first',
  latency: 'soonest first',
  exacto: 'exact tool calls first',
};

export const orderingWords = (ordering: string): string => ORDERINGS[ordering] ?? ordering;
