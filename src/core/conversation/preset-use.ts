/** The preset that completed a request. */
export interface PresetUse {
  readonly id: string;
  readonly slug: string;
  readonly version: number;
  /** Response-cache settings of the preset; absent if it has none. */
  readonly cache?: { readonly isOn: boolean | undefined; readonly ttlSeconds: number | undefined };
}
