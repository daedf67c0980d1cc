/** The part of a manifest that defines intents. Its fields have the names of the file. */
export interface IntentsDocument {
  readonly entity_types?: Readonly<Record<string, EntityTypeFields>>;
  /** Exactly one is the fallback. */
  readonly intents: readonly IntentFields[];
}

export interface EntityTypeFields {
  readonly pattern: string;
  readonly case?: 'upper' | 'lower' | 'keep';
}

export interface IntentFields {
  readonly id: string;
  readonly triggers: {
    readonly keywords?: readonly string[];
    readonly patterns?: readonly string[];
    readonly fallback?: boolean;
  };
  readonly entities?: readonly EntityFields[];
}

export interface EntityFields {
  readonly name: string;
  /** `string`, `integer`, `number`, `enum`, or a name of `entity_types`. An unknown type counts as `string`. */
  readonly type: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly pattern?: string;
}
