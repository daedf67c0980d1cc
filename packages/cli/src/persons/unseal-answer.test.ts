import { join } from 'node:path';
import type { ApiClient } from '@mandate/client';
import { personKeysAt } from '@mandate/privacy';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { unsealAnswer } from './unseal-answer.ts';

/** Starts a gateway that has person keys and records its requests. */
async function gateway() {
  const keys = personKeysAt(join(temporaryFolder(), 'person-keys'));
  await keys.make();
  const asked: string[][] = [];
  const api = {
    post: async (path: string, { sealed }: { sealed: string[] }) => {
      expect(path).toBe('/v1/persons/unseal');
      asked.push(sealed);
      return { unsealed: sealed.map((token) => keys.unseal('acme', token)) };
    },
  } as unknown as ApiClient;
  const seal = (text: string, person = 'mia', tenant = 'acme') => keys.seal(tenant, person, text) ?? '';
  const forget = (person: string) =>
    keys.erase([{ tenant: 'acme', index: keys.find('acme', person).ref.slice(-16) }]);
  return { api, asked, seal, forget };
}

test('replaces tokens with their texts: as values, as field names, and within other texts', async () => {
  const { api, asked, seal } = await gateway();
  const mail = seal('mia "the" <m@x.y>\n');
  const answer = { rows: [{ a: mail, n: null, [mail]: [1, `write to ${mail}${seal('b')}.${mail}x`] }] };
  expect(await unsealAnswer(api, answer)).toEqual({
    rows: [
      {
        a: 'mia "the" <m@x.y>\n',
        n: null,
        'mia "the" <m@x.y>\n': [1, 'write to mia "the" <m@x.y>\nb.mia "the" <m@x.y>\nx'],
      },
    ],
  });
  expect(asked).toEqual([[mail, seal('b')]]);
});

test('shows texts of forgotten persons as erased, and unreadable texts as sealed', async () => {
  const { api, seal, forget } = await gateway();
  const [mias, theirs] = [seal('text'), seal('text', 'mia', 'globex')];
  const $ = seal('$& costs', 'ben');
  await forget('mia');
  expect(await unsealAnswer(api, [mias, theirs, $])).toEqual(['[erased]', theirs, '$& costs']);
});

test('requests at most as many texts at a time as the gateway accepts, and sends no request if no text is sealed', async () => {
  const { api, asked, seal } = await gateway();
  await unsealAnswer(api, { text: 'sealed:v1: nothing' });
  expect(asked).toEqual([]);
  const many = Array.from({ length: 1_001 }, (_, index) => seal(String(index)));
  const long = ['a', 'b'].map((letter) => seal(letter.repeat(300_000)));
  const texts = await unsealAnswer(api, [...many, ...long]);
  expect([texts[1_000], texts[1_002]]).toEqual(['1000', 'b'.repeat(300_000)]);
  expect(asked.map(({ length }) => length)).toEqual([1_000, 2, 1]);
});
