import { HttpProblem } from '@mandate/server';
import type { Target } from '../models/route-model.ts';

/** Returns the query of a URL, with its question mark. */
export function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}

export function upstreamAway({ upstream }: Target): HttpProblem {
  return new HttpProblem(502, 'UPSTREAM_UNAVAILABLE', `the upstream ${upstream.name} gave no answer`, {
    remedy: 'Try again. The operator finds the cause in the log of the gateway.',
  });
}
