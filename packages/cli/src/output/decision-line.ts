import { type Decision, formatMicros } from '@mandate/schemas';
import { lineTime } from './line-time.ts';
import { printable } from './printable.ts';
import { paint } from './table.ts';

const STYLES = { ALLOW: 'green', BLOCK: 'red', DEFER: 'yellow' } as const;

/** The fields of a decision that a line shows, from the record itself or from a search. */
export type ShownDecision = Pick<
  Decision,
  'decidedAt' | 'verdict' | 'agentId' | 'tool' | 'model' | 'code' | 'chargedMicros'
> & { readonly type?: string };

/** Returns one decision on one line, as `tail` and the demo show it. */
export function decisionLine(decision: ShownDecision, stream: NodeJS.WritableStream, nowMs: number): string {
  const { verdict, code, chargedMicros } = decision;
  const said = verdict === 'ALLOW' ? formatMicros(chargedMicros) : code;
  return [
    paint('dim', lineTime(decision.decidedAt, nowMs), stream),
    paint(STYLES[verdict], verdict.padEnd(5), stream),
    printable(decision.agentId).padEnd(16),
    printable(decision.tool ?? decision.model ?? decision.type ?? '').padEnd(32),
    said,
  ].join('  ');
}
