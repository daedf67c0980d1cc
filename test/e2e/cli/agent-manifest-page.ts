/** The files and commands of docs/agent-manifests.md, and a reader who follows them in an empty folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder, waitUntil } from '@mandate/testing';

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

export type Ran = { status: unknown; stdout: string; stderr: string };

export function readerOf(...names: readonly string[]) {
  const folder = temporaryFolder();
  for (const name of names) writeFileSync(join(folder, name), fileOf(name));

  // The model server is in this process, so no command may block it.
  async function mandate(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const npx = `npx() { shift; exec "$NODE" "${join(ROOT, 'packages/cli/src/main.ts')}" "$@"; }`;
    const child = spawn('bash', ['--norc', '-c', `${npx}; ${line}`], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
      env: { PATH: process.env.PATH, NODE: process.execPath, ...env },
    });
    const exited = once(child, 'close');
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    return { status, stdout, stderr };
  }

  /** Approves what the run waits for, and follows the run to its end. */
  async function approve(run: Ran, env: Readonly<Record<string, string>>): Promise<Ran & { id: string }> {
    const [, approval = ''] = /approvals approve (apv_\S+)/.exec(run.stdout) ?? [];
    const [id = ''] = /run_\S+/.exec(run.stdout) ?? [];
    const approved = await mandate(command('npx mandate approvals approve').replace('apv_…', approval), env);
    if (approved.status !== 0) throw new Error(approved.stderr);
    return { id, ...(await mandate(command('npx mandate runs resume').replace('run_…', id), env)) };
  }

  /** Waits until the audit, which is a little behind, has the question. */
  const question = (tool: string, env: Readonly<Record<string, string>>): Promise<true> =>
    waitUntil(`a question about ${tool}`, async () => {
      const { stdout } = await mandate(command('npx mandate approvals list'), env);
      return stdout.includes(tool) || null;
    });

  return { folder, mandate, approve, question };
}
