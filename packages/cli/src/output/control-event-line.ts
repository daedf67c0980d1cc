import { durationInWords, formatMicros } from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import { cut } from './fit-columns.ts';
import { lineTime } from './line-time.ts';
import { printable } from './printable.ts';
import { roomOn } from './show-fitted.ts';
import { paint } from './table.ts';

/** What a line shows of a control event, as the plane gives it. */
export type ShownControlEvent = {
  event: string;
  happenedAt: string;
  scope: string | null;
  agentId: string | null;
  by: string | null;
  reason: string;
  budgetScope: string | null;
  budgetSubject: string | null;
  budgetId: string | null;
  budgetWindowMs: number | null;
  deltaMicros: number | null;
  actionId: string | null;
  answer: string | null;
  ledgerEpoch: string | null;
};

type Told = { word: string; style: Parameters<typeof paint>[0]; what: string };

/** One control event on one line, as `tail` shows it: who did what, and why. A terminal gets as much as a line of it takes. */
export function controlEventLine(event: ShownControlEvent, stream: Output, nowMs: number): string {
  const { word, style, what } = toldOf(event);
  const time = lineTime(event.happenedAt, nowMs);
  const by = event.by === null ? '' : ` by ${event.by}`;
  const why = event.reason === '' ? '' : `: ${event.reason}`;
  const room = Math.max(1, roomOn(stream) - `${time}  ${word} `.length);
  return `${paint('dim', time, stream)}  ${paint(style, word, stream)} ${cut(printable(`${what}${by}${why}`), room)}`;
}

function toldOf(event: ShownControlEvent): Told {
  switch (event.event) {
    case 'agent.killed':
      return { word: 'KILLED', style: 'red', what: targetOf(event) };
    case 'agent.revived':
      return { word: 'REVIVED', style: 'green', what: targetOf(event) };
    case 'approval.recorded': {
      const what = `${event.actionId} of ${event.agentId}`;
      if (event.answer === 'granted') return { word: 'GRANTED', style: 'green', what };
      return { word: 'DENIED', style: 'yellow', what };
    }
    case 'budget.adjusted':
      return { word: 'ADJUSTED', style: 'cyan', what: budgetOf(event) };
    case 'ledger.epoch':
      return { word: 'LEDGER', style: 'yellow', what: `begins ${event.ledgerEpoch}` };
    default:
      // Of a plane that is newer than this command.
      return { word: event.event.toUpperCase(), style: 'cyan', what: event.agentId ?? '' };
  }
}

function targetOf({ scope, agentId }: ShownControlEvent): string {
  if (scope === 'all') return 'everything';
  return scope === 'tenant' ? 'every agent of the tenant' : (agentId ?? '');
}

function budgetOf(event: ShownControlEvent): string {
  const { budgetScope, budgetSubject, budgetId, budgetWindowMs, deltaMicros } = event;
  const windowed = budgetWindowMs === null ? '' : ` per ${durationInWords(budgetWindowMs)}`;
  const owner = budgetScope === 'tenant' ? 'the tenant' : `${budgetScope} ${budgetSubject}`;
  return `${budgetId}${windowed} of ${owner}, ${formatMicros(deltaMicros ?? 0)}`;
}
