/** What the routes of the gateway share. */
import type { Logger } from '@mandate/runtime';
import { HttpProblem, type Upstreams } from '@mandate/server';
import type { CallerPlanes } from './callers/caller-planes.ts';
import type { OpenCalls } from './calls/open-calls.ts';
import type { Measures } from './measures.ts';
import type { ModelsDocument } from './models/models-document.ts';

export type ModelGateway = {
  models: () => ModelsDocument;
  /** Null until the plane listens. */
  planes: () => CallerPlanes | null;
  upstreams: Upstreams;
  calls: OpenCalls;
  measures: Measures;
  /** Ends all calls, and reports their outcomes. */
  stop: () => Promise<void>;
  log: Logger;
};

/** @throws HttpProblem 503 NOT_READY */
export function planesOf({ planes }: ModelGateway): CallerPlanes {
  const open = planes();
  if (open !== null) return open;
  throw new HttpProblem(503, 'NOT_READY', 'the plane of this gateway does not listen yet', {
    remedy: 'Try again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
