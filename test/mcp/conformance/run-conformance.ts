/** Runs the official conformance suite of MCP against a server, and reads the results from the files that it writes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PACKAGE = dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')));
const SUITE = join(PACKAGE, 'dist/index.js');

/** The revisions that the suite has requirements for. The first is the last one of the older era. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

/** The fewest checks that a run contains. A run with fewer has left scenarios out. Over stdio, one does not apply. */
export const FEWEST_CHECKS: Readonly<Record<Revision, number>> = { '2025-11-25': 84, '2026-07-28': 190 };

export type ConformanceRun = {
  /** 0 if every check passed that the revision requires. */
  exitCode: number;
  /** Each check as `scenario check STATUS`, in the order of the alphabet. */
  checks: readonly string[];
  /** What the suite printed. */
  output: string;
};

type Check = { id: string; status: string };

export async function runConformance(url: string, revision: Revision): Promise<ConformanceRun> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-conformance-'));
  try {
    const child = spawn(
      process.execPath,
      [SUITE, 'server', '--url', url, '--requirements', revision, '-o', folder],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return {
      exitCode,
      output,
      checks: readdirSync(folder)
        .flatMap((name) => read(folder, name))
        .sort(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads one scenario. The suite names its folder `server-SCENARIO-TIME`. */
function read(folder: string, name: string): string[] {
  const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
  const checks: Check[] = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'));
  // INFO is no check: such a line tells what was sent and received.
  return checks
    .filter(({ status }) => status !== 'INFO')
    .map(({ id, status }) => `${scenario} ${id} ${status}`);
}
