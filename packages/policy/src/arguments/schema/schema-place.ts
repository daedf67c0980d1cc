/** The keys and indexes that lead from a schema to a place in it. */
export type SchemaPath = readonly (string | number)[];

/** A fault at one place of a schema, with advice on how to fix it. */
export interface SchemaFault {
  readonly path: SchemaPath;
  readonly message: string;
}

/** One subschema of a schema, and the path to it. */
export interface Place {
  readonly path: SchemaPath;
  readonly part: unknown;
}
