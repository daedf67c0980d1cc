/** Counts what was ended early, to make room for others or because it was too slow. */
import type { Metrics } from '../metrics.ts';

type Cut =
  /** A connection that gave way to another. */
  | 'connection'
  /** A request that gave way to others, with its connection. */
  | 'request'
  /** A body that gave way to others, or found no room. */
  | 'body'
  | 'slow body'
  /** An answer that was not read, and gave way to others. */
  | 'answer'
  | 'slow reader';

export type CountCut = (what: Cut) => void;

export function countCuts(metrics: Metrics): CountCut {
  const cuts = metrics.counter({
    name: 'mandate_http_cuts_total',
    help: 'Connections, requests, bodies and answers that were ended because others needed the room, or because they were too slow, by kind',
    labels: ['what'],
  });
  return (what) => cuts.inc({ what });
}
