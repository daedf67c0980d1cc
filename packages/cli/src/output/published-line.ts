import { formatMicros } from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import type { Published } from '../publish/publish-batch.ts';
import { decisionLine } from './decision-line.ts';
import { printable } from './printable.ts';

/** Returns the result of a published record on one line. `waitMs`: how long the command waited for an answer. */
export function publishedLine(published: Published, waitMs: number, stdout: Output): string {
  const actionId = printable(published.actionId);
  if ('settlement' in published) {
    const { settlement } = published;
    if (settlement === null) return `${actionId}: outcome published`;
    return `${actionId}: ${settlement.code}, charged ${formatMicros(settlement.chargedMicros)}`;
  }
  if (published.withheld) return `${actionId}: allowed, but killed since: it must not run`;
  if (published.decision !== null) return decisionLine(published.decision, stdout, Date.now());
  return `${actionId}: published${waitMs === 0 ? '' : ', not yet decided'}`;
}
