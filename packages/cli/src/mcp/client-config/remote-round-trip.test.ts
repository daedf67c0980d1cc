/** Laws of import and undo for servers with a URL, for random configurations. */
import { runs } from '@mandate/testing/run-options';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooser } from './arbitrary-config.fixture.ts';
import type { StdioEntry } from './client-config.ts';
import type { Member } from './config-fields.ts';
import { expectUndone, imported } from './imported.fixture.ts';
import { optionsOfProxy } from './proxied-command.ts';
import { readClientConfig } from './read-client-config.ts';
import { wordsOf } from './rewrite-entry.ts';

type Remote = { name: string; url: string; headers: readonly (readonly [string, string])[] };

const headerName = fc.stringMatching(/^[xX]-[a-zA-Z0-9]{1,3}([-_.][a-z]{1,2})?$/);
const remotes: fc.Arbitrary<Remote[]> = fc.uniqueArray(
  fc.record({
    name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    url: fc.webUrl({ withQueryParameters: true }).filter((url) => !new URL(url).pathname.endsWith('/sse')),
    headers: fc.uniqueArray(fc.tuple(headerName, fc.string({ unit: 'grapheme' })), {
      selector: ([name]) => name.toLowerCase(),
      maxLength: 3,
    }),
  }),
  { selector: ({ name }) => name, maxLength: 3 },
);
const layout = fc.array(fc.nat({ max: 1_000 }), { minLength: 3, maxLength: 40 });

const jsonConfig = fc.record({ remotes, layout }).map(({ remotes: list, layout: choices }) => {
  const choose = chooser(choices);
  const blank = () => choose(['', ' ', '\n  ', '\r\n\t', ' /* { */ ', '\n // "url": [\n   ']);
  const joined = (parts: readonly string[]) =>
    `{${blank()}${parts.join(`${blank()},${blank()}`)}${blank()}${parts.length > 0 ? choose(['', '', ',']) : ''}${blank()}}`;
  const member = (key: string, value: string) => `${JSON.stringify(key)}${blank()}:${blank()}${value}`;
  const entries = list.map(({ name, url, headers }) => {
    const parts = [
      member('url', choose([JSON.stringify(url), JSON.stringify(url).replaceAll('/', '\\/')])),
      ...choose([[], [member('type', choose(['"http"', '"streamable-http"', '"\\u0068ttp"']))]]),
      ...(headers.length === 0
        ? choose([[], [member('headers', `{${blank()}}`)]])
        : [member('headers', joined(headers.map(([key, value]) => member(key, JSON.stringify(value)))))]),
      ...choose([[], [member('timeout', '1e3')]]),
    ];
    return member(name, joined(choose([parts, parts.toReversed()])));
  });
  return { text: joined([member('mcpServers', joined(entries))]), remotes: list };
});

const tomlConfig = fc.record({ remotes, layout }).map(({ remotes: list, layout: choices }) => {
  const choose = chooser(choices);
  const end = () => choose(['\n', ' # end\n', '\n\n', '\r\n']);
  const key = (name: string) =>
    choose([JSON.stringify(name), `'${name}'`, name.includes('.') ? `'${name}'` : name]);
  const text = (value: string) =>
    choose([JSON.stringify(value), `"""${JSON.stringify(value).slice(1, -1)}"""`]);
  const lines = list.map(({ name, url, headers }) => {
    const own = `mcp_servers.${JSON.stringify(name)}`;
    const pairs = headers.map(([header, value]) => `${key(header)} = ${text(value)}`);
    const inline =
      headers.length === 0
        ? []
        : [`http_headers = {${choose(['', ' '])}${pairs.join(choose([', ', ',']))} }`];
    const style = choose(['table', 'sub-table', 'dotted', 'inline', 'variables']);
    const body = (parts: readonly string[]) =>
      choose([parts, parts.toReversed()])
        .map((part) => `${choose(['', '  '])}${part}${end()}`)
        .join('');
    const address = `url = ${text(url)}`;
    if (style === 'inline')
      return `[mcp_servers]\n${JSON.stringify(name)} = { ${[address, ...inline].join(', ')} }\n`;
    const head = `[${own}]${end()}`;
    if (style === 'dotted')
      return `${head}${body([address, ...pairs.map((pair) => `http_headers.${pair}`)])}`;
    if (style === 'table') return `${head}${body([address, 'tool_timeout_sec = 1', ...inline])}`;
    const table = pairs.length === 0 ? '' : `[${own}.http_headers]${end()}${body(pairs)}`;
    if (style === 'sub-table') return `${head}${body([address])}${choose(['', '# sub\n'])}${table}`;
    const variables = ['bearer_token_env_var = "TOKEN"', `env_http_headers = { "y-a" = 'A', y-b = "B" }`];
    return `${head}${body([address, ...choose([variables, variables.slice(1), variables.slice(0, 1)])])}${table}`;
  });
  const [inline, others] = [true, false].map((isInline) =>
    lines.filter((line) => line.startsWith('[mcp_servers]\n') === isInline),
  );
  const joined = inline?.map((line) => line.slice('[mcp_servers]\n'.length)).join('') ?? '';
  return {
    text: `${joined === '' ? '' : `[mcp_servers]\n${joined}`}${others?.join('') ?? ''}`,
    remotes: list,
  };
});

async function entriesOf(text: string): Promise<Map<string, StdioEntry>> {
  const { servers } = await readClientConfig(text, 'the file');
  return new Map(servers.flatMap((entry) => (entry.kind === 'stdio' ? [[entry.name, entry]] : [])));
}

function variableOf(members: readonly Member[] | undefined, name: string | undefined): string | undefined {
  return members?.find((one) => one.name === name)?.value?.value;
}

describe.each([
  ['JSON', jsonConfig],
  ['TOML', tomlConfig],
] as const)('in %s', (_format, config) => {
  const given = config.filter(({ remotes: list }) => list.length > 0);

  test('an import and its undo leave the same bytes as before', () => expectUndone(given));

  test('each server is called through the proxy, and its URL and its headers are only in environment variables', async () => {
    await fc.assert(
      fc.asyncProperty(given, async ({ text, remotes: list }) => {
        const entries = await entriesOf(await imported(text));
        expect([...entries.keys()].sort()).toEqual(list.map(({ name }) => name).sort());
        for (const { name, url, headers } of list) {
          const entry = entries.get(name);
          const words = entry === undefined ? [] : wordsOf(entry);
          const members = entry?.env?.members;
          expect(variableOf(members, optionsOfProxy(words, '--upstream-env')[0])).toBe(url);
          const named = optionsOfProxy(words, '--header-env').map((word) => word.split('=', 2));
          for (const [header, value] of headers)
            expect(variableOf(members, named.find(([one]) => one === header)?.[1])).toBe(value);
          expect(words).not.toContain(url);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('a second import changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(given, async ({ text }) => {
        const once = await imported(text);
        expect(await imported(once)).toBe(once);
      }),
      { numRuns: runs(500) },
    );
  });
});
