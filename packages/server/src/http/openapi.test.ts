import { expect, test } from 'vitest';
import { z } from 'zod';
import { keyOf, testServer } from './http-server.fixture.ts';
import type { HttpRoutes } from './http-server-type.ts';

const limit = z
  .preprocess((text) => Number(text), z.int().min(1))
  .default(100)
  .describe('At most so many.')
  .meta({ examples: [20] });

const routes: HttpRoutes = async (server) => {
  server.get(
    '/v1/things',
    {
      config: { scope: ['audit', 'operate'] },
      schema: {
        summary: 'All things',
        description: 'Newest first.',
        querystring: z.strictObject({ limit, from: z.iso.datetime().optional() }),
        response: { 200: z.object({ amount: z.int() }) },
      },
    },
    () => ({ amount: 1 }),
  );
  server.post(
    '/v1/things/:id/parts/:part',
    {
      config: { scope: 'publish' },
      schema: {
        params: z.object({ id: z.string(), part: z.string() }),
        body: z
          .strictObject({ amounts: z.array(z.int()), more: z.json().optional() })
          .meta({ examples: [{ amounts: [1] }] }),
        response: { 202: z.object({ id: z.string() }) },
      },
    },
    () => ({ id: 'x' }),
  );
  server.post(
    '/v1/raw',
    { config: { scope: 'publish', rawJson: true }, schema: { body: z.object({ documented: z.string() }) } },
    () => ({}),
  );
  server.get(
    '/v1/stream',
    {
      config: { scope: 'publish' },
      schema: { operationId: 'followThings', produces: ['text/event-stream'] },
    },
    () => '',
  );
};

async function described() {
  const answer = await (await testServer(routes)).inject('/openapi.json');
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  return answer.json();
}

test('has a title, a server and the rules for all routes', async () => {
  const document = await described();
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: {
      title: 'Mandate test',
      version: '1.2.3',
      description: expect.stringContaining('**Credentials.**'),
    },
    servers: [{ url: '/' }],
    components: { securitySchemes: { bearer: { scheme: 'bearer' }, apiKey: { name: 'x-api-key' } } },
  });
  expect(document.components.schemas.Problem.required).toContain('remedy');
  expect(document.paths).not.toHaveProperty('/openapi.json');
  expect(document.paths).not.toHaveProperty('/docs');
});

test('names each operation by its method and path, unless the route has its own name', async () => {
  const { paths } = await described();
  expect(paths['/v1/things'].get.operationId).toBe('getThings');
  expect(paths['/v1/things/{id}/parts/{part}'].post.operationId).toBe('postThingsByIdPartsByPart');
  expect(paths['/v1/stream'].get.operationId).toBe('followThings');
});

test('names the scope of a key that a route needs', async () => {
  const { paths } = await described();
  expect(paths['/v1/things'].get).toMatchObject({
    description: 'Newest first.\n\nTakes a key with the scope `audit` or `operate`.',
    security: [{ bearer: ['audit', 'operate'] }, { apiKey: ['audit', 'operate'] }],
  });
  expect(paths['/healthz'].get.security).toEqual([]);
});

test('describes each success and each refusal', async () => {
  const { paths } = await described();
  const { get } = paths['/v1/things'];
  const { post } = paths['/v1/things/{id}/parts/{part}'];
  expect(Object.keys(get.responses)).toEqual(['200', '304', '400', '401', '403', '429', '503', 'default']);
  expect(Object.keys(post.responses)).toEqual([
    '202',
    '400',
    '401',
    '403',
    '413',
    '415',
    '429',
    '503',
    'default',
  ]);
  expect(Object.keys(paths['/healthz'].get.responses)).toEqual(['200', '503', 'default']);
  expect(get.responses['200']).toMatchObject({ description: 'OK', content: { 'application/json': {} } });
  expect(get.responses['304']).not.toHaveProperty('content');
  expect(get.responses['401'].content['application/problem+json'].schema).toEqual({
    $ref: '#/components/schemas/Problem',
  });
  expect(paths['/v1/stream'].get.responses['200'].content).toHaveProperty('text/event-stream');
});

test('shows each refusal as it is sent', async () => {
  const server = await testServer(routes, { limits: { bodyBytes: 2_000 } });
  const { paths } = (await server.inject('/openapi.json')).json();
  const things = { method: 'GET', url: '/v1/things', headers: keyOf('audit') } as const;
  const parts = { method: 'POST', url: '/v1/things/1/parts/2', headers: keyOf('publish') } as const;
  const refused = {
    400: { ...things, url: '/v1/things?colour=red' },
    401: { ...things, headers: {} },
    403: { ...things, headers: keyOf('publish') },
    413: { ...parts, payload: { amounts: Array(2_000).fill(1) } },
    415: { ...parts, headers: { ...parts.headers, 'content-type': 'text/plain' }, payload: 'amounts' },
  };
  for (const [status, request] of Object.entries(refused)) {
    const { statusCode, ...answer } = await server.inject(request);
    expect(statusCode).toBe(Number(status));
    const path =
      request.method === 'GET' ? paths['/v1/things'].get : paths['/v1/things/{id}/parts/{part}'].post;
    const { example } = path.responses[status].content['application/problem+json'];
    const { requestId, instance, ...same } = answer.json();
    expect(example).toMatchObject(same);
    expect(Object.keys(example)).toEqual(Object.keys(answer.json()));
  }
});

test('lists only the groups that have routes, in the order of their use, health last', async () => {
  const tagged: HttpRoutes = async (server) => {
    for (const tag of ['ledger', 'publish', 'elsewhere']) {
      server.get(`/v1/${tag}`, { config: { scope: 'audit' }, schema: { tags: [tag] } }, () => []);
    }
  };
  const { tags } = (await (await testServer(tagged)).inject('/openapi.json')).json();
  expect(tags.map(({ name }: { name: string }) => name)).toEqual(['publish', 'ledger', 'health']);
});

test('keeps the default and the examples of a text parameter, and removes meaningless bounds', async () => {
  const { paths } = await described();
  const { parameters, responses } = paths['/v1/things'].get;
  expect(parameters).toEqual([
    {
      in: 'query',
      name: 'limit',
      required: false,
      description: 'At most so many. For example `20`.',
      schema: { type: 'integer', minimum: 1, default: 100 },
    },
    { in: 'query', name: 'from', required: false, schema: { type: 'string', format: 'date-time' } },
  ]);
  expect(responses['200'].content['application/json'].schema.properties.amount).toEqual({ type: 'integer' });
});

test('shows the form and an example of every body, including raw bodies', async () => {
  const { paths } = await described();
  const { content } = paths['/v1/things/{id}/parts/{part}'].post.requestBody;
  expect(content['application/json'].schema.properties).toMatchObject({
    amounts: { type: 'array', items: { type: 'integer' } },
    more: { description: 'Any JSON value.' },
  });
  expect(content['application/json'].example).toEqual({ amounts: [1] });
  const raw = paths['/v1/raw'].post.requestBody.content['application/json'];
  expect(raw.schema.properties).toHaveProperty('documented');
});

test('describes each route in its own turn of the event loop, so that other requests are answered meanwhile', async () => {
  const server = await testServer(routes);
  const [first, second] = [server.inject('/openapi.json'), server.inject('/openapi.json')];
  let turns = 0;
  let ended = false;
  const count = () => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  const texts = [(await first).body, (await second).body];
  ended = true;
  const { paths } = JSON.parse(texts[0] ?? '');
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/v1/things', '/v1/raw', '/v1/stream']));
  expect(turns).toBeGreaterThan(Object.keys(paths).length);
  expect(texts[1]).toBe(texts[0]);
});
