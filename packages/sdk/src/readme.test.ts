/** Runs the example of the README as it is written there, and compares what it prints. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '@mandate/testing';
import { expect, test, vi } from 'vitest';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

function block(language: string): string {
  const [, text = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readme) ?? [];
  return text;
}

test('the example of the README prints what the README says', async () => {
  const sdk = pathToFileURL(join(import.meta.dirname, 'index.ts')).href;
  const file = join(temporaryFolder(), 'example.ts');
  writeFileSync(file, block('ts').replace("'@mandate/sdk'", `'${sdk}'`));
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...texts) => void printed.push(texts.join(' ')));
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    log.mockRestore();
  }
  expect(printed).toEqual(block('text').trimEnd().split('\n'));
});
