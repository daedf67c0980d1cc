/** The description of the HTTP interface, made from the routes themselves: OpenAPI 3.1 at /openapi.json. */
import swagger, { type SwaggerTransform } from '@fastify/swagger';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import type { HttpServer } from './http-server-type.ts';

const text = { type: 'string' };

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'A problem document (RFC 9457)',
  required: ['type', 'title', 'status', 'detail', 'code', 'remedy'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: { ...text, description: 'What went wrong' },
    code: { ...text, description: 'Stable, for programs' },
    remedy: { ...text, description: 'What to do about it' },
    requestId: text,
    instance: text,
  },
};

export async function describeRoutes(
  server: HttpServer,
  { service, version }: { service: string; version: string },
): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: `Mandate ${service}`, version },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key, mdt_…' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
    },
    transform: describeRoute,
  });
  server.get('/openapi.json', { config: { public: true }, schema: { hide: true } }, () => server.swagger());
}

/** Adds to what a route declares itself what the server adds to every route: credentials and problems. */
const describeRoute: SwaggerTransform = (document) => {
  const { schema, url } = jsonSchemaTransform(document);
  const config = document.route.config ?? {};
  const scopes = [config.scope ?? []].flat();
  const problem = {
    description: 'A problem',
    content: { 'application/problem+json': { schema: PROBLEM_SCHEMA } },
  };
  return {
    url,
    schema: {
      ...schema,
      security: config.public === true ? [] : [{ bearer: scopes }, { apiKey: scopes }],
      response: { ...(schema?.response ?? { 200: { description: 'Done' } }), default: problem },
    },
  };
};
