import type { Target } from '../models/route-model.ts';

/**
 * Returns the URL of a call at the upstream.
 *
 * @param path the path after the base URL of the provider's own SDK, with the query of the client
 */
export function upstreamUrl({ upstream, model }: Target, path: string): URL {
  const base = upstream.baseUrl.replaceAll('{model}', encodeURIComponent(model));
  const url = new URL(base + path);
  for (const [name, value] of Object.entries(upstream.query)) url.searchParams.set(name, value);
  return url;
}
