/** The table of settings in docs/operations.md, from the very schemas that read them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planeConfig } from '@mandate/cli';
import { type ConfigRow, describeConfig } from '@mandate/runtime';
import type { GeneratedFile } from './generated-file.ts';

const PATH = 'docs/operations.md';
const PAGE = join(import.meta.dirname, '../..', PATH);
const BEGIN = '<!-- config:begin -->';
const END = '<!-- config:end -->';

/** The page as it is, with the table between its two marks made anew. */
export const configTable: GeneratedFile = {
  path: PATH,
  make: () => {
    const page = readFileSync(PAGE, 'utf8');
    const [before, rest] = page.split(BEGIN);
    const after = rest?.split(END)[1];
    if (before === undefined || after === undefined)
      throw new Error(`${PATH} has lost its marks ${BEGIN} … ${END}`);
    return `${before}${BEGIN}\n${table(describeConfig(planeConfig))}${END}${after}`;
  },
};

function table(rows: readonly ConfigRow[]): string {
  const lines = rows.map(({ name, type, default: otherwise, secret, description }) => {
    const facts = [type, secret ? 'secret' : '', otherwise === '' ? '' : `default ${otherwise}`];
    return `| \`${name}\` | ${description} | ${facts.filter((fact) => fact !== '').join('; ')} |\n`;
  });
  return `| setting | what it is | value |\n| --- | --- | --- |\n${lines.join('')}`;
}
