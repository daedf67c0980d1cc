/**
 * Generates the description of the HTTP interface from the routes: OpenAPI 3.1 at /openapi.json. It is generated at
 * the first request, because most processes are never asked for it. That takes a quarter of a second for the routes
 * of a whole plane. So each route has its own turn of the event loop, and no other request waits that long.
 */
import { STATUS_CODES } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import swagger, { type SwaggerTransform, type SwaggerTransformObject } from '@fastify/swagger';
import { outsideRequests } from '@mandate/runtime';
import type { FastifyContextConfig, RouteOptions } from 'fastify';
import { createJsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { refusals } from './describe-refusals.ts';
import type { HttpServer } from './http-server-type.ts';

const ABOUT = `
**Credentials.** Send an API key as \`authorization: Bearer sk-mdt_…\` (on this page: *Authorize*) or as \`x-api-key\`. \`mandate up\` shows the
first keys once. POST /v1/keys issues keys for people, each with a role, and POST /v1/agents/{id}/keys issues a key for an agent. The key decides the tenant.

**Values.** Amounts are in micro-dollars (\`…Micros\`: 1,000,000 is one dollar). Answers of the audit also have each amount in dollars, for people.
Times are RFC 3339 in UTC. Durations are in milliseconds (\`…Ms\`). Lists come in pages: send \`next\` back to get the next page.

**Problems.** Every refusal is \`application/problem+json\` with a stable \`code\`, a \`detail\`, a \`remedy\` and a \`requestId\`. The operator's log has the
same \`requestId\`, and so has the header \`x-request-id\`. If you send that header, your id is kept. 503 has \`retry-after\`: nothing is lost, so ask again.

**Habits.** An answer to a GET has an \`etag\`. Send it back in \`if-none-match\` to get 304 if nothing changed. An answer is compressed if the request has
\`accept-encoding\`. \`ratelimit-limit\`, \`-remaining\` and \`-reset\` say how much of its request rate a key has left, except for a POST that is let in. Beyond the rate the
answer is 429. A key and its tenant may also write only so much. Beyond that the answer is 429 too, with the exact wait in \`retryAfterMs\`.
`.trim();

/** The groups of routes, in their order on the page. */
const GROUPS = {
  publish: 'Agents ask for actions and report their outcomes',
  approvals: 'Actions that wait for a person',
  'kill switch': 'Stop an agent, a tenant or everything',
  agents: 'Register agents, and see what they do',
  budgets: 'Correct what a budget has spent',
  audit: 'What was decided, and why: search, live, as files',
  analytics: 'Decisions counted and summed',
  alerts: 'What people were alerted to, and whether the alerts reached them',
  'dead letters': 'Records that could not be read: correct them and publish them again',
  grants: 'Grants: what an agent may do for a limited time',
  mandates: 'Previews of what an agent may do',
  persons: 'Find, unseal and forget people',
  keys: 'API keys of people and services, each with a role',
  policies: 'Named pieces of authority, in versions',
  session: 'Sign in with an API key or through an identity provider: who calls, and the session of a browser',
  tenants: 'Open and close tenants, and set their quotas and limits',
  rules: 'Which agents get which policies, and when',
  manifests: 'Agents, tools and a workflow in one file, in versions',
  runs: 'Runs of the workflows of agent manifests',
  reconciliation: 'Whether log, ledger and audit agree',
  ledger: 'Counters and open actions',
  health: 'For orchestrators and scrapers',
};

const text = { type: 'string' as const };

const PROBLEM_SCHEMA = {
  type: 'object' as const,
  description: 'A problem document (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code', 'remedy'],
  properties: {
    type: {
      ...text,
      description: 'The kind of problem as a URN: `urn:mandate:problem:` and the code.',
      examples: ['urn:mandate:problem:FORBIDDEN'],
    },
    title: { ...text, description: 'The name of the HTTP status.', examples: ['Forbidden'] },
    status: { type: 'integer' as const, description: 'The HTTP status.', examples: [403] },
    detail: {
      ...text,
      description: 'What went wrong, for people.',
      examples: ['this API key lacks the scope operate'],
    },
    code: {
      ...text,
      description: 'What went wrong, as a stable code for programs.',
      examples: ['FORBIDDEN'],
    },
    remedy: { ...text, description: 'What to do about it.', examples: ['Use a key with the scope operate.'] },
    requestId: {
      ...text,
      description: "The id of the request in the operator's log.",
      examples: ['0b0f3f0e-6c1a-4a38-9b1a-2f7c55d0a9c1'],
    },
    instance: { ...text, description: 'The path of the request.', examples: ['/v1/kill'] },
    errors: {
      type: 'array' as const,
      description: 'Every fault of a request that does not match its description.',
      items: {
        type: 'object' as const,
        properties: {
          in: {
            ...text,
            description: 'The part of the request: path, query, header or body.',
            examples: ['body'],
          },
          pointer: { ...text, description: 'A JSON pointer to the fault.', examples: ['/reason'] },
          detail: { ...text, description: 'What is wrong there.', examples: ['must be a string'] },
        },
      },
    },
  },
};

const OPENAPI = '3.1.0';

/** Adds /openapi.json. Call it before the routes are added. Returns a function that resolves to the document. */
export async function describeRoutes(
  server: HttpServer,
  { service, version }: { service: string; version: string },
): Promise<() => Promise<object>> {
  const routes: RouteOptions[] = [];
  const described = new Map<object, ReturnType<SwaggerTransform>>();
  const transform: SwaggerTransform = (document) =>
    described.get(document.route) ?? describeRoute(document, server.initialConfig.bodyLimit);
  server.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route);
  });
  await server.register(swagger, {
    openapi: {
      openapi: OPENAPI,
      info: {
        title: `Mandate ${service}`,
        version,
        summary: 'A governance plane for AI agents',
        description: ABOUT,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key, sk-mdt_…' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same key' },
        },
        schemas: { Problem: PROBLEM_SCHEMA },
      },
    },
    transform,
    transformObject: sayGroups,
  });

  async function build(): Promise<{ document: object; text: string }> {
    for (const route of routes) {
      const { schema = {}, url } = route;
      described.set(route, transform({ schema, url, route, openapiObject: { openapi: OPENAPI } }));
      await nextTurn();
    }
    const document = server.swagger();
    return { document, text: JSON.stringify(document) };
  }
  let building: ReturnType<typeof build> | null = null;
  const built = () => {
    building ??= outsideRequests(build).catch((error) => {
      building = null;
      throw error;
    });
    return building;
  };
  server.get(
    '/openapi.json',
    { config: { public: true, fixed: true }, schema: { hide: true } },
    async (_request, reply) => reply.type('application/json').send((await built()).text),
  );
  return async () => (await built()).document;
}

/**
 * Lists the groups of the document in the order of `GROUPS`. The paths have another order: the paths of the server
 * itself come before the paths of the service.
 */
const sayGroups: SwaggerTransformObject = (document) => {
  if (!('openapiObject' in document)) return document.swaggerObject;
  const { openapiObject } = document;
  const operations = Object.values(openapiObject.paths ?? {}).flatMap((path) => Object.values(path ?? {}));
  const used = new Set(
    operations.flatMap((part) => (typeof part === 'object' && 'tags' in part ? part.tags : [])),
  );
  const tags = Object.entries(GROUPS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
  return { ...openapiObject, tags };
};

/** Adds defaults and examples again, because zod drops them in JSON Schema for values that are read from text. */
const jsonSchemaTransform = createJsonSchemaTransform({
  zodToJsonConfig: {
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod;
      if (def.type === 'default') jsonSchema.default = def.defaultValue;
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples)) jsonSchema.examples = [...examples];
      // Removes the bounds that zod writes for every integer, because they mean nothing to a reader.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // Removes the pattern of a time, because the format is enough. The pattern has 200 characters and would be
      // repeated for each time.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  },
});

/** The parts of a route's description that this file uses. */
type Described = {
  hide?: boolean;
  description?: string;
  produces?: string[];
  querystring?: { properties?: Record<string, Parameter> };
  response?: Record<string, object>;
};
type Parameter = { description?: string; examples?: unknown[] };

/**
 * Replaces a reference by the schema of any JSON value, and keeps the description of the field. Only a schema that
 * contains itself has references, and the definition of the reference is missing here.
 */
function anyJson(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value;
  const { $ref: _, ...own } = value;
  return { description: 'Any JSON value.', ...own };
}

/** Adds to a route's declaration the parts that every route has: credentials, conditions and problems. */
function describeRoute(
  document: Parameters<SwaggerTransform>[0],
  bodyLimit: number | undefined,
): ReturnType<SwaggerTransform> {
  const { schema: given, url } = jsonSchemaTransform(document);
  const schema: Described = JSON.parse(JSON.stringify(given ?? {}), anyJson);
  if (schema.hide === true) return { schema, url };
  for (const parameter of Object.values(schema.querystring?.properties ?? {})) sayExamples(parameter);
  const { route } = document;
  const config = route.config ?? {};
  const scopes = [config.scope ?? []].flat();
  const keyed = config.public !== true;
  const keys = keyed
    ? `Takes a key with the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`
    : '';
  return {
    url,
    schema: {
      operationId: operationId(route),
      ...schema,
      description: [schema.description, keys, sayCounted(config)].filter(Boolean).join('\n\n'),
      security: keyed ? [{ bearer: scopes }, { apiKey: scopes }] : [],
      response: {
        ...successes(schema),
        ...(keyed && route.method === 'GET' && schema.produces === undefined ? NOT_CHANGED : {}),
        ...refusals(route, { scopes: keyed ? scopes : null, bodyLimit: route.bodyLimit ?? bodyLimit }),
      },
    },
  };
}

/** Returns a sentence about how requests count for the limits of the key and its tenant. */
function sayCounted({ counted, unlimited }: FastifyContextConfig): string {
  if (unlimited === true) return 'No rate limit refuses this request.';
  if (counted === undefined) return '';
  return counted === 'publish'
    ? 'Each record counts toward the publishing limits of the key and its tenant.'
    : 'Each request, and each 16 KiB of its body, counts as a change toward the limits of the key and its tenant.';
}

/**
 * Moves examples into the description. Otherwise the page would fill them in, and an unwanted filter would find
 * nothing.
 */
function sayExamples(parameter: Parameter): void {
  if (parameter.examples === undefined) return;
  const examples = parameter.examples.map((example) => `\`${example}\``).join(' or ');
  parameter.description = [parameter.description, `For example ${examples}.`].filter(Boolean).join(' ');
  delete parameter.examples;
}

/** Returns the operation id: `GET /v1/audit/decisions/:id` → `getAuditDecisionsById`. */
function operationId({ method, url }: Pick<RouteOptions, 'method' | 'url'>): string {
  const words = url
    .replace(/^\/v\d+(?=\/)/, '')
    .replaceAll(/:(\w+)/g, (_, name: string) => `by-${name}`)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return [
    String(method).toLowerCase(),
    ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
  ].join('');
}

const NOT_CHANGED = {
  304: {
    type: 'null',
    description: 'Nothing has changed since the answer with the ETag in if-none-match. There is no body.',
  },
};

/** Returns the declared answers by status. If none is declared, returns only that there is an answer. */
function successes({ response = {}, produces = [] }: Described): Record<string, object> {
  const content = Object.fromEntries(produces.map((type) => [type, { schema: text }]));
  const undeclared = { 200: { description: 'OK', ...(produces.length > 0 && { content }) } };
  const declared = Object.entries(response).map(([status, answer]) => [
    status,
    'content' in answer || ('type' in answer && answer.type === 'null')
      ? answer
      : { description: STATUS_CODES[status] ?? 'OK', content: { 'application/json': { schema: answer } } },
  ]);
  return declared.length > 0 ? Object.fromEntries(declared) : undeclared;
}
