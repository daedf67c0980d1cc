import { describe, expect, it } from 'vitest';
import { CAPS } from './defaults.ts';
import { mandateDocument } from './mandate-document.ts';
import { readShape } from './shape-fault.ts';

const least = { version: 1, id: 'support-bot', agents: ['airline-*'] };

const everything = {
  ...least,
  mode: 'enforce',
  expiresAt: '2027-01-01T00:00:00Z',
  maxCostTotal: 10,
  maxCostPerCall: 0.5,
  budgets: [{ id: 'team', scope: 'tenant', max: 100, windowMs: 86_400_000 }],
  rateLimit: { maxCalls: 100, windowMs: 60_000 },
  allowedTools: ['get_*', 'send_certificate'],
  deniedTools: ['*_admin'],
  allowedModels: ['claude-*'],
  deniedModels: [],
  tools: ['get_user', 'send_certificate'],
  defaultChargingPolicy: { type: 'SUCCESS_BASED' },
  toolPolicies: {
    send_certificate: {
      cost: 0.1,
      maxCostPerCall: 0.2,
      rateLimit: { maxCalls: 5, windowMs: 3_600_000 },
      chargingPolicy: { type: 'TIERED', attempt: 0.01, success: 0.09, verification: 0 },
      argumentValidation: {
        schema: { type: 'object', required: ['amount'], properties: { amount: { maximum: 100 } } },
        validators: ['noSystemPaths', { emailDomains: ['company.com'] }],
      },
      executionLeaseMs: 30_000,
      requiresConfirmation: false,
    },
  },
};

function faults(document: unknown): string[] {
  const read = readShape(mandateDocument, document, 10);
  return read.ok ? [] : read.faults.map(({ path, message }) => `${path.join('.')} ${message}`);
}

describe('a mandate', () => {
  it.each([
    ['with the least', least],
    ['with everything', everything],
    [
      'that allows nothing',
      { ...least, allowedTools: [], maxCostTotal: 0, rateLimit: { maxCalls: 0, windowMs: 1 } },
    ],
  ])('%s', (_name, document) => {
    expect(mandateDocument.parse(document)).toEqual(document);
  });

  it('gets no default values from the schema: an absent field stays absent', () => {
    expect(Object.keys(mandateDocument.parse(least))).toEqual(['version', 'id', 'agents']);
  });
});

describe('a mandate is refused', () => {
  const amount = 'must be an amount in dollars, zero or more, with at most six decimals (0.25)';
  it.each<[string, object, string]>([
    ['without an id', { id: undefined }, 'id is missing: it must be a string'],
    ['without a version', { version: undefined }, 'version is missing: it must be 1'],
    ['of another version', { version: 2 }, 'version must be 1, not 2'],
    ['of nobody', { agents: [] }, 'agents must not be empty'],
    ['with an empty glob', { deniedTools: [''] }, 'deniedTools.0 must not be empty'],
    ['with a negative amount', { maxCostTotal: -1 }, `maxCostTotal ${amount}`],
    ['with an over-precise amount', { maxCostPerCall: 0.0000001 }, `maxCostPerCall ${amount}`],
    ['with NaN', { maxCostTotal: Number.NaN }, 'maxCostTotal must be a number, not NaN'],
    [
      'with Infinity',
      { maxCostTotal: Number.POSITIVE_INFINITY },
      'maxCostTotal must be a number, not Infinity',
    ],
    ['with an amount as text', { maxCostTotal: '10' }, 'maxCostTotal must be a number, not a string'],
    ['with a null limit', { maxCostTotal: null }, 'maxCostTotal must be a number, not null'],
    ['with an unknown mode', { mode: 'audit' }, 'mode must be one of "enforce", "observe", not "audit"'],
    [
      'with a time without a zone',
      { expiresAt: '2027-01-01T00:00:00' },
      'expiresAt must have an offset: Z for UTC, or one such as +02:00',
    ],
    [
      'with a rate beyond the cap',
      { rateLimit: { maxCalls: CAPS.rateCalls + 1, windowMs: 1 } },
      'rateLimit.maxCalls must be at most 100000',
    ],
    [
      'with a rate without a window',
      { rateLimit: { maxCalls: 1 } },
      'rateLimit.windowMs is missing: it must be a number',
    ],
    [
      'with a window of no length',
      { rateLimit: { maxCalls: 1, windowMs: 0 } },
      'rateLimit.windowMs must be at least 1',
    ],
    [
      'with the budget that has a field of its own',
      { budgets: [{ id: 'total', scope: 'agent', max: 1 }] },
      'budgets.0.id must not be "total": that budget is maxCostTotal',
    ],
    [
      'with an unknown charging policy',
      { defaultChargingPolicy: { type: 'FREE' } },
      'defaultChargingPolicy.type must be one of "SUCCESS_BASED", "ATTEMPT_BASED", "TIERED", not "FREE"',
    ],
    [
      'with tiers that lack one',
      { defaultChargingPolicy: { type: 'TIERED', attempt: 1 } },
      'defaultChargingPolicy.success is missing: it must be a number',
    ],
    [
      'with a tool that is no name',
      { toolPolicies: { 'a b': {} } },
      'toolPolicies.a b must not hold U+0020 (character 2): a name holds no blank',
    ],
    [
      'with a lease beyond the cap',
      { toolPolicies: { t: { executionLeaseMs: CAPS.leaseMs + 1 } } },
      `toolPolicies.t.executionLeaseMs must be at most ${CAPS.leaseMs}`,
    ],
    [
      'with a validator that is neither a name nor parameters',
      { toolPolicies: { t: { argumentValidation: { validators: [1] } } } },
      'toolPolicies.t.argumentValidation.validators.0 must be a string, not 1',
    ],
  ])('%s', (_name, change, expected) => {
    expect(faults({ ...least, ...change })).toEqual([expected]);
  });

  it('with parameters of a validator that are not JSON, and the error names the place', () => {
    const validators = ['noSystemPaths', { emailDomains: Number.NaN }];
    const [fault] = faults({ ...least, toolPolicies: { t: { argumentValidation: { validators } } } });
    expect(fault).toMatch(/^toolPolicies\.t\.argumentValidation\.validators\.1\.emailDomains must be /);
  });

  it('with unknown fields at any depth, and the errors name them before any other fault', () => {
    const document = { ...least, id: 1, colour: 1, agnets: [], toolPolicies: { t: { price: 1 } } };
    expect(faults(document).map((text) => text.split(';')[0])).toEqual([
      'toolPolicies.t.price is not a known field',
      'colour is not a known field',
      'agnets is not a known field: write "agents"',
      'id must be a string, not 1',
    ]);
  });

  it('with very many unknown fields in very many places, and only the first faults are described', () => {
    const unknown = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`agnets${at}`, 1]));
    const toolPolicies = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`t${at}`, unknown]));
    const read = readShape(mandateDocument, { ...least, toolPolicies }, 3);
    expect(read.ok ? [] : read.faults.map(({ path }) => path.join('.'))).toEqual([
      'toolPolicies.t0.agnets0',
      'toolPolicies.t0.agnets1',
      'toolPolicies.t0.agnets2',
    ]);
  });
});
