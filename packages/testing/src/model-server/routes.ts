/** The paths that the model server knows. */
import { countTokens, messages } from './anthropic/messages.ts';
import { chatCompletions } from './openai/chat-completions.ts';
import { completions } from './openai/completions.ts';
import { embeddings } from './openai/embeddings.ts';
import { responses } from './openai/responses.ts';
import type { Protocol } from './protocol.ts';

const models: Protocol = {
  answer: () => ({
    object: 'list',
    data: [{ id: 'model-a', object: 'model', created: 1_700_000_000, owned_by: 'tests' }],
  }),
};

export const ROUTES: ReadonlyMap<string, Protocol> = new Map([
  ['POST /v1/chat/completions', chatCompletions],
  ['POST /v1/completions', completions],
  ['POST /v1/responses', responses],
  ['POST /v1/embeddings', embeddings],
  ['GET /v1/models', models],
  ['POST /v1/messages', messages],
  ['POST /v1/messages/count_tokens', countTokens],
]);

/** Returns the body of an error, as the provider of the path writes it. */
export function errorBody(path: string, status: number, message: string): object {
  if (path.startsWith('/v1/messages')) {
    const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'api_error' : 'invalid_request_error';
    return { type: 'error', error: { type, message }, request_id: 'req_test' };
  }
  const type =
    status === 429 ? 'rate_limit_exceeded' : status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code: null } };
}
