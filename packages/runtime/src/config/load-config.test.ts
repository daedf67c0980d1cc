import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MandateError } from '../errors.ts';
import { describeConfig } from './describe-config.ts';
import { loadConfig } from './load-config.ts';

const schema = z.object({
  GATEWAY_PORT: z.int().min(1).max(65_535).default(8_080).describe('Where it listens'),
  GATEWAY_WAIT_MS: z.int().positive().default(5_000),
  GATEWAY_OPEN: z.boolean().default(false),
  GATEWAY_RATIO: z.number().optional(),
  GATEWAY_PROXIES: z.array(z.string()).default([]),
  GATEWAY_SHARDS: z.array(z.int()).default([1]),
  BUS_KIND: z.enum(['sqlite', 'kafka']).default('sqlite'),
  BUS_PATH: z.string().min(1).describe('The file of the log'),
  LEDGER_PASSWORD: z.string().min(12).optional().meta({ secret: true, description: 'For Redis' }),
});
const minimal = { MANDATE_BUS_PATH: '/tmp/log' };

function faultsOf(env: Record<string, string>, options = {}): string[] {
  try {
    loadConfig(schema, env, options);
  } catch (error) {
    if (!(error instanceof MandateError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.remedy).not.toBe('');
    return error.message.split('\n').slice(1);
  }
  return [];
}

describe('loadConfig', () => {
  test('reads text as numbers, booleans, lists and choices, and fills in defaults', () => {
    const config = loadConfig(schema, {
      ...minimal,
      MANDATE_GATEWAY_PORT: '9000',
      MANDATE_GATEWAY_OPEN: 'true',
      MANDATE_GATEWAY_RATIO: '-0.25',
      MANDATE_GATEWAY_PROXIES: '10.0.0.1, 10.0.0.2',
      MANDATE_GATEWAY_SHARDS: '3,4',
      MANDATE_BUS_KIND: 'kafka',
      PATH: '/bin',
    });
    expect(config).toEqual({
      GATEWAY_PORT: 9_000,
      GATEWAY_WAIT_MS: 5_000,
      GATEWAY_OPEN: true,
      GATEWAY_RATIO: -0.25,
      GATEWAY_PROXIES: ['10.0.0.1', '10.0.0.2'],
      GATEWAY_SHARDS: [3, 4],
      BUS_KIND: 'kafka',
      BUS_PATH: '/tmp/log',
    });
  });

  test('reads an empty list as empty, and not as absent', () => {
    expect(loadConfig(schema, { ...minimal, MANDATE_GATEWAY_SHARDS: '' }).GATEWAY_SHARDS).toEqual([]);
  });

  test.each(['', ' ', '0x10', '1e3', '+1', 'NaN', 'Infinity', '1.', '12abc'])(
    'rejects %j as a number',
    (text) => {
      expect(faultsOf({ ...minimal, MANDATE_GATEWAY_PORT: text })).toHaveLength(1);
    },
  );

  test.each(['', 'yes', '1', 'TRUE'])('rejects %j as a boolean', (text) => {
    expect(faultsOf({ ...minimal, MANDATE_GATEWAY_OPEN: text })).toHaveLength(1);
  });

  test('reports all faults at once, each with its remedy', () => {
    const faults = faultsOf({
      MANDATE_GATEWAY_PORT: '70000',
      MANDATE_GATEWAY_OPEN: 'perhaps',
      MANDATE_BUS_KIND: 'nats',
      MANDATE_GATEWAY_SHARDS: '1,x',
      MANDATE_GATWAY_WAIT_MS: '3',
      MANDATE_ENTIRELY_DIFFERENT: '3',
    });
    expect(faults.map((line) => line.trim().split(':', 1)[0]).sort()).toEqual([
      'MANDATE_BUS_KIND',
      'MANDATE_BUS_PATH',
      'MANDATE_ENTIRELY_DIFFERENT',
      'MANDATE_GATEWAY_OPEN',
      'MANDATE_GATEWAY_PORT',
      'MANDATE_GATEWAY_SHARDS',
      'MANDATE_GATWAY_WAIT_MS',
    ]);
    const text = faults.join('\n');
    expect(text).toContain('did you mean MANDATE_GATEWAY_WAIT_MS?');
    expect(text).toContain('MANDATE_ENTIRELY_DIFFERENT: no such setting; remove it');
    expect(text).toContain('(found "70000"); set it to an integer from 1 to 65535: Where it listens');
    expect(text).toContain('MANDATE_BUS_PATH: is not set; set it to text: The file of the log');
    expect(text).toContain('one of sqlite, kafka');
  });

  test('ignores the settings of other services in the environment', () => {
    const env = { ...minimal, MANDATE_QUERY_PORT: '1' };
    expect(faultsOf(env)).toHaveLength(1);
    expect(faultsOf(env, { otherAreas: ['QUERY'] })).toEqual([]);
    expect(faultsOf({ ...env, MANDATE_QUERYX_PORT: '1' }, { otherAreas: ['QUERY'] })).toHaveLength(1);
  });

  test('also reports the fault of a rule over several settings', () => {
    const ruled = schema.refine((config) => config.GATEWAY_OPEN, 'it must be open');
    expect(() => loadConfig(ruled, minimal)).toThrow('configuration: it must be open');
  });

  test('freezes the result deeply', () => {
    const config = loadConfig(schema, minimal);
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.GATEWAY_PROXIES)).toBe(true);
  });

  test('returns a secret, but shows it in no message', () => {
    const secret = 'correct-horse-battery';
    const config = loadConfig(schema, { ...minimal, MANDATE_LEDGER_PASSWORD: secret });
    expect(config.LEDGER_PASSWORD).toBe(secret);
    expect(JSON.stringify({ config })).not.toContain(secret);
    expect(JSON.stringify(config)).toContain('[secret]');
    expect(inspect({ config })).not.toContain(secret);

    const chatty = z.object({
      A_TOKEN: z
        .string()
        .refine(() => false, { error: ({ input }) => `bad: ${input}` })
        .meta({ secret: true }),
    });
    expect(() => loadConfig(chatty, { MANDATE_A_TOKEN: secret })).toThrow(
      'MANDATE_A_TOKEN: bad: [secret] (found a secret)',
    );
    expect(faultsOf({ ...minimal, MANDATE_LEDGER_PASSWORD: 'short' }).join()).not.toContain('"short"');
  });

  test('throws for a schema with a badly named key', () => {
    expect(() => loadConfig(z.object({ port: z.int() }), {})).toThrow(TypeError);
  });
});

test('describes each setting in its own row', () => {
  const rows = describeConfig(schema);
  expect(rows.map((row) => row.name)).toEqual(Object.keys(schema.shape).map((key) => `MANDATE_${key}`));
  expect(rows[0]).toEqual({
    name: 'MANDATE_GATEWAY_PORT',
    type: 'an integer from 1 to 65535',
    default: '8080',
    required: false,
    secret: false,
    description: 'Where it listens',
  });
  const byName = new Map(rows.map((row) => [row.name, row]));
  expect(byName.get('MANDATE_GATEWAY_WAIT_MS')?.type).toBe('an integer above 0');
  expect(byName.get('MANDATE_GATEWAY_SHARDS')).toMatchObject({
    type: 'a comma-separated list of integers',
    default: '1',
  });
  expect(byName.get('MANDATE_BUS_PATH')).toMatchObject({ required: true, default: '' });
  expect(byName.get('MANDATE_LEDGER_PASSWORD')).toMatchObject({ secret: true, required: false });
});

test('does not document the default of a secret', () => {
  const rows = describeConfig(z.object({ A_TOKEN: z.string().default('hush-hush').meta({ secret: true }) }));
  expect(JSON.stringify(rows)).not.toContain('hush');
});
