/**
 * `npm run bench`: measures how fast Mandate is on this machine. Each figure is compared with a bare rival in the
 * same run. docs/benchmarks.md says how each figure is measured.
 *
 * Prints a table on stdout, or one JSON document with --json. Progress is printed on stderr. The exit code is 0 if
 * all benches ran for which this machine has the servers, 1 if a bench failed, and 2 if the arguments are wrong.
 */
import { parseArgs } from 'node:util';
import { BENCHES, type Bench } from './benches.ts';
import { documentOf } from './report/document.ts';
import { tableOf } from './report/table.ts';
import type { Row } from './row.ts';
import { runApart } from './run-apart.ts';

const NAMES = BENCHES.map(({ name }) => name);
const ON_SERVERS = BENCHES.filter(({ servers }) => servers !== undefined).map(({ name }) => name);

const USAGE = `Usage: npm run bench -- [--only NAME]... [--decisions N] [--json]

  --only NAME   only this bench; may be given more than once
  --embedded    only the benches that need no server outside of npm's packages
  --decisions N the decisions in the larger year of audit-year; default 10000000
  --json        one JSON document instead of a table
  --help        this text

Benches: ${NAMES.join(', ')}
These start servers, if this machine has them: ${ON_SERVERS.join(', ')}
How each is measured: docs/benchmarks.md
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const asked = readArguments();
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n\n${USAGE}`);
    return 2;
  }
  if (asked.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const startedAt = new Date();
  const results: { bench: string; rows: readonly Row[] }[] = [];
  const lacking: string[] = [];
  const failed: string[] = [];
  for (const [index, { name }] of asked.benches.entries()) {
    process.stderr.write(`${index + 1}/${asked.benches.length} ${name} … `);
    const startMs = performance.now();
    try {
      const outcome = await runApart(name, { decisions: asked.decisions });
      if ('lacks' in outcome) {
        lacking.push(name);
        process.stderr.write(`NOT RUN: ${outcome.lacks}\n`);
        continue;
      }
      results.push({ bench: name, rows: outcome.rows });
      process.stderr.write(`${((performance.now() - startMs) / 1_000).toFixed(1)} s\n`);
    } catch (error) {
      failed.push(name);
      process.stderr.write(`failed: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  const document = documentOf({ startedAt, results, lacking, failed });
  process.stdout.write(asked.json ? `${JSON.stringify(document, null, 2)}\n` : tableOf(document));
  return failed.length === 0 ? 0 : 1;
}

type Asked = { help: boolean; json: boolean; decisions: number; benches: readonly Bench[] };

/** Returns the parsed arguments, or a text that says what is wrong with them. */
function readArguments(): Asked | string {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        embedded: { type: 'boolean', default: false },
        decisions: { type: 'string', default: '10000000' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const only = values.only ?? NAMES;
    const unknown = only.find((name) => !NAMES.includes(name));
    if (unknown !== undefined) return `there is no bench ${unknown}`;
    const decisions = Number(values.decisions);
    if (!(Number.isSafeInteger(decisions) && decisions > 0))
      return `${values.decisions} is no number of decisions`;
    return {
      decisions,
      help: values.help,
      json: values.json,
      benches: BENCHES.filter(
        ({ name, servers }) => only.includes(name) && !(values.embedded && servers !== undefined),
      ),
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
