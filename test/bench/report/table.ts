/** The report as text. The columns of the table align in a terminal, and the table is valid Markdown. */
import type { Row, Spread, Unit } from '../row.ts';
import type { BenchDocument } from './document.ts';

const HEAD = ['what', 'Mandate', 'CPU', 'rival', 'its figure', 'its CPU', 'ratio'];

export function tableOf({ startedAt, tookMs, machine, benches, lacking, failed }: BenchDocument): string {
  const cells = [HEAD, ...benches.flatMap(({ rows }) => rows.map(cellsOf))];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head, ...body] = cells.map(line);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [
    head,
    rule,
    ...body,
    '',
    'Medians, in brackets the quartiles. CPU is microseconds of the whole process by unit of work. A ratio is ours / its,',
    'by pair: above 1 is good for a rate, below 1 for a time.',
    `${startedAt}, ${Math.round(tookMs / 1_000)} s; ${machine.cores} cores of ${machine.processor}, ${machine.platform}, Node ${machine.node}`,
    ...(lacking.length === 0 ? [] : [`not run, for want of a server: ${lacking.join(', ')}`]),
    ...(failed.length === 0 ? [] : [`failed: ${failed.join(', ')}`]),
    '',
  ].join('\n');
}

function cellsOf({ what, unit, measured, cpuMicros, rival }: Row): string[] {
  const figures = [what, spread(measured, unit), cpu(cpuMicros)];
  if (rival === null) return [...figures, '', '', '', ''];
  return [
    ...figures,
    rival.what,
    spread(rival.measured, unit),
    cpu(rival.cpuMicros),
    spread(rival.ratio, null),
  ];
}

function spread({ median, lower, upper }: Spread, unit: Unit | null): string {
  const said = `${figure(median)}${unit === null ? '' : unit === '/s' ? unit : ` ${unit}`}`;
  return lower === upper ? said : `${said} [${figure(lower)}, ${figure(upper)}]`;
}

function cpu(micros: number | null): string {
  return micros === null ? '' : `${figure(micros)} µs`;
}

/** Returns a number with three significant digits. */
function figure(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString('en', { maximumSignificantDigits: 3 });
}
