/** Compares every answer of a server with the OpenAPI document that the server itself serves. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Answered, type Document, faultsOfAnswers } from './faults-of-answers.ts';

/**
 * The checks by the routes of a server. Many test servers have the same routes, so a compiled schema is used again.
 */
const known = new Map<string, (answered: Answered) => string[]>();

/**
 * Adds the check to a server. Call this before routes are added. If an answer does not match its description, closing
 * the server throws and the test fails.
 */
export async function mustAnswerAsDescribed(
  server: Pick<FastifyInstance, 'addHook'> & { swagger(): object },
): Promise<void> {
  const faultsIn = await faultsOfAnswers();
  const routes: string[] = [];
  const bodies = new WeakMap<FastifyRequest, unknown>();
  const faults = new Set<string>();
  server.addHook('onRoute', ({ method, url }) => {
    routes.push(`${method} ${url}`);
  });
  server.addHook('onSend', (request, _reply, body, done) => {
    bodies.set(request, body);
    done(null, body);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { schema } = request.routeOptions;
    const isHidden = (schema as { hide?: boolean } | undefined)?.hide === true;
    if (!isHidden) for (const fault of described()(answeredBy(request, reply))) faults.add(fault);
    done();
  });
  server.addHook('onClose', async () => {
    if (faults.size > 0) throw new Error(`answers that are not as described:\n${[...faults].join('\n')}`);
  });

  function described(): (answered: Answered) => string[] {
    const key = routes.join();
    const found = known.get(key) ?? faultsIn(server.swagger() as Document);
    known.set(key, found);
    return found;
  }

  function answeredBy(request: FastifyRequest, reply: FastifyReply): Answered {
    const body = bodies.get(request);
    return {
      method: request.method,
      path: request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}') ?? null,
      status: reply.raw.statusCode,
      contentType: String(reply.getHeader('content-type') ?? ''),
      body: typeof body === 'string' ? body : null,
    };
  }
}
