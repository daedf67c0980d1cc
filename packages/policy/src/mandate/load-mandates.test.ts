import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadMandates } from './load-mandates.ts';

const HEAD = 'version: 1\nid: m\nagents: ["*"]\n';
const OTHER = HEAD.replace('id: m', 'id: n');

/** Returns the `line:column path` of each fault, and all messages joined. */
function faultsOf(text: string): { places: string[]; said: string } {
  const loaded = loadMandates(text);
  if (loaded.ok) return { places: [], said: '' };
  return {
    places: loaded.faults.map(
      ({ line, column, path }) => `${line}:${column}${path === '' ? '' : ` ${path}`}`,
    ),
    said: loaded.faults.map(({ message }) => message).join('\n'),
  };
}

/** Returns the faults of a document. Its fourth line is `line`, and its other lines are valid. */
function withLine(line: string) {
  return faultsOf(`${HEAD}${line}\n`);
}

describe('accepts', () => {
  test('one mandate in YAML', () => {
    const loaded = loadMandates(`${HEAD}maxCostTotal: 10.50 # dollars\n`);
    expect(loaded.ok && loaded.mandates[0]?.policies[0]?.maxCostTotalMicros).toBe(10_500_000);
  });

  test('several mandates as documents', () => {
    const loaded = loadMandates(`---\n${HEAD}---\n${HEAD.replace('id: m', 'id: n')}`);
    expect(loaded.ok && loaded.mandates.map(({ reference }) => reference.id)).toEqual(['m', 'n']);
  });

  test('JSON', () => {
    const loaded = loadMandates('{"version": 1, "id": "m", "agents": ["a"], "maxCostTotal": 0}');
    expect(loaded.ok && loaded.mandates[0]?.policies[0]?.maxCostTotalMicros).toBe(0);
  });

  test('a byte order mark, and Windows line ends', () => {
    expect(loadMandates(`\ufeff${HEAD.replaceAll('\n', '\r\n')}`).ok).toBe(true);
  });

  test('a few anchors and aliases', () => {
    const loaded = loadMandates(
      `${HEAD}toolPolicies: { a: &once { cost: 1 }, b: *once }\nallowedTools: [a, b]\n`,
    );
    expect(loaded.ok && loaded.mandates[0]?.policies[0]?.tools.get('b')?.costMicros).toBe(1_000_000);
  });

  test('two texts with the same meaning, and gives them the same hash', () => {
    const hashOf = (text: string) => {
      const loaded = loadMandates(text);
      return loaded.ok && loaded.mandates[0]?.reference.hash;
    };
    expect(hashOf(`${HEAD}maxCostTotal: 1.50`)).toBe(
      hashOf('{maxCostTotal: 1.5, agents: ["*"], id: m, version: 1}'),
    );
    expect(hashOf(HEAD)).not.toBe(hashOf(`${HEAD}maxCostTotal: 0`));
  });
});

describe('amounts', () => {
  test.each(['0', '0.1', '0.000001', '10.00', '1e3', '1.5e0', '+1', '8589934591.999999', '9007199254'])(
    '%s is an amount',
    (amount) => {
      expect(withLine(`maxCostTotal: ${amount}`).places).toEqual([]);
    },
  );

  test.each([
    ['.inf', '4:15'],
    ['-.inf', '4:15'],
    ['.nan', '4:15'],
    ['0x10', '4:15'],
    ['0o17', '4:15'],
    ['017', '4:15'],
    ['.50000000000000000000000001', '4:15'],
    ['0.1000000000000000000000001', '4:15'],
    ['1.00000000000000000000000001e0', '4:15'],
    [`0.1${'0'.repeat(100)}1`, '4:15'],
    ['NaN', '4:1 maxCostTotal'],
    ['Infinity', '4:1 maxCostTotal'],
    ['-1', '4:1 maxCostTotal'],
    ['-0.01', '4:1 maxCostTotal'],
    ['1e-7', '4:1 maxCostTotal'],
    ['0.1234567', '4:1 maxCostTotal'],
    ['9007199255', '4:1 maxCostTotal'],
    ['1e300', '4:1 maxCostTotal'],
    ['1_000', '4:1 maxCostTotal'],
    ['1:30', '4:1 maxCostTotal'],
    ['"10"', '4:1 maxCostTotal'],
    ['$10', '4:1 maxCostTotal'],
    ['null', '4:1 maxCostTotal'],
    ['', '4:1 maxCostTotal'],
  ])('%s is not an amount', (amount, place) => {
    expect(withLine(`maxCostTotal: ${amount}`).places).toEqual([place]);
  });

  test.each(['%YAML 1.1\n---\n', '%YAML 1.1\n# sexagesimal\n---\n'])(
    'refuses YAML 1.1, which reads 1:30 as ninety',
    (head) => {
      expect(faultsOf(`${head}${HEAD}maxCostTotal: 1:30\n`)).toMatchObject({
        places: ['1:1'],
        said: expect.stringContaining('YAML 1.2'),
      });
    },
  );

  test('refuses tiers whose sum is too large for a counter', () => {
    const tiers = '{ type: TIERED, attempt: 9007199254, success: 9007199254 }';
    expect(withLine(`defaultChargingPolicy: ${tiers}`).places).toEqual(['4:1 defaultChargingPolicy']);
    expect(withLine(`toolPolicies: { t: { chargingPolicy: ${tiers} } }`).places).toEqual([
      '4:22 toolPolicies.t.chargingPolicy',
    ]);
  });
});

describe('every fault has its line and column', () => {
  test.each([
    ['unknown field', 'maxCostTotl: 1', '4:1 maxCostTotl'],
    [
      'unknown field in a rate',
      'rateLimit: { maxCalls: 1, windowMs: 1, windowS: 1 }',
      '4:40 rateLimit.windowS',
    ],
    ['unknown field of a tool', 'toolPolicies: { t: { cst: 1 } }', '4:22 toolPolicies.t.cst'],
    [
      'unknown field at depth',
      'toolPolicies: { t: { argumentValidation: { schemas: {} } } }',
      '4:44 toolPolicies.t.argumentValidation.schemas',
    ],
    ['unknown field in a list', 'budgets: [{ id: a, scope: agent, max: 1, per: day }]', '4:42 budgets.0.per'],
    ['wrong type', 'allowedTools: get_user', '4:1 allowedTools'],
    ['wrong type in a list', 'allowedTools: [a, 5]', '4:19 allowedTools.1'],
    ['missing field', 'rateLimit: { maxCalls: 1 }', '4:1 rateLimit.windowMs'],
    ['missing field in a list', 'budgets: [{ id: a, max: 1 }]', '4:11 budgets.0.scope'],
    ['unknown scope', 'budgets: [{ id: a, scope: team, max: 1 }]', '4:20 budgets.0.scope'],
    ['budget named total', 'budgets: [{ id: total, scope: agent, max: 1 }]', '4:13 budgets.0.id'],
    [
      'repeated budget',
      'budgets: [{ id: a, scope: agent, max: 1 }, { id: a, scope: agent, max: 2 }]',
      '4:44 budgets.1',
    ],
    ['too many calls', 'rateLimit: { maxCalls: 100001, windowMs: 1 }', '4:14 rateLimit.maxCalls'],
    ['too long a window', 'rateLimit: { maxCalls: 1, windowMs: 2678400001 }', '4:27 rateLimit.windowMs'],
    ['a window of 0', 'rateLimit: { maxCalls: 1, windowMs: 0 }', '4:27 rateLimit.windowMs'],
    ['a fraction of a call', 'rateLimit: { maxCalls: 0.5, windowMs: 1 }', '4:14 rateLimit.maxCalls'],
    ['time without a zone', 'expiresAt: 2027-01-01', '4:1 expiresAt'],
    ['a date that does not exist', 'expiresAt: 2027-02-30T00:00:00Z', '4:1 expiresAt'],
    ['unknown mode', 'mode: audit', '4:1 mode'],
    ['unknown charging policy', 'defaultChargingPolicy: { type: FREE }', '4:26 defaultChargingPolicy.type'],
    ['empty glob', 'deniedTools: [""]', '4:15 deniedTools.0'],
    [
      'unknown validator',
      'toolPolicies: { t: { argumentValidation: { validators: [noSuch] } } }',
      '4:57 toolPolicies.t.argumentValidation.validators.0',
    ],
    ['merge key', '<<: { maxCostTotal: 5 }', '4:1 <<'],
    ['blank in a tool name', 'toolPolicies: { "a b": {} }', '4:17 toolPolicies.a b'],
  ])('%s', (_what, line, place) => {
    expect(withLine(line).places).toEqual([place]);
  });

  test.each([
    ['repeated field', 'id: n', '4:1'],
    ['repeated tool', 'toolPolicies: { t: { cost: 1 }, t: { cost: 2 } }', '4:33'],
    ['a key that is a number', 'toolPolicies: { 1: {}, "1": {} }', '4:17'],
    ['a key that is another number as text', 'toolPolicies: { 1.0: {} }', '4:17'],
    ['a key that is null', 'toolPolicies: { ~: {} }', '4:17'],
    ['a key that is a list', 'toolPolicies: { [a]: {} }', '4:17'],
    [
      'a key that JavaScript treats specially',
      'toolPolicies: { __proto__: { requiresConfirmation: true } }',
      '4:17',
    ],
    ['a key that every object inherits', 'toolPolicies: { constructor: {} }', '4:17'],
    ['a star without quotes', 'deniedTools: [*_admin]', '4:15'],
    ['an alias inside its own anchor', 'allowedTools: &a [*a]', '4:19'],
    ['an unknown tag', 'mode: !strict enforce', '4:7'],
    ['a tab before a field', '\tmode: enforce', '4:1'],
  ])('%s', (_what, line, place) => {
    expect(withLine(line).places[0]).toBe(place);
  });

  test.each([
    [
      'a pattern that cannot run in linear time',
      '{ type: object, properties: { a: { type: string, pattern: "(?=x)" } } }',
      'properties.a.pattern',
      'pattern',
    ],
    ['an unknown type', '{ type: objekt }', 'type', 'type'],
    ['an unknown keyword', '{ type: object, items_: {} }', 'items_', 'items_'],
    [
      'an unknown format',
      '{ type: object, properties: { a: { type: string, format: phone } } }',
      'properties.a.format',
      'format',
    ],
    ['a reference that leads nowhere', '{ anyOf: [{ $ref: "#/$defs/b" }] }', 'anyOf.0.$ref', '$ref'],
    ['a schema that refers to itself without end', '{ allOf: [{ $ref: "#" }] }', 'allOf.0.$ref', '$ref'],
    ['a keyword without effect', '{ if: { type: object } }', 'if', 'if'],
  ])(
    'names the place of the keyword for a fault in an argument schema: %s',
    (_what, schema, path, keyword) => {
      const line = `toolPolicies: { t: { argumentValidation: { schema: ${schema} } } }`;
      const column = line.indexOf(`${keyword}:`, line.indexOf('schema:') + 7) + 1;
      expect(withLine(line).places).toEqual([`4:${column} toolPolicies.t.argumentValidation.schema.${path}`]);
    },
  );

  test('names the place of an inexact number in an argument schema', () => {
    const schema = '{ type: object, properties: { a: { minimum: .inf } } }';
    expect(withLine(`toolPolicies: { t: { argumentValidation: { schema: ${schema} } } }`).places[0]).toBe(
      '4:96',
    );
  });

  test('names the known fields, and the missing fields, in messages', () => {
    expect(withLine('maxCostTotl: 1').said).toMatch(/not a known field.*maxCostTotal/);
    expect(withLine('deniedTools: [*_admin]').said).toContain('"*_admin"');
    expect(faultsOf('version: 1\nid: m\n').said).toContain('is missing');
  });

  test('reports all faults at once, in the order of the file', () => {
    expect(faultsOf('version: 2\nid: m m\nmaxCostTotal: -1\nfoo: 1\n').places).toEqual([
      '1:1 version',
      '1:1 agents',
      '2:1 id',
      '3:1 maxCostTotal',
      '4:1 foo',
    ]);
  });

  test('reports all errors of YAML at once, until an error makes the following places uncertain', () => {
    expect(withLine('deniedTools: *\nid: n\nallowedTools: [*_admin]').places).toEqual([
      '4:14',
      '5:1',
      '6:16',
    ]);
    expect(withLine('id: n\nallowedTools: [a\nid: o').places).toEqual(['4:1', '6:1']);
  });

  test('Windows line ends and a byte order mark do not change line numbers', () => {
    expect(faultsOf(`\ufeff${HEAD}\nmode: loud\n`.replaceAll('\n', '\r\n')).places).toEqual(['5:1 mode']);
  });

  test('refuses the whole file for one bad document, and reports the fault with its own line', () => {
    expect(faultsOf(`${HEAD}---\n${HEAD.replace('id: m', 'id: n')}mode: loud\n`).places).toEqual([
      '8:1 mode',
    ]);
  });

  test('reports an id that occurs twice', () => {
    expect(faultsOf(`${HEAD}---\n${HEAD}`).places).toEqual(['6:1 id']);
  });
});

describe('refuses files without a mandate', () => {
  test.each([
    ['a list', '- version: 1\n', '1:1', 'must be an object, not a list'],
    ['a word', 'mandate', '1:1', 'must be an object, not a string'],
    ['null', '~\n', '1:1', 'must be an object, not null'],
    ['an empty document before others', `---\n---\n${HEAD}`, '1:1', 'this document is empty'],
    ['an empty document among others', `${HEAD}---\n# none\n---\n${OTHER}`, '4:1', 'this document is empty'],
    ['an empty document, and then null', `${HEAD}---\n--- ~\n`, '4:1', 'this document is empty'],
  ])('%s', (_what, text, place, said) => {
    expect(faultsOf(text).places[0]).toBe(place);
    expect(faultsOf(text).said).toContain(said);
  });

  test.each([
    ['no bytes', '', 'it is empty'],
    ['blanks', ' \n\r\n', 'it is empty'],
    ['comments', '# nothing here\n', 'it has only comments'],
    ['a document mark (---)', '---\n', 'it has only marks where documents begin (---)'],
    [
      'document marks and comments',
      '# a\n---\n# b\n---\n...\n',
      'it has only marks where documents begin (---)',
    ],
  ])('a file with %s only: the message says what was found and what is expected', (_what, text, found) => {
    expect(loadMandates(text)).toEqual({
      ok: false,
      faults: [
        {
          ...{ line: 1, column: 1, path: '' },
          message: `the file holds no mandate: ${found}. A document here begins with: version: 1`,
        },
      ],
    });
  });

  test.each(['---\n', '---', '---\n# the end\n', '---\n---\n', '...\n', '...\n---\n'])(
    'accepts %j at the end of the file',
    (end) => {
      expect(loadMandates(`${HEAD}${end}`)).toMatchObject({
        ok: true,
        mandates: [{ reference: { id: 'm' } }],
      });
    },
  );
});

test.each([
  ['a star alone', 'version: 1\nid: m\nagents: [*]\n', 10],
  ['a star alone, as a value', 'version: 1\nid: m\nagents: *\n', 9],
  ['a glob that begins with a star', 'version: 1\nid: m\nagents: [*-bot]\n', 10],
])('explains an unquoted star, which YAML reads as an alias: %s', (_what, text, column) => {
  expect(loadMandates(text)).toMatchObject({
    ok: false,
    faults: [
      { line: 3, column, message: expect.stringContaining('a glob that begins with * needs quotes: "*') },
    ],
  });
});

describe('refuses hostile documents quickly', () => {
  test.each([
    ['2 MB', () => `${HEAD}# ${'x'.repeat(2_000_000)}`],
    ['1 MB of characters, more of bytes', () => `${HEAD}# ${'ä'.repeat(1_000_000)}`],
    ['100,000 open brackets', () => '['.repeat(100_000)],
    ['100,000 brackets', () => '['.repeat(100_000) + ']'.repeat(100_000)],
    ['100,000 open braces', () => '{a: '.repeat(100_000)],
    ['100,000 dashes', () => '- '.repeat(100_000)],
    ['JSON as deep as the stack', () => '{"a":'.repeat(3_000) + '1'.padEnd(3_001, '}')],
    ['30,000 unknown fields', () => HEAD + Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n')],
    ['50,000 wrong items', () => `${HEAD}allowedTools: [${'5,'.repeat(50_000)}]`],
    ['3,000 documents', () => `---\n${HEAD}`.repeat(3_000)],
    [
      'aliases that multiply',
      () => {
        const lists = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`);
        return `l0: &a0 [x]\n${lists.join('\n')}\n`;
      },
    ],
    ['900,000 digits', () => `${HEAD}maxCostTotal: 1${'0'.repeat(900_000)}1`],
    ['a digit after 900,000 zeros', () => `${HEAD}maxCostTotal: 0.1${'0'.repeat(900_000)}1`],
    ['900,000 exclamation marks', () => '!'.repeat(900_000)],
  ])('%s', { timeout: 10_000 }, (_what, text) => {
    const loaded = loadMandates(text());
    expect(loaded.ok).toBe(false);
    if (loaded.ok) return;
    expect(loaded.faults.length).toBeLessThanOrEqual(101);
    for (const { message } of loaded.faults) expect(message.length).toBeLessThan(500);
  });
});

test('loads a randomly changed document, or reports a fault with its place', () => {
  const good = `${HEAD}expiresAt: 2027-01-01T00:00:00Z
maxCostTotal: 10.00
budgets: [{ id: team, scope: tenant, max: 100.00, windowMs: 86400000 }]
rateLimit: { maxCalls: 100, windowMs: 60000 }
allowedTools: ["get_*", "send"]
toolPolicies:
  send: &p
    cost: 0.10
    chargingPolicy: { type: ATTEMPT_BASED }
  get_other: *p
`;
  expect(loadMandates(good).ok).toBe(true);
  const piece = fc.oneof(
    fc.constantFrom(
      '*',
      '&a ',
      '*p',
      '[',
      ']',
      '{',
      '}',
      ':',
      '- ',
      '\n',
      '\t',
      '"',
      "'",
      '|',
      '>',
      '!!',
      '%',
      '#',
      '---\n',
      '? ',
      '0x',
      '\0',
      '\ud800',
      '<<',
      '..',
      '@',
      '`',
    ),
    fc.string({ maxLength: 4 }),
  );
  const change = fc.record({ at: fc.nat(good.length), drop: fc.nat(12), put: piece });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      const text = changes.reduce(
        (so, { at, drop, put }) => so.slice(0, at) + put + so.slice(at + drop),
        good,
      );
      const loaded = loadMandates(text);
      if (loaded.ok) return;
      expect(loaded.faults.length).toBeGreaterThan(0);
      const lines = text.split('\n');
      for (const { line, column } of loaded.faults) {
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
      }
    }),
    { numRuns: runs(400) },
  );
});
