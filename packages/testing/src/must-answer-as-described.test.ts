import { silentLogger } from '@mandate/runtime';
import { createHttpServer, createMetrics, HttpProblem } from '@mandate/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { mustAnswerAsDescribed } from './must-answer-as-described.ts';

/**
 * Sends a request to a route and closes the server. The server itself does not check the answers that this route
 * sends as text.
 */
async function ask(path: string): Promise<void> {
  const server = await createHttpServer({
    service: 'test',
    version: '1',
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    keys: null,
    readiness: async () => [],
  });
  await mustAnswerAsDescribed(server);
  await server.register(async (routes) => {
    const config = { public: true, refusals: { 409: 'It is in the way.' } };
    const schema = { response: { 200: z.object({ amount: z.int() }) } };
    const refuse = (status: number) => {
      throw new HttpProblem(status, 'REFUSED', 'no', { remedy: 'none' });
    };
    routes.get('/good', { config, schema }, () => ({ amount: 1 }));
    routes.get('/body', { config, schema }, (_request, reply) =>
      reply.type('application/json').send('{"amount":"1"}'),
    );
    routes.get('/type', { config, schema }, (_request, reply) => reply.type('text/plain').send('1'));
    routes.get('/said', { config, schema }, () => refuse(409));
    routes.get('/unsaid', { config, schema }, () => refuse(404));
    routes.get('/fault', { config, schema }, () => refuse(500));
  });
  await server.inject(path);
  await server.close();
}

test.each(['/good', '/said', '/fault', '/healthz', '/nowhere'])(
  'accepts %s, because the answer is as described',
  async (path) => {
    await ask(path);
  },
);

test.each([
  ['/body', 'GET /body 200: /amount must be integer'],
  ['/type', 'GET /type 200: the content type "text/plain" is not described'],
  ['/unsaid', 'GET /unsaid 404: the status is not described'],
])('fails the test that got an answer of %s, because the answer is not as described', async (path, said) => {
  await expect(ask(path)).rejects.toThrow(said);
});
