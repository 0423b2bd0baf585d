import type { MediaBasis } from '../../src/catalog/check/read-sources.js';
import type { ImageRule } from '../../src/core/money/image-tokens.js';
import type { DialectId, Modality, OutputModality } from '../../src/core/routing/catalog.js';
import type { Source } from '../catalog-sources.js';
import type { Drawing, TableModel, TableName } from '../catalog-tables.js';
import type { Tariffs } from './tariffs.js';

/*
 * The parsed content of the files under catalog/models (docs/operate/add-a-model.md): shared facts are merged into the
 * models that use them, and each fact has its source.
 */

/** A figure, and where it was read. */
export interface Fact<Value> {
  readonly value: Value;
  readonly source: Source;
}

/** Maximum number of tokens of an image or of a page, and what the figure rests on. */
export interface MediaFact extends Fact<number> {
  readonly basis: MediaBasis;
}

export interface ImageFacts {
  /** Absent: the size alone determines what an image counts. */
  readonly max?: MediaFact;
  readonly rule?: Fact<ImageRule>;
}

/** Scores from 0 to 1, all of one source. */
export interface ScoreFacts {
  readonly quality: number;
  readonly coding?: number;
  readonly source: Source;
}

/** The facts of a model at every provider. */
export interface ModelFacts {
  readonly aliases?: Fact<readonly string[]>;
  readonly created?: Fact<string>;
  /** Absent source: the table that lists the model. */
  readonly inputModalities?: { readonly value: readonly Modality[]; readonly source?: Source };
  readonly outputModalities?: Fact<readonly OutputModality[]>;
  /** Lengths of vectors, the default first. */
  readonly dimensions?: Fact<readonly number[]>;
  readonly distillable?: Fact<boolean>;
  readonly images?: ImageFacts;
  readonly pages?: MediaFact;
  readonly scores?: ScoreFacts;
}

/** The facts of a model at one provider. */
export interface EndpointFacts {
  /** The model's name in the price package, where it is not the name at the provider. */
  readonly listedAs?: string;
  readonly dialect?: DialectId;
  readonly contextLength?: Fact<number>;
  readonly maxCompletionTokens?: Fact<number>;
  /** The table whose price applies although the price package has one. */
  readonly pricedBy?: TableName;
  /** The provider's tool with which the model generates images, and which is sold with it. */
  readonly draws?: Drawing;
  /** Slug of the provider whose list of request fields applies; absent: its own provider's. */
  readonly parametersOf?: string;
  /** Request fields beside those of the provider. */
  readonly alsoTakes?: readonly string[];
  /** Request fields of the provider that this model refuses. */
  readonly refuses?: readonly string[];
  readonly tariffs?: Tariffs;
}

/** A model at one provider. */
export interface EndpointEntry extends EndpointFacts {
  readonly provider: string;
  /** The model's name there. */
  readonly model: string;
  readonly variant?: string;
  /** Figures of the model, if no table lists it. */
  readonly listing?: Fact<TableModel>;
}

export interface ModelEntry extends ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly endpoints: readonly EndpointEntry[];
}

/** The entries of `shared`: facts of a model, and of its endpoints by the slug of their provider. */
export interface SharedFacts {
  readonly model: ModelFacts;
  readonly endpoints: ReadonlyMap<string, EndpointFacts>;
}
