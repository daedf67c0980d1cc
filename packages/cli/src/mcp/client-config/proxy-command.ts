/** Chooses the command with which a client starts the proxy. It must still work when this command has ended. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import type { CommandContext } from '../../command-context.ts';
import { WrongUse } from '../../exit-codes.ts';

const NPX = ['npx', '-y', 'mandate'] as const;
/** The path of the program in a clone, relative to the folder of this module. */
const BIN = '../../../bin/mandate.mjs';

/**
 * Returns the command that starts this program later.
 *
 * A clone is started by its path. An installed program is started by its name, if the shell finds it under this name.
 * Otherwise npx finds the program: the cache of npx and the packages of a project may be deleted.
 *
 * @param folder the folder of this module, which shows how the program was installed
 */
export function defaultProxyCommand(
  env: CommandContext['env'],
  folder: string = import.meta.dirname,
): readonly string[] {
  const bin = join(folder, BIN);
  if (!folder.includes(`${sep}node_modules${sep}`) && existsSync(bin)) return ['node', bin];
  return isOnPath(folder, env.PATH ?? '') ? ['mandate'] : NPX;
}

/** True if `mandate` on the search path is the program that runs now. */
function isOnPath(folder: string, path: string): boolean {
  const found = path
    .split(delimiter)
    .filter((one) => one !== '' && !one.includes(`${sep}node_modules${sep}`))
    .map((one) => join(one, 'mandate'))
    .find((file) => existsSync(file));
  const root = `${sep}node_modules${sep}mandate${sep}`;
  const at = folder.lastIndexOf(root);
  return (
    found !== undefined && at !== -1 && realpathSync(found).startsWith(folder.slice(0, at + root.length))
  );
}

const WORD = /"[^"]*"|'[^']*'|[^\s"']+/g;

/** Splits a command into words. A word with blanks is in quotation marks. */
export function wordsOfCommand(command: string): readonly string[] {
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'));
  // A quotation mark without a partner is not part of a word.
  if (words.length > 0 && command.replace(WORD, '').trim() === '') return words;
  throw new WrongUse(
    `"${command}" is no command`,
    'Give the program and its arguments, such as --command "npx -y mandate".',
  );
}
