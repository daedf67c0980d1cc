/**
 * Decides which requests of Anthropic's SDK need a decision, and reads the content of a request to the Messages API.
 */
import type { ApiPaths } from '../adapters/classify-path.ts';
import { isCount, tokensOfJson } from '../adapters/count-tokens.ts';
import { fieldsOf, fieldsOfJson } from '../adapters/read-answers.ts';

/**
 * The calls of Anthropic's API that are decided, or run without a decision. All other calls are refused. For example,
 * the price of a batch is known only after the batch has ended.
 */
export const ANTHROPIC_PATHS: ApiPaths<'message'> = {
  decided: new Map([['/v1/messages', 'message']]),
  free: [
    '/v1/agents',
    '/v1/agents/**',
    '/v1/compliance/**',
    '/v1/deployments/*',
    '/v1/deployments/*/archive',
    '/v1/deployments/*/pause',
    '/v1/dreams/*/archive',
    '/v1/dreams/*/cancel',
    '/v1/environments',
    '/v1/environments/**',
    '/v1/files',
    '/v1/memory_stores',
    '/v1/memory_stores/**',
    '/v1/messages/batches/*/cancel',
    '/v1/messages/count_tokens',
    '/v1/organizations/**',
    '/v1/sessions/*',
    '/v1/sessions/*/archive',
    '/v1/sessions/*/resources',
    '/v1/sessions/*/resources/*',
    '/v1/sessions/*/threads/*/archive',
    '/v1/skills',
    '/v1/skills/**',
    '/v1/tunnels',
    '/v1/tunnels/**',
    '/v1/user_profiles',
    '/v1/user_profiles/**',
    '/v1/vaults',
    '/v1/vaults/**',
  ],
};

/** Returns the path of a request, beginning at `/v1/`. The base URL of a client may have a path too. */
export function pathOf(url: string): string {
  const path = new URL(url, 'http://localhost').pathname.replace(/\/+$/, '');
  return path.slice(Math.max(0, path.lastIndexOf('/v1/')));
}

/** A request to the Messages API, as the client is about to send it. */
export type MessageRequest = {
  readonly model: string;
  /** The maximum number of tokens of the answer. Absent if the request states no limit. */
  readonly maxTokens?: number;
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>;
};

/**
 * Returns the request. The model of a body that cannot be read is "", which is decided like an unknown model.
 *
 * @param given the body as JSON, or parsed
 */
export function messageRequestOf(given: unknown): MessageRequest {
  const body = typeof given === 'string' ? fieldsOfJson(given) : fieldsOf(given);
  const { model, max_tokens } = body;
  return {
    model: typeof model === 'string' ? model : '',
    ...(isCount(max_tokens) && { maxTokens: max_tokens }),
    body,
  };
}

/** Returns an estimate of the input tokens of a request. */
export function estimatedInputTokens({ body }: MessageRequest): number {
  return tokensOfJson(body, isImage);
}

function isImage(value: unknown): boolean {
  const { type, source } = fieldsOf(value);
  return type === 'image' && typeof source === 'object';
}
