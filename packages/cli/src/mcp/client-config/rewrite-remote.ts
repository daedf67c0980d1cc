/**
 * Makes an entry with a URL an entry with a command, and takes this back. The URL and the values of headers keep their
 * text, but become environment variables: everybody on a machine can read the arguments of a process. The keys of the
 * headers become names of variables, and their own names move into the arguments. So an import and its undo give the
 * same bytes, and a value that was edited in between stays.
 *
 * Arguments name variables without `${}`, because clients replace `${}` by variables of their own.
 */
import { replaceSpans, type TextSpan } from '@mandate/schemas/json-spans';
import type { ClientConfig, StdioEntry } from './client-config.ts';
import type { Group, Member } from './config-fields.ts';
import { optionsOfProxy, remoteProxy } from './proxied-command.ts';
import type { RemoteEntry } from './remote-entry.ts';
import { type Edit, quoted, wordsOf } from './rewrite-entry.ts';

const URL_VARIABLE = 'MCP_URL';
const HIDDEN = '"…"';

type Syntax = ClientConfig['syntax'];

/** @param proxy the command of the proxy with its options */
export function putRemoteBehindProxy(
  text: string,
  syntax: Syntax,
  entry: RemoteEntry,
  proxy: readonly string[],
): Edit[] {
  const { url, type, headers, fromEnv, separator } = entry;
  const { key, assign } = writerOf(syntax);
  const address = textAt(text, url.value);
  const path = text.slice(url.start, url.key.start);
  const next = (name: string, value: string) => `${separator}${path}${key(name)}${assign}${value}`;
  const variables = variablesOf(headers?.members ?? []);
  const [program = '', ...options] = proxy.map(quoted);
  const list = [
    ...options,
    ...[quoted('--upstream-env'), quoted(URL_VARIABLE)],
    ...(type === null ? [] : [quoted('--transport'), textAt(text, type)]),
    // The name keeps its text, which may contain escapes.
    ...variables.flatMap(({ member, variable }) => [
      quoted('--header-env'),
      `"${innerText(text, member.key)}=${variable}"`,
    ]),
    ...(fromEnv.bearer === null
      ? []
      : [quoted('--header'), quoted(`Authorization: Bearer \${${fromEnv.bearer}}`)]),
    ...fromEnv.headers.flatMap(({ name, variable }) => [
      quoted('--header-env'),
      quoted(`${name}=${variable}`),
    ]),
  ];
  const passed = [...new Set([fromEnv.bearer, ...fromEnv.headers.map(({ variable }) => variable)])];
  const envVars = passed.flatMap((variable) => (variable === null ? [] : [quoted(variable)]));
  const newFields = (shown: string) =>
    [
      `[${list.join(', ')}]`,
      ...(headers === null ? [next('env', `{ ${key(URL_VARIABLE)}${assign}${shown} }`)] : []),
      ...(envVars.length === 0 ? [] : [next('env_vars', `[${envVars.join(', ')}]`)]),
    ].join('');
  return [
    { ...spanOf(url.key), by: `${key('command')}${assign}${program}${separator}${path}${key('args')}` },
    { ...spanOf(url.value), by: newFields(address), shown: newFields(HIDDEN) },
    ...(type === null ? [] : [{ ...spanOf(type), by: '"stdio"' }]),
    ...(headers === null ? [] : headerEdits(text, syntax, headers, address)),
    ...fromEnv.places.map((start) => ({ start, end: start, by: markOf(entry.name) })),
  ];
}

/** The headers become variables, and the URL becomes the first variable. */
function headerEdits(text: string, syntax: Syntax, headers: Group, address: string): Edit[] {
  const { key, assign } = writerOf(syntax);
  const [first] = headers.members;
  if (first === undefined) return [];
  const renamed = headers.names.map((name) => ({ ...spanOf(name), by: key('env') }));
  const path = partOf(text, { start: first.start, end: first.key.start }, renamed);
  const added = (shown: string) => `${path}${key(URL_VARIABLE)}${assign}${shown}${headers.separator}`;
  return [
    { start: first.start, end: first.start, by: added(address), shown: added(HIDDEN) },
    ...renamed,
    ...variablesOf(headers.members).map(({ member, variable }) => ({
      ...spanOf(member.key),
      by: inQuotesOf(text, member.key, variable),
    })),
  ];
}

/**
 * Returns the edits, or the reason why the entry is not changed. Null: the entry does not start the proxy for a URL.
 */
export function withoutRemoteProxy(text: string, syntax: Syntax, entry: StdioEntry): Edit[] | string | null {
  const words = wordsOf(entry);
  const { command, commandKey, args, env, envVars, type, marks } = entry;
  if (!remoteProxy(words)) return null;
  const [variable] = optionsOfProxy(words, '--upstream-env');
  const address = env?.members.find(({ name }) => name === variable);
  if (args === null || env === null || address === undefined)
    return 'it goes through the proxy, but its URL is not in `env`';
  if (marks.length === 0 && optionsOfProxy(words, '--header').length > 0)
    return 'it goes through the proxy with --header, which no undo can take back';
  if (!isBetween(text, command.end, args.memberStart))
    return 'it goes through the proxy, but its command and its arguments are apart';
  const { key } = writerOf(syntax);
  const names = headerNames(text, args, env);
  const others = env.members.filter((one) => one !== address);
  const isOwn = names.size === 0 && others.length === 0 && env.whole !== null;
  if (names.size > 0 && others.some(({ name }) => !names.has(name)))
    return 'it goes through the proxy, and its `env` has further variables: move them first';
  let end = args.end;
  if (isOwn && isBetween(text, end, env.names[0]?.start ?? 0)) end = env.whole?.end ?? end;
  else if (isOwn) return 'it goes through the proxy, but its `env` is not behind its arguments';
  if (envVars !== null && isBetween(text, end, envVars.start)) end = envVars.end;
  const raw = address.value === null ? '""' : textAt(text, address.value);
  const removed = isOwn ? null : withoutMember(env, address);
  const was = optionsOfProxy(words, '--transport', args.words).at(0);
  return [
    { start: commandKey.start, end: args.key.end, by: key('url') },
    { start: args.start, end, by: raw, shown: HIDDEN },
    ...(type === null || was === undefined ? [] : [{ ...spanOf(type), by: textAt(text, was) }]),
    ...(removed === null ? [] : [removed]),
    ...(names.size === 0
      ? []
      : env.names
          .filter(({ start }) => removed === null || start < removed.start || start >= removed.end)
          .map((name) => ({ ...spanOf(name), by: key(syntax === 'JSON' ? 'headers' : 'http_headers') }))),
    ...others.flatMap((member) => {
      const name = names.get(member.name);
      return name === undefined ? [] : [{ ...spanOf(member.key), by: inQuotesOf(text, member.key, name) }];
    }),
    ...marks.map((mark) => ({ ...spanOf(mark), by: '' })),
  ];
}

/** The mark of a line that the import has turned into a comment. */
export function markOf(name: string): string {
  return `#mandate ${quoted(name)}: `;
}

/** Returns the text of each header's name, by the name of its variable. */
function headerNames(
  text: string,
  { words }: NonNullable<StdioEntry['args']>,
  { members }: Group,
): Map<string, string> {
  const values = words.map(({ value }) => value);
  const known = new Set(members.map(({ name }) => name));
  return new Map(
    optionsOfProxy(values, '--header-env', words).flatMap((word) => {
      const at = word.value.lastIndexOf('=');
      const variable = word.value.slice(at + 1);
      const inner = innerText(text, word);
      return at === -1 || !known.has(variable)
        ? []
        : [[variable, inner.slice(0, inner.length - variable.length - 1)] as const];
    }),
  );
}

/** Removes a member together with the comma beside it. */
function withoutMember({ members }: Group, member: Member): Edit {
  const at = members.indexOf(member);
  const [before, next] = [members[at - 1], members[at + 1]];
  if (next !== undefined) return { start: member.start, end: next.start, by: '' };
  return { start: before?.end ?? member.start, end: member.end, by: '' };
}

/** True if the text between two places only separates two fields. In TOML, a path may be part of this text. */
function isBetween(text: string, from: number, to: number): boolean {
  return from <= to && /^\s*,?\s*(?:[^\s,=#]+\.)?$/.test(text.slice(from, to));
}

function variablesOf(members: readonly Member[]): { member: Member; variable: string }[] {
  const taken = new Set([URL_VARIABLE]);
  return members.map((member) => {
    const plain = `MCP_HEADER_${member.name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    let variable = plain;
    for (let count = 2; taken.has(variable); count += 1) variable = `${plain}_${count}`;
    taken.add(variable);
    return { member, variable };
  });
}

function writerOf(syntax: Syntax): { key(name: string): string; assign: string } {
  return syntax === 'JSON'
    ? { key: (name) => `"${name}"`, assign: ': ' }
    : { key: (name) => name, assign: ' = ' };
}

function textAt(text: string, { start, end }: TextSpan): string {
  return text.slice(start, end);
}

/** Returns a text without its quotation marks. */
function innerText(text: string, span: TextSpan): string {
  const whole = textAt(text, span);
  return /^["']/.test(whole) ? whole.slice(1, -1) : whole;
}

/** Writes a key in the same quotation marks as another key. */
function inQuotesOf(text: string, { start }: TextSpan, key: string): string {
  const mark = text[start] === '"' || text[start] === "'" ? text[start] : '';
  return `${mark}${key}${mark}`;
}

/** Returns a part of the text after applying the edits inside this part. */
function partOf(text: string, part: TextSpan, edits: readonly Edit[]): string {
  const own = edits.filter(({ start, end }) => part.start <= start && end <= part.end);
  const moved = own.map(({ start, end, by }) => ({ start: start - part.start, end: end - part.start, by }));
  return replaceSpans(textAt(text, part), moved);
}

function spanOf({ start, end }: TextSpan): TextSpan {
  return { start, end };
}
