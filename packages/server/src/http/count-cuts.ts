/**
 * Counts connections, requests, bodies and answers that were ended early: to free capacity for others, or because
 * they were too slow.
 */
import type { Metrics } from '../metrics.ts';

type Cut =
  /** A connection that was ended to make room for another connection. */
  | 'connection'
  /** A request that was ended, together with its connection, to make room for another request. */
  | 'request'
  /** A body that was ended to make room for other bodies, or because there was no room for it. */
  | 'body'
  | 'slow body'
  /** An unread answer that was ended to make room for another answer. */
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
