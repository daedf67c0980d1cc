/** Plays the whole demo, as `mandate demo` does: in a process of its own. */
import { execFileSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { IS_SHORT, spawnMandate, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

/** What the provider bills for the answers of the research: tokens by the prices of gpt-4o and gpt-4-turbo. */
const BILLED_MICROS = (420 + 488 + 552 + 690) * 2.5 + (24 + 20 + 62 + 18) * 10 + 130 * 10 + 9 * 30;

const WAITS_FOR_PERSON = 'so the run waits';

test('plays every scene and ends without drift, and the run survives the death of its runner', async () => {
  const demo = startDemo();
  expect(await demo.exited).toBe(0);
  expect(demo.lines.at(-1)).toBe('drift 0 micro-dollars');
  const scene = linesOfScene(demo.lines, 'A manifest with a workflow runs').join('\n');
  expect(scene).toContain(WAITS_FOR_PERSON);
  expect(scene).toContain('The operator approves this call.');
  expect(scene).toMatch(/A SIGKILL ended the runner after event \d+, call\.begun/);
  expect(scene).toMatch(/Another runner went on .* run\.completed: \{"summary":"Tea is more than/);
  expect(scene).toContain('The audit has 1 allowed call of this tool, and the board has 1 post.');
  const [ledger = 0, audit, leftOpen = 0] = [...scene.matchAll(/\$(\d+\.\d{6})/g)].map(([, dollars]) =>
    Math.round(Number(dollars) * 1e6),
  );
  expect(audit).toBe(ledger);
  expect(leftOpen).toBeGreaterThan(0);
  expect(ledger).toBe(BILLED_MICROS + leftOpen);
  const proxied = linesOfScene(demo.lines, 'An agent starts its MCP server through the proxy').join('\n');
  expect(proxied).toMatch(/The server has 1\d tools\./);
  expect(proxied).toContain('The client sees 3 tools: read_text_file, write_file, list_directory.');
  expect(proxied).toContain('TOOL_NOT_ALLOWED');
  expect(proxied).toContain('APPROVAL_REQUIRED: The server of the tool says that the tool is destructive');
  expect(proxied).toContain('The agent makes it again, and it runs.');
  const twice = linesOfScene(demo.lines, 'An agent sends the same action twice').slice(1);
  expect(twice.map(withoutTime)).toEqual([
    'ALLOW  parrot            everything.echo                   $0.001',
    'BLOCK  parrot            everything.echo                   DUPLICATE_ACTION',
  ]);
  const loop = linesOfScene(demo.lines, 'An agent runs in a loop').join('\n');
  expect(loop).toContain('After the kill the agent sent 40 calls. 0 of them reached the server.');
  // A call that the kill stopped may have reached its server.
  const stopped = Number(/(\d+) allowed on the log and stopped/.exec(loop)?.[1] ?? 0);
  const allowed = allowedToolCalls(demo.lines);
  const real = Number(/The agents made (\d+) real tool calls/.exec(demo.lines.join('\n'))?.[1]);
  expect(real).toBeGreaterThanOrEqual(allowed - stopped);
  expect(real).toBeLessThanOrEqual(allowed);
  await mustHaveEnded(demo.processes);
});

test.skipIf(IS_SHORT)(
  'ends every process at Ctrl-C, also the proxies, the runner and its tool server',
  async () => {
    const demo = startDemo((line) => {
      if (line.includes(WAITS_FOR_PERSON)) demo.process.kill('SIGINT');
    });
    expect(await demo.exited).toBe(130);
    await mustHaveEnded(demo.processes);
  },
);

/** `processes` has the processes below the demo that were seen at its lines about the runners. */
function startDemo(onLine: (line: string) => void = () => {}) {
  const demo = spawnMandate(['demo']);
  onTestFinished(async () => void (await demo.kill('SIGKILL')));
  const lines: string[] = [];
  const processes = new Set<number>();
  if (demo.process.stdout === null) throw new Error('the output of the demo is no pipe');
  createInterface(demo.process.stdout).on('line', (line) => {
    lines.push(line);
    if (line.includes(WAITS_FOR_PERSON) || line.includes('Another runner'))
      for (const pid of descendantsOf(demo.process.pid)) processes.add(pid);
    onLine(line);
  });
  return { ...demo, lines, processes };
}

function linesOfScene(lines: readonly string[], title: string): readonly string[] {
  const from = lines.findIndex((line) => line.startsWith(title));
  return from < 0 ? [] : lines.slice(from, lines.indexOf('', from));
}

function withoutTime(line: string): string {
  return line.replace(/^\S+ +/, '');
}

/** Returns the number of allowed calls in the table of the audit, without those of the runners. */
function allowedToolCalls(lines: readonly string[]): number {
  const table = linesOfScene(lines, 'Calls by tool').slice(2);
  const ofAgents = table.filter((line) => /^(files|everything|own)\./.test(line));
  return ofAgents.reduce((sum, line) => sum + Number(line.trim().split(/ {2,}/)[2]), 0);
}

/** A process that has ended stays in the table until its parent asks for its exit code. */
const ENDED = 'Z';

function processTable(): readonly { pid: number; parent: number; state: string }[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return rows.map((row) => {
    const [pid, parent, state = ''] = row.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), state };
  });
}

function descendantsOf(root: number | undefined): ReadonlySet<number> {
  const table = processTable();
  const found = new Set<number>();
  let level = table.filter(({ parent }) => parent === root);
  while (level.length > 0) {
    for (const { pid } of level) found.add(pid);
    const last = new Set(level.map(({ pid }) => pid));
    level = table.filter(({ pid, parent }) => last.has(parent) && !found.has(pid));
  }
  return found;
}

async function mustHaveEnded(processes: ReadonlySet<number>): Promise<void> {
  // Two tool servers of the demo, a proxy in front of each, and a runner.
  expect(processes.size).toBeGreaterThanOrEqual(5);
  await waitUntil('the end of every process', () => [...processes].every(hasEnded));
}

function hasEnded(pid: number): boolean {
  const found = processTable().find((row) => row.pid === pid);
  return found === undefined || found.state.startsWith(ENDED);
}
