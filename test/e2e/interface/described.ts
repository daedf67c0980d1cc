/** Reads the OpenAPI document in the form that tests need: its operations, and a request for each operation. */
export type JsonSchema = {
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  $ref?: string;
};

export type Parameter = {
  name: string;
  in: 'query' | 'path' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
};

type Operation = {
  operationId: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown; examples?: object; schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
};

export type OpenApi = {
  tags: { name: string }[];
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
  paths: Record<string, Record<string, Operation>>;
};

export type Described = Operation & { method: string; path: string };

export function operationsOf({ paths }: Pick<OpenApi, 'paths'>): Described[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/**
 * Returns the parameter in the form of a field. The description of a query parameter contains its examples, because
 * the documentation page would fill in examples of the schema.
 */
export function fieldOfParameter(
  { name, in: part, description = '', schema, example }: Parameter,
  path: string,
) {
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const [, listed = ''] = / For example (`.+`)[.]$/.exec(description) ?? [];
  const written = [...listed.matchAll(/`([^`]+)`/g)].map(([, text = '']) => (isNumber ? Number(text) : text));
  const examples = [...written, ...(schema.examples ?? []), ...(example === undefined ? [] : [example])];
  return {
    path: `${path} ${part} ${name}`,
    schema: { ...schema, description, ...(examples.length > 0 && { examples }) },
  };
}

/** True if the answer is an endless stream of events. */
export function isStream({ responses }: Operation): boolean {
  return 'text/event-stream' in (responses['200']?.content ?? {});
}

/** Returns the path with these values, and the query. */
export function urlOf(
  { path, parameters = [] }: Described,
  values: ReadonlyMap<string, string | readonly string[]>,
): string {
  let filled = path;
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    const given = values.get(parameter.name);
    if (given === undefined) continue;
    if (parameter.in === 'path')
      filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(String(given)));
    if (parameter.in === 'query') for (const value of [given].flat()) query.append(parameter.name, value);
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** Returns a value for each required parameter. */
export function requiredValues({ parameters = [] }: Operation): Map<string, string> {
  const required = parameters.filter((parameter) => parameter.required);
  return new Map(required.map(({ name, example, schema }) => [name, String(example ?? someValue(schema))]));
}

function someValue(schema: JsonSchema): unknown {
  const given = schema.const ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];
  if (given !== undefined) return given;
  if (schema.anyOf?.[0] !== undefined) return someValue(schema.anyOf[0]);
  if (schema.format === 'date-time') return '2026-01-30T12:00:00Z';
  return schema.type === 'integer' || schema.type === 'number' ? (schema.minimum ?? 1) : 'x';
}

/** Returns the example bodies in the document. For a route without a body, returns one example: null. */
export function examplesOf({ requestBody }: Operation): unknown[] {
  const content = requestBody?.content['application/json'];
  if (content === undefined) return [null];
  if (content.example !== undefined) return [content.example];
  return Object.values(content.examples ?? {}).map((one) => (one as { value?: unknown }).value ?? one);
}
