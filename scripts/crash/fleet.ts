import { PRICING } from './upstream.js';

/** Requests that one process of a short life can receive. */
const MODELS_OF_A_LIFE = 300;
/** Enough to race those that are killed; it must not slow down their starts. */
const STABLE_OPEN_MAX = 4;
/** The providers of each model: a request refused at the first is answered at the second. */
const PROVIDERS = ['first', 'second'] as const;

/** A process that takes requests. */
export interface Target {
  readonly origin: string;
  /** Limit of concurrent requests. */
  readonly openMax: number;
  /** The next request's marker and model; undefined: it can receive no more. */
  next(): { readonly marker: string; readonly model: string } | undefined;
}

/** The model for every request of a process that is killed without open requests. */
export const STABLE_MODEL = 'crash/any';

const modelOf = (marker: string): string => `crash/${marker}`;

/** The marker of a row: from `user`, or, for a call without any content, from the model's id. */
export function markerOfRow(endUser: string | null, requestedModel: string): string | undefined {
  if (endUser !== null) return endUser;
  return /^crash\/(\w+-\d+)$/.exec(requestedModel)?.[1];
}

/** The start parameters and the requests of a process of that name. */
export interface Life {
  readonly name: string;
  catalog(upstreamUrl: string): object;
  at(origin: string): Target;
}

/**
 * A process to be killed. Each request has its own model: the ledger knows it from the hold on, so that a call of
 * which nothing else was written can still be identified.
 */
export function mortal(name: string): Life {
  const markers = Array.from({ length: MODELS_OF_A_LIFE }, (_, index) => `${name}-${index}`);
  let requested = 0;
  return {
    name,
    catalog: (url) => catalogOf(url, markers.map(modelOf)),
    at: (origin) => ({
      origin,
      openMax: Infinity,
      next: () => {
        const marker = markers[requested++];
        return marker === undefined ? undefined : { marker, model: modelOf(marker) };
      },
    }),
  };
}

/** A process that lives for any number of requests, and is killed only when none of them is open. */
export function stable(name: string): Life {
  let requested = 0;
  return {
    name,
    catalog: (url) => catalogOf(url, [STABLE_MODEL]),
    at: (origin) => ({
      origin,
      openMax: STABLE_OPEN_MAX,
      next: () => ({ marker: `${name}-${requested++}`, model: STABLE_MODEL }),
    }),
  };
}

function catalogOf(url: string, models: readonly string[]): object {
  return {
    version: 1,
    providers: PROVIDERS.map((slug) => ({
      slug,
      name: slug,
      dialect: 'anthropic-messages',
      base_url: `${url}/${slug}`,
      credential: { value: 'no-secret' },
    })),
    models: models.map((id) => ({
      id,
      name: id,
      context_length: 200_000,
      max_completion_tokens: 8_192,
      input_modalities: ['text'],
      output_modalities: ['text'],
      endpoints: PROVIDERS.map((provider) => ({ provider, model: id, pricing: PRICING })),
    })),
  };
}
