import type { OutputModality, Model } from '../../core/routing/catalog.js';
import type { Note } from '../remark.js';
import { slugText } from './addresses.js';
import type { DescribedEndpoint } from './describe-endpoint.js';
import { nameModels } from './name-models.js';
import { titleOf } from './read-config.js';

/** A deployment that can be carried over. */
export interface PlacedDeployment {
  readonly location: string;
  /** The model name that clients request. */
  readonly name: string;
  /** Slug of its provider. */
  readonly provider: string;
  readonly endpoint: DescribedEndpoint;
}

/** A model entry of a catalog file. */
export interface ModelEntry {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly [key: string]: unknown;
}

/** Groups deployments by name: one model for each name, with an endpoint for each of its deployments. */
export function gatherModels(deployments: readonly PlacedDeployment[], note: Note): ReadonlyMap<string, ModelEntry> {
  const groups = new Map<string, PlacedDeployment[]>();
  for (const deployment of deployments) {
    const group = groups.get(deployment.name);
    if (group) group.push(deployment);
    else groups.set(deployment.name, [deployment]);
  }
  const namings = nameModels([...groups].map(([name, [first]]) => [name, first!.provider]));
  return new Map(
    [...groups].map(([name, members], index) => {
      const { id, aliases } = namings[index]!;
      return [name, modelOf(name, members, { id, ...(aliases.length > 0 && { aliases }) }, note)];
    }),
  );
}

function modelOf(name: string, members: readonly PlacedDeployment[], naming: ModelEntry, note: Note): ModelEntry {
  const endpoints = members.map(({ endpoint }) => endpoint);
  const contextLength = Math.max(...endpoints.map((endpoint) => endpoint.contextLength));
  const shipped = sameOf(endpoints.map((endpoint) => endpoint.shipped));
  return {
    ...naming,
    name: shipped?.name ?? name,
    context_length: contextLength,
    input_modalities: commonOf(endpoints.map(({ inputModalities }) => inputModalities)),
    output_modalities: commonOf(endpoints.map(({ outputModalities }) => outputModalities)),
    ...(shipped && viewFigures(shipped)),
    endpoints: endpointsOf(members, contextLength, note),
  };
}

function endpointsOf(members: readonly PlacedDeployment[], contextLength: number, note: Note): readonly object[] {
  const variants = new Map<string, Set<string>>();
  const known = new Map<string, string>();
  return members.flatMap((member) => {
    const { provider, endpoint } = member;
    const location = titleOf(member);
    const { model, ...fields } = endpoint.fields;
    const identity = JSON.stringify([provider, model, fields['dialect']]);
    const twin = known.get(identity);
    if (twin !== undefined) {
      note('not-carried', location, `is the same endpoint as ${twin}: same address, same key, same model`);
      return [];
    }
    known.set(identity, location);
    const used = variants.get(provider) ?? new Set<string>();
    variants.set(provider, used);
    const variant = used.size === 0 ? '' : freeVariant(slugText(String(model)) || 'another', used);
    used.add(variant);
    return {
      provider,
      ...(variant !== '' && { variant }),
      model,
      ...fields,
      ...(endpoint.contextLength !== contextLength && { context_length: endpoint.contextLength }),
    };
  });
}

function freeVariant(base: string, used: ReadonlySet<string>): string {
  for (let number = 2, variant = base; ; number++) {
    if (!used.has(variant)) return variant;
    variant = `${base}-${number}`;
  }
}

const sameOf = <Value>(values: readonly Value[]): Value | undefined =>
  values.every((value) => value === values[0]) ? values[0] : undefined;

/** Modalities common to all: a request may go to any of them. */
const commonOf = (lists: readonly (readonly OutputModality[])[]): readonly OutputModality[] => {
  const common = lists[0]!.filter((modality) => lists.every((list) => list.includes(modality)));
  return common.length > 0 ? common : ['text'];
};

/** The shipped catalog's properties of a model, without its endpoints. */
function viewFigures({
  distillable,
  imageTokensMax,
  pageTokensMax,
  imageTokens,
}: Model): Readonly<Record<string, unknown>> {
  return {
    ...(distillable !== undefined && { distillable }),
    ...(imageTokensMax !== undefined && { image_tokens_max: imageTokensMax }),
    ...(pageTokensMax !== undefined && { page_tokens_max: pageTokensMax }),
    ...(imageTokens !== undefined && { image_tokens: imageTokens }),
  };
}
