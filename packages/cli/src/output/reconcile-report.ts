/** The result of reconcile for people: what was compared, the laws as a table, and the breaches of the laws. */
import type { LawReport, Report } from '@mandate/reconcile';
import { formatMicros, UNIT_NAMES } from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import { printable, printableLines } from './printable.ts';
import { type Column, paint, table } from './table.ts';

const LAWS: readonly Column<LawReport>[] = [
  { title: 'law', of: ({ law }) => law },
  { title: 'checked', of: ({ checked }) => String(checked), align: 'right' },
  { title: 'left out', of: ({ leftOut }) => String(leftOut), align: 'right' },
  { title: 'broken', of: ({ broken }) => String(broken), align: 'right' },
];

export function reportText(report: Report, stdout: Output): string {
  const { decisions, settlements, counters, differences, doubledActions, requests, laws } = report;
  const columns = LAWS.map((column) => ({
    ...column,
    style: ({ broken }: LawReport, text: string) => (broken > 0 ? paint('red', text, stdout) : text),
  }));
  const lines = [
    `on the log: decisions ${decisions}, settlements ${settlements}; counters compared: ${counters}`,
    `requests: ${requests.open} open, ${requests.dropped} no longer on the log`,
  ];
  const found = [
    ...differences.map(({ budget, log, kept, ledger, audit }) => {
      const { unit } = budget;
      const inUnit =
        unit === undefined ? formatMicros : (amount: number) => `${amount} ${UNIT_NAMES[unit].noun}`;
      const ofKept = kept === log ? '' : ` of ${inUnit(kept)} in months that it keeps`;
      const ofAudit = audit === null ? '' : `, audit ${inUnit(audit)}${ofKept}`;
      const name = printable(
        [budget.scope, budget.subject, budget.id].filter((part) => part !== '').join(' '),
      );
      return `  ${name}: log ${inUnit(log)}, ledger ${inUnit(ledger)}${ofAudit}`;
    }),
    ...doubledActions.map((action) => `  decided twice: ${JSON.stringify(action)}`),
    // The law `charges` is left out, because its breaches are already listed as counters above.
    ...laws.filter(({ law }) => law !== 'charges').flatMap(breachLines),
    driftInWords(report),
  ];
  return (
    printableLines(`${lines.join('\n')}\n`) +
    table(laws, columns, stdout) +
    printableLines(`${found.join('\n')}\n`)
  );
}

function driftInWords({ driftMicros, driftTokens, driftToolCalls }: Report): string {
  const tokens = driftTokens === 0 ? '' : `, ${driftTokens} tokens`;
  const toolCalls = driftToolCalls === 0 ? '' : `, ${driftToolCalls} tool calls`;
  return `drift ${driftMicros} micro-dollars${tokens}${toolCalls}`;
}

function breachLines({ law, broken, breaches }: LawReport): string[] {
  const more = broken > breaches.length ? [`  ${law}: and ${broken - breaches.length} more`] : [];
  const told = breaches.map(({ at, ids, what }) => {
    const named = Object.entries(ids).map(([name, id]) => `${name} ${id}`);
    return `  ${law}: ${printable([at, ...named].filter((part) => part !== null).join(', '))}: ${printable(what)}`;
  });
  return [...told, ...more];
}
