/** GET /openai/v1/models and /anthropic/v1/models: the models of the document, in the shape of the provider. */
import { HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { ModelGateway } from '../model-gateway.ts';
import type { ProtocolName } from '../models/models-shape.ts';
import { modelsOf } from '../models/route-model.ts';
import { NOT_DESCRIBED } from './not-described.ts';

/** Providers state when a model appeared. The document does not say it. */
const CREATED_AT = '1970-01-01T00:00:00Z';

type Entry = ReturnType<typeof modelsOf>[number];

const MODEL = {
  openai: ({ name, upstream }: Entry) => ({ id: name, object: 'model', created: 0, owned_by: upstream }),
  anthropic: ({ name }: Entry) => ({ type: 'model', id: name, display_name: name, created_at: CREATED_AT }),
} as const;

const LIST = {
  openai: (data: readonly { id: string }[]) => ({ object: 'list', data }),
  anthropic: (data: readonly { id: string }[]) => ({
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }),
} as const;

const params = z.object({ '*': z.string() });

export function listModels(server: HttpServer, { models }: ModelGateway, protocol: ProtocolName): void {
  const model: (entry: Entry) => { id: string } = MODEL[protocol];
  const path = `/${protocol}/v1/models`;
  const config = { scope: 'publish' } as const;
  server.get(
    path,
    {
      config,
      schema: NOT_DESCRIBED,
    },
    async (_request, reply) =>
      reply
        .type('application/json')
        .send(JSON.stringify(LIST[protocol](modelsOf(models(), protocol).map(model)))),
  );
  // The name of a model may contain slashes.
  server.get(`${path}/*`, { config, schema: { ...NOT_DESCRIBED, params } }, async (request, reply) => {
    const wanted = request.params['*'];
    const entry = modelsOf(models(), protocol).find(({ name }) => name === wanted);
    if (entry === undefined) {
      throw new HttpProblem(
        404,
        'MODEL_NOT_SERVED',
        `this gateway lists no model ${JSON.stringify(wanted)} here`,
        {
          remedy: `GET ${path} lists the models.`,
        },
      );
    }
    return reply.type('application/json').send(JSON.stringify(model(entry)));
  });
}
