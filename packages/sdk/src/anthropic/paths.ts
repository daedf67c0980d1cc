/** The calls of Anthropic's API that are decided, or pass. For example, the price of a batch is known only when it has ended. */
import type { ApiPaths } from '../adapters/classify-path.ts';

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

/** Returns the path of a request from `/v1/` on. The base URL of a client may have a path too. */
export function pathOf(url: string): string {
  const path = new URL(url, 'http://localhost').pathname.replace(/\/+$/, '');
  return path.slice(Math.max(0, path.lastIndexOf('/v1/')));
}
