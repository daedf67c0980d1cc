/** The calls of models over HTTP, in the protocol of each provider. */
import type { HttpRoutes, HttpServer } from '@mandate/server';
import { forwardFree } from '../calls/forward-free.ts';
import { type ClientCall, governCall } from '../calls/govern-call.ts';
import type { ModelGateway } from '../model-gateway.ts';
import type { ProtocolName } from '../models/models-shape.ts';
import { answerAsProvider } from './answer-as-provider.ts';
import { listModels } from './list-models.ts';
import { NOT_DESCRIBED } from './not-described.ts';
import { refuseOthers } from './refuse-others.ts';

/** The calls of each protocol: the path after the base URL of the provider's own SDK. */
const CALLS: Readonly<Record<ProtocolName, readonly string[]>> = {
  openai: ['/chat/completions', '/responses', '/responses/compact', '/completions', '/embeddings'],
  anthropic: ['/v1/messages'],
};

/** The provider does not bill the count of tokens. */
const FREE: Readonly<Record<ProtocolName, readonly string[]>> = {
  openai: [],
  anthropic: ['/v1/messages/count_tokens'],
};

/** Where the base URL of each provider's own SDK points. */
const BASE_PATHS: Readonly<Record<ProtocolName, string>> = {
  openai: '/openai/v1',
  anthropic: '/anthropic',
};

/** Prompts contain images and documents. */
const MOST_BODY_BYTES = 32 * 1024 * 1024;

export function modelRoutes(gateway: ModelGateway): HttpRoutes {
  return async (server) => {
    server.addHook('preClose', () => gateway.stop());
    for (const protocol of ['openai', 'anthropic'] as const) {
      await server.register(async (own) => {
        answerAsProvider(own, protocol);
        for (const path of CALLS[protocol]) callRoute(own, { gateway, protocol, path }, governCall);
        for (const path of FREE[protocol]) callRoute(own, { gateway, protocol, path }, forwardFree);
        listModels(own, gateway, protocol);
        refuseOthers(own, protocol);
      });
    }
  };
}

function callRoute(
  server: HttpServer,
  call: Pick<ClientCall, 'gateway' | 'protocol' | 'path'>,
  answer: (call: ClientCall) => Promise<void>,
): void {
  const { protocol, path } = call;
  server.post(
    BASE_PATHS[protocol] + path,
    {
      bodyLimit: MOST_BODY_BYTES,
      config: { scope: 'publish', rawJson: true },
      schema: NOT_DESCRIBED,
    },
    async (request, reply) => {
      await answer({ ...call, request, reply });
      return reply;
    },
  );
}
