/** The files and commands of docs/agent-manifests.md, and a reader who follows them in a folder. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@mandate/testing';
import { type Ran, runMandate } from './run-mandate.ts';

export const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/agent-manifests.md'), 'utf8');

/** Returns the file that the page shows under this name. */
export function fileOf(name: string): string {
  const [, text] =
    new RegExp(`^\`\`\`yaml\n(# ${name.replace('.', '\\.')}\n.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? [];
  if (text === undefined) throw new Error(`the page shows no ${name}`);
  return text;
}

/** Returns the commands that need no plane, and name this file. */
export function commandsAbout(file: string): string[] {
  return commandsIn('sh').filter((line) => line.includes(file));
}

/** Returns the command on the page that begins like this. */
export function command(start: string): string {
  const found = commandsIn('').find((line) => line.startsWith(start));
  if (found === undefined) throw new Error(`the page has no command ${start}`);
  return found;
}

function commandsIn(language: 'sh' | ''): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(npx mandate .*?)^\`\`\`$`, 'gms'))].flatMap(
    ([, block = '']) => block.trim().split('\n'),
  );
}

/** Returns the arguments of a command on the page, as a shell reads them. */
function argumentsOf(line: string): string[] {
  const npx = `npx() { shift; printf '%s\\0' "$@"; }`;
  const said = execFileSync('bash', ['--norc', '-c', `${npx}; ${line}`], { encoding: 'utf8' });
  return said.split('\0').slice(0, -1);
}

/** Writes the files of the page with these names into the folder. */
export function readerOf(folder: string, ...names: readonly string[]) {
  for (const name of names) writeFileSync(join(folder, name), fileOf(name));

  /** Runs a command of the page in the process of the test, with the folder as its working directory. */
  async function mandate(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const before = process.cwd();
    process.chdir(folder);
    try {
      return await runMandate(argumentsOf(line), { env });
    } finally {
      process.chdir(before);
    }
  }

  /** Approves what the run waits for, and follows the run to its end. */
  async function approve(run: Ran, env: Readonly<Record<string, string>>): Promise<Ran & { id: string }> {
    const [, approval = ''] = /approvals approve (apv_\S+)/.exec(run.stdout) ?? [];
    const [id = ''] = /run_\S+/.exec(run.stdout) ?? [];
    const approved = await mandate(command('npx mandate approvals approve').replace('apv_…', approval), env);
    if (approved.exitCode !== 0) throw new Error(approved.stderr);
    return { id, ...(await mandate(command('npx mandate runs resume').replace('run_…', id), env)) };
  }

  /** Waits until the audit, which is a little behind, has the question. */
  const question = (tool: string, env: Readonly<Record<string, string>>): Promise<true> =>
    waitUntil(`a question about ${tool}`, async () => {
      const { stdout } = await mandate(command('npx mandate approvals list'), env);
      return stdout.includes(tool) || null;
    });

  return { mandate, approve, question };
}
