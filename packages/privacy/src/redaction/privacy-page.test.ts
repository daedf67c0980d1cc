/** Tests that the document and the action of docs/privacy.md give the result that the page shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileActionRedaction } from '@mandate/policy';
import { PRIVACY_PATTERNS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { loadPrivacy } from '../load-privacy.ts';
import { personKeysAt } from '../person-keys/person-keys.ts';
import { currentRedactor } from './current-redactor.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/privacy.md'), 'utf8');
const [, section = ''] = page.split(/^## /m);

test('the example gives the result on the page', async () => {
  const [written = ''] = blocks('yaml');
  const [before = '', after = ''] = blocks('json');
  const loaded = loadPrivacy(written);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const sealer = personKeysAt(join(temporaryFolder(), 'person-keys'));
  await sealer.make();
  const means = { redact: compileActionRedaction(), hashKey: 'a key', sealer };
  const redactAction = currentRedactor({ privacy: () => loaded.privacy }, means);
  const named = { id: 'a', agentId: 'b', type: 'tool_call', tool: 't' };
  const redacted = redactAction({ ...named, ...JSON.parse(before) }, 'acme');
  expect(JSON.parse(abridged(JSON.stringify(redacted)))).toEqual({ ...named, ...JSON.parse(after) });
});

test('the page names every pattern, and no other pattern', () => {
  const named = Array.from(section.matchAll(/^\| `([a-z_]+)` \|/gm), ([, name]) => name);
  expect(named).toEqual(['do', 'redact', 'hash', 'seal', 'pattern', ...PRIVACY_PATTERNS]);
});

function blocks(language: string): string[] {
  return Array.from(
    section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm')),
    ([, text = '']) => text,
  );
}

function abridged(text: string): string {
  return text
    .replace(/(hmac-sha256|person):[0-9a-f]{32}/g, '$1:…')
    .replace(/sealed:v1:[0-9a-f]{16}:[0-9a-f]{16}:[A-Za-z0-9_-]+\./g, 'sealed:v1:…');
}
