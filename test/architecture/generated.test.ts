/** The generated files: in step with their sources, noticed when they are not, and true to what the readers take. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOCUMENTS } from '@mandate/schemas';
import { AGENT_MANIFEST_DOCUMENTS } from '@mandate/schemas/agent-manifest';
import { MANIFEST_DOCUMENTS } from '@mandate/schemas/manifest';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asyncApi } from '../../scripts/generate/asyncapi.ts';
import type { GeneratedFile } from '../../scripts/generate/generated-file.ts';
import { dashboards } from '../../scripts/generate/grafana/dashboards.ts';
import { findStale, writeStale } from '../../scripts/generate/in-step.ts';
import { jsonSchemas } from '../../scripts/generate/json-schemas.ts';
import { ROOT } from './repository.ts';

const EXAMPLES = join(ROOT, 'schemas/examples/v1');

it('are up to date with their sources', async () => {
  const stale = await findStale(ROOT, [...jsonSchemas, ...dashboards, asyncApi]);
  expect(stale.map(({ path }) => path)).toEqual([]);
});

describe('a generated file', () => {
  const files: GeneratedFile[] = [{ path: 'a/generated/b.json', make: () => '{}\n' }];
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'mandate-generated-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('is stale when it is missing, and up to date after it is written', async () => {
    const stale = await findStale(root, files);
    expect(stale).toEqual([{ path: 'a/generated/b.json', text: '{}\n' }]);
    writeStale(root, stale);
    expect(await findStale(root, files)).toEqual([]);
  });

  it('is stale when a person has changed it', async () => {
    writeStale(root, await findStale(root, files));
    writeFileSync(join(root, 'a/generated/b.json'), '{}');
    expect((await findStale(root, files)).map(({ path }) => path)).toEqual(['a/generated/b.json']);
  });

  it('is stale, and is removed, when nothing generates it any more', async () => {
    writeStale(root, await findStale(root, files));
    writeFileSync(join(root, 'a/generated/old.json'), '{}');
    const stale = await findStale(root, files);
    expect(stale).toEqual([{ path: 'a/generated/old.json', text: null }]);
    writeStale(root, stale);
    expect(readdirSync(join(root, 'a/generated'))).toEqual(['b.json']);
  });
});

describe('the JSON Schema of', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  formats.default(ajv);
  const validators = new Map<string, ValidateFunction>(
    readdirSync(join(ROOT, 'schemas/generated'))
      .filter((name) => name.endsWith('.schema.json'))
      .map((name) => [
        name.replace('.schema.json', ''),
        ajv.compile(json(join(ROOT, 'schemas/generated', name))),
      ]),
  );
  const examples = readdirSync(EXAMPLES).map((file): [string, string] => [
    file.split('.').slice(0, 2).join('.'),
    file,
  ]);

  it.each(examples)('%s accepts %s, and refuses it if any part of it is broken', (event, file) => {
    const validate = validators.get(event);
    if (validate === undefined) throw new Error(`no schema for ${event}`);
    const example = json(join(EXAMPLES, file));
    expect(validate(example) || validate.errors).toBe(true);
    const [, body = ''] = Object.keys(example);
    for (const part of [{ event: 'another' }, { [body]: undefined }, { [body]: 7 }, { [body]: {} }]) {
      expect(validate(JSON.parse(JSON.stringify({ ...example, ...part })))).toBe(false);
    }
  });

  it.each([
    ['an unknown field', { trace: 1 }],
    ['no tool', { tool: undefined }],
    ['an amount in dollars', { estimatedCostMicros: 0.1 }],
    ['a negative amount', { estimatedCostMicros: -1 }],
    ['an id with a blank', { id: 'a b' }],
    ['a time without a zone', { requestedAt: '2026-01-01T00:00:00' }],
    ['attempt 0', { attempt: 0 }],
  ])('action.requested refuses %s', (_name, change) => {
    const record = json(join(EXAMPLES, 'action.requested.tool-call.json'));
    const changed = { ...record, action: { ...record.action, ...change } };
    expect(validators.get('action.requested')?.(JSON.parse(JSON.stringify(changed)))).toBe(false);
  });

  it('mandate accepts a mandate and refuses everything else', () => {
    const validate = validators.get('mandate');
    const mandate = { version: 1, id: 'support-bot', agents: ['airline-*'], maxCostTotal: 10 };
    expect(validate?.(mandate)).toBe(true);
    const faults = [{ maxCostTotal: -1 }, { maxCost: 1 }, { version: 2 }, { agents: [] }];
    expect(faults.filter((fault) => validate?.({ ...mandate, ...fault }))).toEqual([]);
  });
});

it('the AsyncAPI document points at schemas that exist', async () => {
  const text = await asyncApi.make();
  const targets = [...text.matchAll(/"\$ref": "\.\/([^"]+)"/g)].map(
    ([, file]) => `schemas/generated/${file}`,
  );
  expect(targets).toHaveLength(
    jsonSchemas.length -
      Object.keys({ ...DOCUMENTS, ...MANIFEST_DOCUMENTS, ...AGENT_MANIFEST_DOCUMENTS }).length,
  );
  expect(targets.filter((target) => !jsonSchemas.some(({ path }) => path === target))).toEqual([]);
});

function json(file: string): { event: string; action?: object } {
  return JSON.parse(readFileSync(file, 'utf8'));
}
