/**
 * The headers that the proxy adds to each request to an MCP server over HTTP. Everybody on a machine can read the
 * arguments of a process, so a secret comes from an environment variable. No message contains the value of a variable.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isOwnHeader } from '@mandate/mcp';
import type { CommandContext } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';

type Env = CommandContext['env'];

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Returns the headers as names and values alternately.
 *
 * @param texts each as `Name: value`. `${VAR}` and `${VAR:-default}` in a value are replaced
 * @param fromEnv each as `Name=VAR`: the value of the header is the value of the variable
 */
export function upstreamHeaders(texts: readonly string[], fromEnv: readonly string[], env: Env): string[] {
  const headers = [
    ...texts.map((text) => ({ ...split(text, ':'), read: (value: string) => expanded(value, env) })),
    ...fromEnv.map((text) => ({ ...split(text, '='), read: (name: string) => variable(name, env) })),
  ];
  const seen = new Set<string>();
  return headers.flatMap(({ name, rest, read }) => {
    const lower = name.toLowerCase();
    if (isOwnHeader(name)) throw new WrongUse(`the proxy itself writes the header ${name}`, 'Leave it out.');
    if (seen.has(lower)) throw new WrongUse(`the header ${name} is given twice`, 'Leave one of them out.');
    seen.add(lower);
    return [name, usable(name, read(rest).trim())];
  });
}

function split(text: string, mark: ':' | '='): { name: string; rest: string } {
  const at = text.indexOf(mark);
  const name = text.slice(0, Math.max(at, 0)).trim();
  try {
    validateHeaderName(name);
    return { name, rest: text.slice(at + 1).trim() };
  } catch {
    // The message does not contain the text, because a person may have written a secret instead of a header.
    throw mark === ':'
      ? new WrongUse('a value of --header is no header', "Write --header 'Name: value'.")
      : new WrongUse('a value of --header-env names no header', 'Write --header-env Name=VARIABLE.');
  }
}

/** Replaces `${VAR}` and `${VAR:-default}`. As in a shell, the default also counts if the variable is empty. */
function expanded(text: string, env: Env): string {
  if (text.replaceAll(VARIABLE, '').includes('${'))
    throw new WrongUse('a value of --header has `${` without the name of a variable', `Write \${NAME}.`);
  return text.replaceAll(VARIABLE, (_all, name: string, instead: string | undefined) =>
    instead === undefined ? variable(name, env) : env[name] || instead,
  );
}

function variable(name: string, env: Env): string {
  const value = NAME.test(name) ? env[name] : undefined;
  if (value !== undefined) return value;
  throw NAME.test(name)
    ? new WrongUse(`the environment variable ${name} is not set`, 'Set it where the proxy is started.')
    : new WrongUse('a value of --header-env names no variable', 'Write --header-env Name=VARIABLE.');
}

function usable(name: string, value: string): string {
  try {
    validateHeaderValue(name, value);
    return value;
  } catch {
    throw new WrongUse(
      `the value of the header ${name} has a character that no header may have`,
      'Look for line breaks and letters with accents in it.',
    );
  }
}
