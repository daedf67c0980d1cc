/**
 * The paths that the proxy serves. Nothing else reaches the server, because another path could be another way to call
 * its tools, such as the older transport with two paths.
 */

/** `mcp`: messages, which are governed. `login`: metadata and requests of OAuth, which pass unchanged. */
export type ProxyRoute = 'mcp' | 'login';

/** The paths at which clients expect the endpoints of OAuth if the server has no metadata. */
const LOGIN = new Set(['/authorize', '/token', '/register', '/revoke']);
/** A path without empty or relative segments, and without escapes that could hide one. */
const METADATA = /^\/\.well-known(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/**
 * @param target the path of the request, with its query
 * @param served the path of the server
 */
export function routeOf(target: string, served: string): ProxyRoute | null {
  const [path = ''] = target.split('?', 1);
  if (path === served) return 'mcp';
  return LOGIN.has(path) || METADATA.test(path) ? 'login' : null;
}
