import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, it } from 'vitest';
import { type Ran, runCommand } from '../run-command.fixture.ts';

const MANDATES = `version: 1
id: m
agents: ["bot"]
maxCostTotal: 0.30
allowedTools: [send]
toolPolicies: { send: { cost: 0.10 } }
`;

type Answer = {
  event: string;
  decision?: {
    actionId: string;
    verdict: string;
    code: string;
    appendedAt: string;
    decidedAt: string;
    kind: string;
  };
  settlement?: { actionId: string; code: string; deltaMicros: number };
  deadLetter?: { source: { offset: number }; fault: { line: number; reason: string }; bytes: number };
};

function fileOf(name: string, text: string | Uint8Array): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

function request(id: string, more: object = {}): string {
  return JSON.stringify({
    event: 'action.requested',
    action: { id, agentId: 'bot', type: 'tool_call', tool: 'send', ...more },
  });
}

function outcome(actionId: string, more: object = {}): string {
  return JSON.stringify({
    event: 'action.completed',
    outcome: { actionId, agentId: 'bot', status: 'success', ...more },
  });
}

async function evaluate(
  actions: string | Uint8Array,
  args: readonly string[] = [],
): Promise<Ran & { answers: Answer[] }> {
  const mandates = fileOf('mandates.yaml', MANDATES);
  const ran = await runCommand(['eval', '--mandates', mandates, '--actions', '-', ...args], {
    stdin: actions,
  });
  const answers = ran.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Answer]));
  return { ...ran, answers };
}

it('filters answers as a plane does', async () => {
  const filtering = { guardrails: { output: { blocked_content: [{ pii_detection: true }] } } };
  const mandate = { version: 1, id: 'filtering', agents: ['bot'], governance: filtering };
  const answer = { id: 'a', agentId: 'bot', type: 'output', text: 'Write to ann@example.org.' };
  const { stdout } = await runCommand(
    ['eval', '--mandates', fileOf('filtering.yaml', JSON.stringify(mandate)), '--actions', '-'],
    { stdin: JSON.stringify({ event: 'action.requested', action: answer }) },
  );
  expect(JSON.parse(stdout).decision).toMatchObject({
    code: 'ALLOWED',
    obligations: { redactions: [{ type: 'email', start: 9, end: 24 }] },
  });
});

it('answers every record in order, and exits with 2 because one record is bad', async () => {
  const { exitCode, stderr, answers } = await evaluate(
    [
      request('a'),
      '{"event":',
      request('b'),
      outcome('a', { status: 'failure', actualCostMicros: 40_000 }),
      request('c'),
      request('d'),
    ].join('\n'),
  );
  expect(
    answers.map(({ event, decision, settlement }) => [event, decision?.code ?? settlement?.deltaMicros]),
  ).toEqual([
    ['action.decided', 'ALLOWED'],
    ['dead.letter', undefined],
    ['action.decided', 'ALLOWED'],
    ['action.settled', -60_000],
    ['action.decided', 'ALLOWED'],
    ['action.decided', 'COST_LIMIT_EXCEEDED'],
  ]);
  expect(exitCode).toBe(2);
  expect(stderr.split('\n').map((line) => line.trim())).toEqual([
    '3  ALLOW',
    '1  BLOCK COST_LIMIT_EXCEEDED',
    '1  settlements',
    '1  bad records (dead.letter)',
    'charged $0.24',
    '',
  ]);
});

it('accepts bare actions and outcomes as `publish` does, and checks them as strictly as records', async () => {
  const { action } = JSON.parse(request('a'));
  const { outcome: done } = JSON.parse(outcome('a', { status: 'failure', actualCostMicros: 40_000 }));
  const lines = [
    JSON.stringify(action),
    JSON.stringify(done),
    request('b'),
    '{"id":"c","id":"d"}',
    '{"id":"e"}',
  ];
  const { exitCode, answers } = await evaluate(lines.join('\n'));
  expect(
    answers.map(({ event, decision, settlement }) => [event, decision?.code ?? settlement?.deltaMicros]),
  ).toEqual([
    ['action.decided', 'ALLOWED'],
    ['action.settled', -60_000],
    ['action.decided', 'ALLOWED'],
    ['dead.letter', undefined],
    ['dead.letter', undefined],
  ]);
  expect(answers[3]?.deadLetter?.fault.reason).toContain('twice');
  expect(exitCode).toBe(2);
});

it('exits with 0 whatever the verdicts are', async () => {
  const { exitCode, answers } = await evaluate(request('a', { agentId: 'stranger' }));
  expect(answers.map(({ decision }) => decision?.code)).toEqual(['MANDATE_NOT_FOUND']);
  expect(exitCode).toBe(0);
});

it('exits with 2 at once if the mandates are bad, and names the line', async () => {
  const mandates = fileOf('mandates.yaml', `${MANDATES}maxCalls: 3\n`);
  const ran = await runCommand(['eval', '--mandates', mandates], { stdin: request('a') });
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain(`\n${mandates}:7:1 `);
});

it('reads a file as it reads stdin', async () => {
  const mandates = fileOf('mandates.yaml', MANDATES);
  const actions = fileOf('actions.ndjson', request('a'));
  const ran = await runCommand(['eval', '--mandates', mandates, '--actions', actions, '--quiet']);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(ran.stdout).decision.actionId).toBe('a');
});

it('accepts blank lines, CRLF, a byte order mark, and a last line without a line break', async () => {
  const { exitCode, answers } = await evaluate(`\ufeff${request('a')}\r\n\r\n  \n${request('b')}`);
  expect(answers.map(({ decision }) => decision?.actionId)).toEqual(['a', 'b']);
  expect(exitCode).toBe(0);
});

it('writes a dead letter for a line that is too long, and continues', async () => {
  const { exitCode, answers } = await evaluate(`${'x'.repeat(3_000_000)}\n${request('b')}`);
  expect(answers.map(({ event }) => event)).toEqual(['dead.letter', 'action.decided']);
  expect(exitCode).toBe(2);
});

it('recognises a repeated action, and charges it once', async () => {
  const { answers } = await evaluate([request('a'), request('a'), request('b')].join('\n'), ['--json']);
  expect(answers.map(({ decision }) => [decision?.kind, decision?.code])).toEqual([
    ['first', 'ALLOWED'],
    ['duplicate', 'DUPLICATE_ACTION'],
    ['first', 'ALLOWED'],
  ]);
});

it('uses the largest requestedAt so far as the time, so that no action is late', async () => {
  const at = (requestedAt: string) => ({ requestedAt, deadlineMs: 1 });
  const { answers } = await evaluate(
    [
      request('a', at('2026-01-01T10:00:00Z')),
      request('b', at('2026-01-01T09:00:00Z')),
      request('c', at('2026-01-01T11:00:00Z')),
    ].join('\n'),
  );
  expect(answers.map(({ decision }) => [decision?.verdict, decision?.appendedAt])).toEqual([
    ['ALLOW', '2026-01-01T10:00:00.000Z'],
    ['ALLOW', '2026-01-01T10:00:00.000Z'],
    ['ALLOW', '2026-01-01T11:00:00.000Z'],
  ]);
});

it('uses the current time if no record contains a time', async () => {
  const before = new Date().toISOString();
  const { answers } = await evaluate(request('a'));
  const decidedAt = answers[0]?.decision?.decidedAt ?? '';
  expect(decidedAt >= before && decidedAt <= new Date().toISOString()).toBe(true);
});

it('writes its summary as JSON with --json', async () => {
  const { stderr } = await evaluate([request('a'), outcome('a'), outcome('nobody')].join('\n'), ['--json']);
  expect(JSON.parse(stderr)).toEqual({
    records: 3,
    verdicts: { ALLOW: 1 },
    settlements: 2,
    bad: 0,
    chargedMicros: 100_000,
  });
});

it('writes nothing if there are no records', async () => {
  expect(await evaluate('\n\n')).toMatchObject({ exitCode: 0, stdout: '' });
});

describe('redaction before the decision', () => {
  const mandates = () =>
    fileOf(
      'redacted.yaml',
      `version: 1
id: m
agents: ["bot"]
toolPolicies:
  send:
    argumentValidation:
      schema:
        type: object
        properties: { token: { type: string, pattern: '^tok_' }, to: { type: string, pattern: '@example.com$' } }
  pay: { requiresConfirmation: true }
`,
    );

  async function decided(args: object, { env = {}, options = [] as string[] } = {}) {
    const ran = await runCommand(['eval', '--mandates', mandates(), '--quiet', ...options], {
      stdin: request('a', { args }),
      env,
    });
    expect(ran.stderr).toBe('');
    return JSON.parse(ran.stdout).decision;
  }

  it('redacts as a plane does, and says so in the reason', async () => {
    const blocked = await decided({ token: 'tok_1' });
    expect(blocked).toMatchObject({
      code: 'ARGUMENT_VALIDATION_FAILED',
      action: { args: { token: '[redacted]' } },
    });
    expect(blocked.reason).toContain('Redaction replaced /token before the decision');
    expect(await decided({ to: 'ann@example.com' })).toMatchObject({ code: 'ALLOWED' });
  });

  it('follows the redaction settings of the plane in the environment', async () => {
    const env = { MANDATE_PLANE_REDACT_FIELDS: 'to', MANDATE_CONTROL_URL: 'http://127.0.0.1:1' };
    expect(await decided({ token: 'tok_1' }, { env })).toMatchObject({ code: 'ALLOWED' });
    expect(await decided({ to: 'ann@example.com' }, { env })).toMatchObject({
      code: 'ARGUMENT_VALIDATION_FAILED',
    });
  });

  it('follows a privacy document in a file', async () => {
    const privacy = fileOf('privacy.yaml', 'version: 1\npatterns: [{ pattern: email, do: redact }]\n');
    for (const given of [{ options: ['--privacy', privacy] }, { env: { MANDATE_PRIVACY_PATH: privacy } }]) {
      const blocked = await decided({ to: 'ann@example.com' }, given);
      expect(blocked.reason).toContain('Redaction replaced /to before the decision');
    }
  });

  it('refuses a bad privacy document, and names the line', async () => {
    const privacy = fileOf('privacy.yaml', 'version: 1\npatterns: [{ pattern: nothing, do: redact }]\n');
    const ran = await runCommand(['eval', '--mandates', mandates(), '--privacy', privacy], { stdin: '' });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`\n${privacy}:2:`);
  });

  it('distinguishes actions that differ only in redacted values', async () => {
    const lines = [request('a', { args: { password: 'p' } }), request('a', { args: { password: 'q' } })];
    const ran = await runCommand(['eval', '--mandates', mandates(), '--quiet'], { stdin: lines.join('\n') });
    const [, second] = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).decision);
    expect(second).toMatchObject({ code: 'DUPLICATE_ACTION', duplicateOf: { samePayload: false } });
  });
});
