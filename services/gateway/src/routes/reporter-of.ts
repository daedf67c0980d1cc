import type { Reporter } from '@mandate/schemas';
import { callerOf, type HttpRequest } from '@mandate/server';

/** Returns who reports the outcomes of this request, by its API key. */
export function reporterOf(request: HttpRequest): Reporter {
  const { id: keyId, scopes } = callerOf(request);
  return { keyId, mayRelease: scopes.includes('release') };
}
