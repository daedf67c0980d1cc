/** Every other path of a provider. It is refused, because the call may cost money and cannot be decided. */
import { HttpProblem, type HttpServer } from '@mandate/server';
import type { ProtocolName } from '../models/models-shape.ts';
import { NOT_DESCRIBED } from './not-described.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function refuseOthers(server: HttpServer, protocol: ProtocolName): void {
  server.route({
    method: [...METHODS],
    url: `/${protocol}/*`,
    exposeHeadRoute: false,
    config: { scope: 'publish' },
    schema: NOT_DESCRIBED,
    // The body of a call that is refused anyway is never read.
    onRequest: async (request) => {
      const path = request.url.split('?', 1)[0] ?? '/';
      throw new HttpProblem(404, 'UNGOVERNED_CALL', `this gateway cannot decide ${request.method} ${path}`, {
        remedy:
          'Use chat completions, responses, embeddings or messages. docs/model-gateway.md lists the calls.',
      });
    },
    handler: async (_request, reply) => reply,
  });
}
