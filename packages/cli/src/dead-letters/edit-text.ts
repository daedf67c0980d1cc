/** A text in the person's own editor, as they leave it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTextFile, unreadableFile } from '@mandate/runtime';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';

export type Edited = {
  text: string;
  /** Where it is kept until `discard`. */
  path: string;
  discard(): void;
};

export async function editText(text: string, name: string, { env }: CommandContext): Promise<Edited> {
  const editor = env.VISUAL || env.EDITOR;
  if (editor === undefined || editor === '') {
    throw new CommandFailure(
      2,
      'there is no editor to open: EDITOR is not set',
      'Set it, or give the correction with --set /pointer=value or --file.',
    );
  }
  // Readable to the person alone: it holds everything that the producer sent.
  const folder = mkdtempSync(join(tmpdir(), 'mandate-'));
  const discard = () => rmSync(folder, { recursive: true, force: true });
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  try {
    // Through a shell, for an editor is often named with options.
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new CommandFailure(1, `the editor ended with ${code}; nothing was published`);
  } catch (error) {
    discard();
    throw error;
  }
  try {
    return { text: readTextFile(path), path, discard };
  } catch (error) {
    throw unreadableFile(path, error);
  }
}
