/**
 * A JSON Schema for OpenAPI 3.1 documents (spec.openapis.org/oas/v3.1.1), without callbacks, links and webhooks. In
 * some places it is stricter than the standard: parts that a reader needs are required. Schemas inside of the
 * document are JSON Schema 2020-12.
 */
const text = { type: 'string', minLength: 1 };
const extensions = { '^x-': true };
const schema = { $ref: 'https://json-schema.org/draft/2020-12/schema' };

function object(properties: object, required: readonly string[] = []) {
  return { type: 'object', properties, required, patternProperties: extensions, additionalProperties: false };
}

function mapOf(values: object, names: object = {}) {
  return { type: 'object', propertyNames: names, additionalProperties: values, minProperties: 1 };
}

const examples = { example: true, examples: mapOf(object({ summary: text, value: true }, ['value'])) };
const content = mapOf(object({ schema, ...examples }, ['schema']), {
  pattern: '^[\\w.+-]+/[\\w.+-]+(;.+)?$',
});

const parameter = object(
  {
    name: text,
    in: { enum: ['query', 'path', 'header'] },
    description: text,
    required: { type: 'boolean' },
    deprecated: { type: 'boolean' },
    style: text,
    explode: { type: 'boolean' },
    schema,
    ...examples,
  },
  ['name', 'in', 'description', 'required', 'schema'],
);

const header = object({ description: text, schema }, ['schema']);
const response = object({ description: text, headers: mapOf(header), content }, ['description']);

const operation = object(
  {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*$' },
    summary: { ...text, maxLength: 150 },
    description: text,
    tags: { type: 'array', items: text, minItems: 1, uniqueItems: true },
    deprecated: { type: 'boolean' },
    parameters: { type: 'array', items: parameter },
    requestBody: object({ description: text, content, required: { type: 'boolean' } }, ['content']),
    security: {
      type: 'array',
      items: { type: 'object', additionalProperties: { type: 'array', items: text }, maxProperties: 1 },
    },
    responses: mapOf(response, { pattern: '^([1-5]\\d\\d|default)$' }),
  },
  ['operationId', 'summary', 'tags', 'security', 'responses'],
);

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const securityScheme = {
  anyOf: [
    object({ type: { const: 'http' }, scheme: text, bearerFormat: text, description: text }, [
      'type',
      'scheme',
    ]),
    object({ type: { const: 'apiKey' }, in: { enum: ['header'] }, name: text, description: text }, [
      'type',
      'in',
      'name',
    ]),
  ],
};

export const OPENAPI_SCHEMA = object(
  {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: object(
      {
        title: text,
        summary: text,
        description: text,
        version: text,
        license: object({ name: text, identifier: text }, ['name']),
      },
      ['title', 'version', 'description'],
    ),
    servers: { type: 'array', items: object({ url: text, description: text }, ['url']), minItems: 1 },
    tags: { type: 'array', items: object({ name: text, description: text }, ['name', 'description']) },
    components: object({ schemas: mapOf(schema), securitySchemes: mapOf(securityScheme) }),
    paths: mapOf(object(Object.fromEntries(METHODS.map((method) => [method, operation]))), { pattern: '^/' }),
  },
  ['openapi', 'info', 'servers', 'tags', 'components', 'paths'],
);
