/** Counts things that were ended early, to free room for others or because they were too slow. */
import type { Metrics } from '../metrics.ts';

type Cut =
  /** A connection that was ended for another one. */
  | 'connection'
  /** A request that was ended for others, together with its connection. */
  | 'request'
  /** A body that was ended for others, or that found no room. */
  | 'body'
  | 'slow body'
  /** An unread answer that was ended for others. */
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
