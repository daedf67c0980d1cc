/**
 * Puts the proxy before the command of a server, and removes it again. The text of the old command moves unchanged. So
 * an import and its undo leave the same bytes, and edits that were made in between are kept.
 */
import type { TextSpan } from '@mandate/schemas/json-spans';
import type { StdioEntry } from './client-config.ts';
import { indentBefore } from './indent-before.ts';
import { endOfProxy } from './proxied-command.ts';

/** `shown`: the text that a person sees instead of `by`, which contains a secret. */
export type Edit = TextSpan & { by: string; shown?: string };

export function wordsOf({ command, args }: StdioEntry): string[] {
  return [command.value, ...(args?.words ?? []).map(({ value }) => value)];
}

/** @param proxy the command of the proxy with its options, up to `--` */
export function putBehindProxy(text: string, entry: StdioEntry, proxy: readonly string[]): Edit[] {
  const { command, args, newArgs } = entry;
  const [program = '', ...options] = proxy.map(quoted);
  const list = [...options, text.slice(command.start, command.end)].join(', ');
  const edits = [{ start: command.start, end: command.end, by: program }];
  const first = args?.words[0];
  if (args === null) {
    edits.push({ start: command.end, end: command.end, by: `${newArgs}[${list}]` });
  } else if (first === undefined) {
    // The blank marks a list that existed before: `withoutProxy` then leaves the empty list.
    edits.push({ start: args.start + 1, end: args.start + 1, by: `${list} ` });
  } else {
    const between = indentBefore(text, first.start) ?? ' ';
    edits.push({ start: first.start, end: first.start, by: `${list},${between}` });
  }
  return edits;
}

/** Returns null if the entry does not start the proxy. */
export function withoutProxy(text: string, entry: StdioEntry): Edit[] | null {
  const { command, args } = entry;
  const end = endOfProxy(wordsOf(entry));
  const [first] = args?.words ?? [];
  // The command is the first word, so the index in the arguments is one less.
  const own = end === null ? undefined : args?.words[end];
  if (args === null || end === null || first === undefined || own === undefined) return null;
  const next = args.words[end + 1];
  const restored = { start: command.start, end: command.end, by: text.slice(own.start, own.end) };
  if (next !== undefined) return [restored, { start: first.start, end: next.start, by: '' }];
  if (isNewMember(text, entry, own)) return [restored, { start: command.end, end: args.end, by: '' }];
  const [after = ''] = /^\s*,|^ /.exec(text.slice(own.end, args.end)) ?? [];
  return [restored, { start: first.start, end: own.end + after.length, by: '' }];
}

/** True if `putBehindProxy` made the whole list, directly after the command. */
function isNewMember(text: string, { command, args }: StdioEntry, last: TextSpan): boolean {
  if (args === null || last.end !== args.end - 1 || args.memberStart < command.end) return false;
  return /^\s*,?\s*$/.test(text.slice(command.end, args.memberStart));
}

/** Writes a text in a form that is valid in both JSON and TOML. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
