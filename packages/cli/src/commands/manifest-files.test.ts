/** Tests the commands that check manifests in files: `mandate validate`, `mandate lint`. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';
import { manifestFolder } from './manifest-folder.fixture.ts';

const UNKNOWN_ROLE = { 'policy.yaml': (text: string) => text.replace('[user]', '[usr]') };

const WARNED = expect.arrayContaining([expect.objectContaining({ code: 'TOOL_WITHOUT_PERMISSION' })]);

/** Names a plane that is never asked, because the files are bad. */
const NO_PLANE = { MANDATE_URL: 'http://127.0.0.1:1', MANDATE_API_KEY: 'none' };

function linesIn(stdout: string): Record<string, unknown>[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('mandate validate', () => {
  test('checks a manifest as a whole, and the ordinary documents beside it', async () => {
    const folder = manifestFolder();
    const agents = join(folder, 'agents.yaml');
    writeFileSync(agents, '{ kind: agent, id: bot }');
    const { exitCode, stdout, stderr } = await runCommand(['validate', folder]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `${folder}: ok (manifest: agents: 2, policies: 2, rules: 2)\n` +
        `${join(folder, 'policy.production.yaml')}: ok (manifest: agents: 2, policies: 2, rules: 2)\n` +
        `${agents}: ok (agents: 1, policies: 0, rules: 0)\n`,
    );
    const [ofManifest, ofOverlay, ...more] = stderr.split(/(?<=\n)/);
    expect(ofOverlay).toMatch(/policy\.production\.yaml:2:\d+ warning: .*\(OVERLAY_WIDENS\)\n$/);
    expect(more).toEqual([]);
    expect(ofManifest).toBe(
      `${join(folder, 'manifest.yaml')}:11:5 warning: tools.1: "change_plan" has no permission, so nobody may use it: add it to tool_permissions, or remove it (TOOL_WITHOUT_PERMISSION)\n`,
    );
  });

  test('names each fault with its code, file, line and column, and what to do', async () => {
    const folder = manifestFolder(UNKNOWN_ROLE);
    const { exitCode, stdout, stderr } = await runCommand(['validate', folder]);
    // The overlay replaces the field with the fault.
    const ofOverlay = `${join(folder, 'policy.production.yaml')}: ok (manifest: agents: 2, policies: 2, rules: 2)\n`;
    expect([exitCode, stdout]).toEqual([2, ofOverlay]);
    expect(stderr).toContain(
      `${join(folder, 'policy.yaml')}:5:33 tool_permissions.make_cards.allowed_roles.0: "usr" is not one of the roles: write "user", or declare it (ROLE_UNKNOWN)\n`,
    );
    const asJson = await runCommand(['validate', '--json', join(folder, 'policy.yaml')]);
    expect(linesIn(asJson.stdout)[0]).toMatchObject({
      file: folder,
      ok: false,
      faults: [{ code: 'ROLE_UNKNOWN', file: join(folder, 'policy.yaml'), line: 5, column: 33 }],
    });
    const lenient = await runCommand(['validate', '--lenient', '--json', folder]);
    expect(lenient.exitCode).toBe(0);
    expect(linesIn(lenient.stdout)[0]).toMatchObject({
      ok: true,
      manifest: { agents: 2, policies: 2, rules: 2 },
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'ROLE_UNKNOWN', line: 5 })]),
    });
  });

  test('warns of an overlay that is wider, and refuses an unknown environment', async () => {
    const folder = manifestFolder();
    const wider = await runCommand(['validate', folder, '--env', 'production']);
    expect(wider.exitCode).toBe(0);
    expect(wider.stderr).toMatch(/policy\.production\.yaml:2:\d+ warning: .*\(OVERLAY_WIDENS\)/);
    const unknown = await runCommand(['validate', folder, '--env', 'prod']);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('has no overlay policy.prod.yaml (there are overlays of: production)');
  });

  test('checks each overlay if no environment is named, and reports the faults of policy.yaml once', async () => {
    const folder = manifestFolder(UNKNOWN_ROLE);
    const production = join(folder, 'policy.production.yaml');
    const staging = join(folder, 'policy.staging.yaml');
    const { stdout: before } = await runCommand(['validate', '--json', folder]);
    expect(before.trim().split('\n')).toHaveLength(2);
    writeFileSync(production, 'audit: { log_events: [tool_invocation] }');
    writeFileSync(staging, 'tool_permissions:\n  make_cards: { allowed_roles: [gest] }\n');
    // Neither a document, nor test cases, nor a name that no environment can have.
    writeFileSync(join(folder, 'policy.reads.yaml'), '{ kind: policy, version: 1, id: reads }');
    writeFileSync(join(folder, 'policy.test.yaml'), 'version: 1\ncases: []\n');
    writeFileSync(join(folder, 'policy.old copy.yaml'), 'tool_permissions: { a: 1 }');
    const { exitCode, stdout } = await runCommand(['validate', '--json', folder]);
    expect(exitCode).toBe(2);
    expect(linesIn(stdout).filter(({ ok }) => ok === false)).toEqual([
      {
        file: folder,
        ok: false,
        faults: [expect.objectContaining({ code: 'ROLE_UNKNOWN' })],
        warnings: WARNED,
      },
      {
        file: staging,
        ok: false,
        faults: [expect.objectContaining({ code: 'ROLE_UNKNOWN', file: staging, line: 2, column: 33 })],
        warnings: [expect.objectContaining({ code: 'OVERLAY_WIDENS', file: staging })],
      },
    ]);
    const one = await runCommand(['validate', '--json', folder, '--env', 'production']);
    expect(linesIn(one.stdout).map(({ file }) => file)).not.toContain(staging);
  });

  test('a fault in an overlay alone fails the check', async () => {
    const folder = manifestFolder();
    const production = join(folder, 'policy.production.yaml');
    writeFileSync(production, 'tool_permissions: { make_cards: { rate_limit: 5 } }');
    const { exitCode, stdout, stderr } = await runCommand(['validate', folder]);
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining(`${folder}: ok`)]);
    expect(stderr).toContain(`${production}:1:`);
  });

  test.each([
    ['a policy', 'policy.yaml', 'manifest.yaml'],
    ['a manifest', 'manifest.yaml', 'policy.yaml'],
  ])('refuses a manifest that has only %s, and says what is missing', async (_what, file, missing) => {
    const folder = manifestFolder();
    rmSync(join(folder, missing));
    const { exitCode, stderr } = await runCommand(['validate', folder]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`there is ${join(folder, file)}, but no ${join(folder, missing)} beside it\n`),
    ]);
  });

  test.each(['config.yml', 'policy.production.json'])(
    'refuses %s, which a manifest would ignore',
    async (name) => {
      const folder = manifestFolder();
      writeFileSync(join(folder, name), '{ stores: { notes: { kind: filesystem } } }');
      for (const args of [
        ['validate', folder],
        ['lint', '-f', folder],
      ]) {
        const { exitCode, stderr } = await runCommand(args);
        expect([exitCode, stderr]).toEqual([
          2,
          expect.stringContaining(`${name} is no file of the manifest beside it`),
        ]);
      }
      writeFileSync(join(folder, name), '{ kind: agent, id: bot }');
      expect((await runCommand(['validate', folder])).exitCode).toBe(0);
    },
  );

  test('refuses another file beside a manifest if the file does not state its kind', async () => {
    const folder = manifestFolder();
    writeFileSync(join(folder, 'categories.yaml'), 'stores: {}');
    const { exitCode, stderr } = await runCommand(['validate', folder]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/categories\.yaml:1:1 kind: is missing/)]);
  });

  test('refuses a folder without a file to check', async () => {
    const { exitCode, stderr } = await runCommand(['validate', manifestFolder(), temporaryFolder()]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('has no file to check')]);
  });

  test('checks a file of categories by its name', async () => {
    const folder = manifestFolder();
    const config = join(folder, 'config.yaml');
    writeFileSync(config, 'stores: { notes: { kind: filesystem, policies: { defaultTtl: 0 } } }');
    const { exitCode, stderr } = await runCommand(['validate', folder]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/config\.yaml:1:\d+ .*VALUE_INVALID/)]);
    const alone = join(temporaryFolder(), 'config.yaml');
    writeFileSync(alone, 'stores: { notes: { kind: filesystem } }');
    expect(await runCommand(['validate', alone])).toMatchObject({ stdout: `${alone}: ok (stores: 1)\n` });
  });

  test('refuses an environment if no manifest is named', async () => {
    const file = join(manifestFolder(), 'agents.yaml');
    writeFileSync(file, '{ kind: agent, id: bot }');
    const { exitCode, stderr } = await runCommand(['validate', file, '--env', 'production']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--env production has no effect')]);
  });
});

describe('mandate lint', () => {
  test('reports the warnings about a manifest as findings', async () => {
    const folder = manifestFolder();
    const { exitCode, stdout } = await runCommand(['lint', '-f', folder]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `warning TOOL_WITHOUT_PERMISSION: ${join(folder, 'manifest.yaml')}:11:5 tools.1\n` +
        '  "change_plan" has no permission, so nobody may use it: add it to tool_permissions, or remove it\n' +
        '0 errors, 1 warning\n',
    );
    const { stdout: lines } = await runCommand(['lint', '-f', folder, '--env', 'production', '--json']);
    const findings = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([
      ['warning', 'TOOL_WITHOUT_PERMISSION'],
      ['warning', 'OVERLAY_WIDENS'],
    ]);
  });

  test.each(['lint', 'apply', 'diff'])(
    '%s --json prints the faults of documents as JSON',
    async (command) => {
      const folder = manifestFolder(UNKNOWN_ROLE);
      const bad = join(folder, 'bad.yaml');
      writeFileSync(bad, '{ kind: agent, id: bot, colour: red }');
      const args = [command, '-f', folder, '--json'];
      const { exitCode, stdout, stderr } = await runCommand(args, { env: NO_PLANE });
      expect(exitCode).toBe(2);
      const severity = 'error';
      const remedy = 'Correct it at this place.';
      expect(linesIn(stdout)).toEqual([
        {
          ...{ severity, code: 'DOCUMENTS_INVALID', file: bad, path: 'colour', line: 1, column: 25 },
          ...{ message: expect.stringContaining('is not a known field'), remedy },
        },
        {
          ...{ severity, code: 'ROLE_UNKNOWN', file: join(folder, 'policy.yaml'), line: 5, column: 33 },
          path: 'tool_permissions.make_cards.allowed_roles.0',
          ...{ message: '"usr" is not one of the roles: write "user", or declare it', remedy },
        },
      ]);
      expect(stderr).toContain('these documents are bad');
      expect((await runCommand([command, '-f', folder], { env: NO_PLANE })).stdout).toBe('');
    },
  );

  test('prints a fault of a whole file as JSON too', async () => {
    const twice = manifestFolder();
    writeFileSync(join(twice, 'agents.yaml'), '{ kind: agent, id: tutor }');
    const half = manifestFolder();
    rmSync(join(half, 'policy.yaml'));
    const place = { severity: 'error', code: 'DOCUMENTS_INVALID', path: '', line: 1, column: 1 };
    for (const [folder, message, remedy] of [
      [twice, 'is already in', 'another id'],
      [half, 'but no', 'A manifest needs both.'],
    ] as const) {
      const { exitCode, stdout } = await runCommand(['lint', '-f', folder, '--json']);
      expect(exitCode).toBe(2);
      const said = { message: expect.stringContaining(message), remedy: expect.stringContaining(remedy) };
      expect(linesIn(stdout)).toEqual([{ ...place, file: join(folder, 'manifest.yaml'), ...said }]);
    }
  });

  test('refuses a manifest with an error', async () => {
    const { exitCode, stdout, stderr } = await runCommand(['lint', '-f', manifestFolder(UNKNOWN_ROLE)]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('(ROLE_UNKNOWN)');
  });
});

describe('mandate test', () => {
  const CASES = `version: 1
cases:
  - name: a prompt opens a turn of its intent
    agent: tutor
    principal: { id: u1, role: user }
    steps:
      - ask: { type: prompt, id: p1, text: make me cards }
        expect:
          verdict: ALLOW
          obligations:
            intent: { id: cards, by: keyword }
            specialists: [curator]
            tools: [make_cards]
            redactions: null
          events: [intent_classification]
          notes: []
          violations: []
      - ask: { tool: make_cards, turnId: p1 }
        expect: { code: ALLOWED, callsLeft: 4, events: [tool_invocation] }
      - ask: { type: memory_read, turnId: p1, limits: { episodic: 9 }, origins: { limits: system } }
        expect:
          obligations: { stores: [{ store: episodic, maxResults: 5 }] }
          notes: [{ code: RESULTS_CLAMPED, store: episodic }]
      - ask: { type: memory_read, turnId: p1, stores: [episodic] }
        expect: { code: ORIGIN_NOT_ALLOWED, violations: [{ rule: select_store, field: stores }] }
      - ask: { type: memory_write, event: interaction_complete, text: { user: hello } }
        expect: { obligations: { saves: [] } }
      - { ask: { type: output, text: here they are }, expect: ALLOW }
`;
  const GUEST = `version: 1
cases:
  - name: a guest makes cards
    agent: tutor
    principal: { id: u1, role: guest }
    steps: [{ ask: { tool: make_cards }, expect: ALLOW }]
`;

  function folderOf(cases: string): string {
    const folder = manifestFolder();
    writeFileSync(join(folder, 'manifest.test.yaml'), cases);
    return folder;
  }

  test('decides each kind of action of a manifest, and compares the obligations of the decisions', async () => {
    const { exitCode, stdout, stderr } = await runCommand(['test', folderOf(CASES)]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('1 case: 1 passed');
  });

  test.each([
    ['tools: [make_cards]', 'tools: []', 'obligation tools', '[]', '["make_cards"]'],
    ['redactions: null', 'redactions: []', 'obligation redactions', '[]', 'null'],
    ['id: cards', 'id: chat', 'obligation intent', '{"id":"chat","by":"keyword"}', /^{"id":"cards",.*}$/],
    ['by: keyword', 'bye: null', 'obligation intent', '{"id":"cards","bye":null}', /^{"id":"cards",.*}$/],
    ['[intent_classification]', '[]', 'events', '[]', '["intent_classification"]'],
    ['notes: []', 'notes: [{}]', 'notes', '[{}]', '[]'],
    ['field: stores }', 'field: intent }', 'violations', /intent/, /stores/],
    ['saves: []', 'saves: [{}]', 'obligation saves', '[{}]', '[]'],
  ])('reports a difference: %s is not %s', async (is, expected, what, wanted, seen) => {
    const { exitCode, stdout } = await runCommand(['test', '--json', folderOf(CASES.replace(is, expected))]);
    expect(exitCode).toBe(1);
    const { steps } = JSON.parse(stdout);
    const differences = steps.flatMap((step: { differences: object[] }) => step.differences);
    const like = (text: string | RegExp) => (typeof text === 'string' ? text : expect.stringMatching(text));
    expect(differences).toEqual([{ what, expected: like(wanted), seen: like(seen) }]);
  });

  test('tests the environment that the file or the option names', async () => {
    const stated = GUEST.replace('version: 1', 'version: 1\nenvironment: production');
    const exits = async (cases: string, ...options: string[]) =>
      (await runCommand(['test', folderOf(cases), ...options])).exitCode;
    expect([
      await exits(GUEST),
      await exits(GUEST, '--env', 'production'),
      await exits(stated),
      await exits(GUEST, '--env', 'prod'),
    ]).toEqual([1, 0, 0, 2]);
  });
});
