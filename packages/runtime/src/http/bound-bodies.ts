/**
 * Bodies under way, counted by what they announce: each alone is bounded, and thousands of them that never end would
 * still fill the memory. One key takes at most half of the room, so that the others keep theirs.
 */
import type { FastifyRequest } from 'fastify';
import type { HttpLimits } from './http-limits.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

/** Behind `authenticate`: nothing is counted of a request that is refused. */
export function boundBodies(server: HttpServer, limits: HttpLimits): void {
  const byCaller = new Map<string, number>();
  let underWay = 0;
  server.addHook('onRequest', async (request, reply) => {
    const bytes = announced(request, limits);
    if (bytes === 0) return;
    const caller = request.principalKey?.id ?? '';
    const own = byCaller.get(caller) ?? 0;
    if (underWay + bytes > limits.bodiesBytes || own + bytes > limits.bodiesBytes / 2) throw overloaded();
    underWay += bytes;
    byCaller.set(caller, own + bytes);
    reply.raw.once('close', () => {
      underWay -= bytes;
      const left = (byCaller.get(caller) ?? 0) - bytes;
      if (left > 0) byCaller.set(caller, left);
      else byCaller.delete(caller);
    });
  });
}

/** A body that does not say how long it is counts as the longest; one that says more than that is refused elsewhere. */
function announced({ headers, routeOptions }: FastifyRequest, { bodyBytes }: HttpLimits): number {
  const most = routeOptions.bodyLimit ?? bodyBytes;
  if (headers['transfer-encoding'] !== undefined) return most;
  return Math.min(Number(headers['content-length'] ?? 0) || 0, most);
}

function overloaded(): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', 'too many large requests are under way', {
    remedy: 'Try again in a moment.',
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
