import { callerOf, type HttpRequest } from '@mandate/runtime';
import type { Reporter } from '@mandate/schemas';

/** The reporter of the outcomes in this request, by its API key. */
export function reporterOf(request: HttpRequest): Reporter {
  const { id: keyId, scopes } = callerOf(request);
  return { keyId, mayRelease: scopes.includes('release') };
}
