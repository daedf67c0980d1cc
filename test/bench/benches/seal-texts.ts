/**
 * Measures the cost of sealing texts about people and of opening them again, on one thread. The texts have 60
 * characters and belong to 1,000 persons with existing keys. In one row, the persons are new: each key must be
 * derived with 64 hashes.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type PersonKeys, personKeysAt } from '@mandate/privacy';
import { type Comparison, compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const TEXTS = 4_000;
const PERSONS = 1_000;
const STRANGERS = 200;
const PAIRS = 7;

const texts = Array.from({ length: TEXTS }, (_, index) =>
  `customer ${index}, 12 Long Street, Springfield`.padEnd(60),
);
const personOf = (index: number) => `person-${index % PERSONS}`;

export async function sealTexts(): Promise<Row[]> {
  using folder = temporaryFolder();
  const keys = personKeysAt(join(folder.path, 'person-keys'));
  await keys.make();
  for (let index = 0; index < PERSONS; index += 1) keys.find('acme', personOf(index));
  let met = 0;
  const strangers = () =>
    measureWork(STRANGERS, () => {
      for (const text of texts.slice(0, STRANGERS)) {
        sealed(keys, `stranger-${met}`, text);
        met += 1;
      }
    });
  return [
    ...(await rateOf('seal a text', () => sealing(keys), bareSealing)),
    ...(await rateOf('unseal a text', () => unsealing(keys), bareUnsealing)),
    ...(await rateOf('seal a text of a person not met before', strangers, {
      what: 'one of a person met before',
      run: () => sealing(keys),
    })),
  ];
}

type Rival = Comparison<'perSecond'>['rival'];

function rateOf(what: string, run: () => Promise<Work>, rival: Rival): Promise<Row[]> {
  return compare({ pairs: PAIRS, ours: run, rival, figures: { perSecond: { what, unit: '/s' } } });
}

function sealing(keys: PersonKeys): Promise<Work> {
  return measureWork(TEXTS, () => {
    for (const [index, text] of texts.entries()) sealed(keys, personOf(index), text);
  });
}

function unsealing(keys: PersonKeys): Promise<Work> {
  const tokens = texts.map((text, index) => sealed(keys, personOf(index), text));
  return measureWork(TEXTS, () => {
    for (const [index, token] of tokens.entries()) {
      const unsealed = keys.unseal('acme', token);
      if (!('text' in unsealed) || unsealed.text !== texts[index]) throw new Error('another text came back');
    }
  });
}

function sealed(keys: PersonKeys, person: string, text: string): string {
  const token = keys.seal('acme', person, text);
  if (token === null) throw new Error('nobody was erased');
  return token;
}

const KEY = randomBytes(32);

/** The simplest way to keep a text from readers without the key: one key for all persons, and a random IV. */
const bareSealing: Rival = {
  what: 'AES-256-GCM of the same text',
  run: () =>
    measureWork(TEXTS, () => {
      for (const text of texts) bareSealed(text);
    }),
};

const bareUnsealing: Rival = {
  what: 'AES-256-GCM of the same text',
  run: () => {
    const tokens = texts.map(bareSealed);
    return measureWork(TEXTS, () => {
      for (const [index, token] of tokens.entries()) {
        const bytes = Buffer.from(token, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, 12), { authTagLength: 16 });
        decipher.setAuthTag(bytes.subarray(-16));
        const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString();
        if (text !== texts[index]) throw new Error('another text came back');
      }
    });
  },
};

function bareSealed(text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', KEY, iv);
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}
