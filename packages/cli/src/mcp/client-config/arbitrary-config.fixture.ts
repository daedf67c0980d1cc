/**
 * Makes configurations in the forms that people and programs write: with comments, on one line, with other keys in
 * between.
 */
import fc from 'fast-check';

/** A server with the words of its command. */
type Server = { name: string; words: readonly string[]; hasArgs: boolean };

/** Some words are options that the proxy reads. */
const word = fc.oneof(
  fc.constantFrom('mcp', '--', '--agent', 'mandate', '-y', ''),
  fc.string({ unit: 'grapheme' }),
);
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
const server: fc.Arbitrary<Server> = fc
  .record({
    name,
    program: fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== ''),
    args: fc.option(fc.array(word, { maxLength: 4 })),
  })
  .map(({ name, program, args }) => ({ name, words: [program, ...(args ?? [])], hasArgs: args !== null }));
export const servers = fc.uniqueArray(server, { selector: (one) => one.name, maxLength: 4 });

/** Makes a choice for each place of a text, so that one list of numbers decides the whole layout. */
export function chooser(choices: readonly number[]) {
  let at = 0;
  return <T>(from: readonly T[]): T => {
    const choice = choices[at % choices.length] ?? 0;
    at += 1;
    return from[choice % from.length] as T;
  };
}

const layout = fc.array(fc.nat({ max: 1_000 }), { minLength: 3, maxLength: 40 });

const BLANKS = ['', ' ', '\n  ', '\r\n\t', ' /* { */ ', '\n // "args": [\n   ', '\n'] as const;

export const jsonConfig = fc
  .record({ servers, layout, group: fc.constantFrom('mcpServers', 'servers') })
  .map(({ servers: list, layout: choices, group }) => {
    const choose = chooser(choices);
    const blank = () => choose(BLANKS);
    const text = (value: string) =>
      choose([JSON.stringify(value), JSON.stringify(value).replaceAll('/', '\\u002f')]);
    const joined = (open: string, parts: readonly string[], close: string) => {
      const comma = parts.length > 0 && choose([true, false, false]) ? `,${blank()}` : '';
      return `${open}${blank()}${parts.join(`${blank()},${blank()}`)}${blank()}${comma}${close}`;
    };
    const member = (key: string, value: string) => `${JSON.stringify(key)}${blank()}:${blank()}${value}`;
    const entries = list.map(({ name: key, words: [program = '', ...args], hasArgs }) => {
      const own = [
        member('command', text(program)),
        ...(hasArgs ? [member('args', joined('[', args.map(text), ']'))] : []),
      ];
      const others = [member('type', '"stdio"'), member('env', '{"A":"}"}'), member('x', '1e400')];
      const parts = [...own, ...others.filter(() => choose([true, false]))];
      return member(key, joined('{', choose([parts, [...parts].reverse()]), '}'));
    });
    const whole = [member('before', '[1,[]]'), member(group, joined('{', entries, '}'))];
    return { text: `${blank()}${joined('{', whole, '}')}${blank()}`, servers: list };
  });

export const tomlConfig = fc.record({ servers, layout }).map(({ servers: list, layout: choices }) => {
  const choose = chooser(choices);
  const text = (value: string) =>
    choose([
      JSON.stringify(value),
      /['\n]/.test(value) ? JSON.stringify(value) : `'${value}'`,
      `"""${JSON.stringify(value).slice(1, -1)}"""`,
    ]);
  const blank = () => choose(['', ' ', '\n  ', ' # [\n\t', '\r\n']);
  const end = () => choose(['\n', ' # end\n', '\n\n', '\r\n']);
  const tables: string[] = [];
  const inline: string[] = [];
  for (const {
    name: key,
    words: [program = '', ...args],
    hasArgs,
  } of list) {
    const own = JSON.stringify(key);
    const spaced = `[${args.map((one) => `${blank()}${text(one)}${blank()}`).join(',')}${args.length === 0 ? blank() : ''}]`;
    const parts = [['command', text(program)], ...(hasArgs ? [['args', spaced]] : [])];
    const ordered = choose([parts, [...parts].reverse()]);
    const style = choose(['table', 'dotted', 'inline']);
    if (style === 'table')
      tables.push(
        `${choose(['', '  '])}[mcp_servers.${own}]${end()}${ordered.map(([field, value]) => `${field} = ${value}${end()}`).join('')}`,
      );
    else if (style === 'dotted')
      inline.push(...ordered.map(([field, value]) => `${own}.${field} = ${value}${end()}`));
    else
      inline.push(
        `${own} = { ${ordered.map(([field, value]) => `${field} = ${value}`).join(', ')} }${end()}`,
      );
  }
  return {
    text: `model = "x"${end()}${tables.join('')}[mcp_servers]${end()}${inline.join('')}[other]\nargs = []\n`,
    servers: list,
  };
});
