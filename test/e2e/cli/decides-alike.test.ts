/**
 * `mandate eval`, `mandate test` and `mandate preview` decide like the plane, also about fields that the plane
 * redacts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPlane, temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { jsonLines, runMandate, spawnCommand } from './run-mandate.ts';

const BODY = `
toolPolicies:
  send:
    argumentValidation:
      schema:
        type: object
        properties:
          token: { type: string, pattern: '^tok_' }
          card: { type: object, maxProperties: 1 }
          to: { type: string, pattern: '^ann' }
          count: { type: integer }
`;
const MANDATE = `version: 1\nid: sending\nagents: [bot]${BODY}`;
const CONTROL = `kind: policy\nversion: 1\nid: sending${BODY}---\n{ kind: rule, version: 1, id: all, policy: sending }\n---\n{ kind: agent, id: bot }\n`;
const PRIVACY = 'version: 1\npatterns: [{ pattern: email, do: redact }]\n';

/**
 * For each call: its arguments, and the redacted fields that its refusal must name. Null means that the call is
 * allowed.
 */
const CALLS: readonly [args: object, redacted: string | null][] = [
  [{ token: 'tok_1' }, '/token'],
  [{ to: 'ann@example.com' }, '/to'],
  [{ card: { pin: 1, cvc: 2 } }, '/card/pin, /card/cvc'],
  [{ to: 'ann', password: 'p' }, null],
];

type Decided = { code: string; reason: string };

test('eval, test, preview and the plane decide alike about redacted fields, and name the redacted fields', async () => {
  const folder = temporaryFolder();
  const place = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  mkdirSync(join(folder, 'policies'));
  const control = place('policies/control.yaml', CONTROL);
  const privacy = place('privacy.yaml', PRIVACY);
  const mandates = place('mandates.yaml', MANDATE);
  const steps = CALLS.map(([args, redacted]) => ({
    ask: { tool: 'send', args },
    expect: redacted === null ? 'ALLOWED' : 'ARGUMENT_VALIDATION_FAILED',
  }));
  const cases = [{ name: 'as the plane', agent: 'bot', steps }];
  const document = {
    version: 1,
    files: ['policies'],
    privacy: 'privacy.yaml',
    cases,
  };
  const test = place('alike.test.yaml', JSON.stringify(document));

  const plane = await startPlane({
    data: join(folder, 'data'),
    mandates,
    args: ['--policies', control],
    env: { MANDATE_PRIVACY_PATH: privacy },
  });
  onTestFinished(async () => void (await plane.kill()));
  const env = { MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.operator ?? '' };

  const published = await Promise.all(
    CALLS.map(async ([args]): Promise<Decided> => {
      const options = ['--agent', 'bot', '--tool', 'send', '--args', JSON.stringify(args), '--json'];
      const [answer] = jsonLines<{ decision: Decided }>(
        (await runMandate(['publish', ...options], { env })).stdout,
      );
      return answer?.decision ?? { code: 'none', reason: '' };
    }),
  );
  const previewed = await Promise.all(
    CALLS.map(async ([args]): Promise<Decided> => {
      const options = ['bot', '--tool', 'send', '--args', JSON.stringify(args), '--json'];
      const { stdout } = await runMandate(['preview', ...options], { env });
      return JSON.parse(stdout).refusal ?? { code: 'ALLOWED', reason: '' };
    }),
  );
  const actions = CALLS.map(([args], index) =>
    JSON.stringify({ id: `e-${index}`, agentId: 'bot', type: 'tool_call', tool: 'send', args }),
  );
  const evaluated = await spawnCommand(['eval', '--mandates', mandates, '--privacy', privacy, '--quiet'], {
    stdin: actions.join('\n'),
  });
  const offline = jsonLines<{ decision: Decided }>(evaluated.stdout).map(({ decision }) => decision);

  const told = (decided: readonly Decided[]) =>
    decided.map(({ code, reason }) => [code, /Redaction replaced (.+) before/.exec(reason)?.[1] ?? null]);
  const expected = CALLS.map(([, redacted]) => [
    redacted === null ? 'ALLOWED' : 'ARGUMENT_VALIDATION_FAILED',
    redacted,
  ]);
  expect({
    published: told(published),
    previewed: told(previewed),
    evaluated: told(offline),
  }).toEqual({ published: expected, previewed: expected, evaluated: expected });
  expect(await spawnCommand(['test', test])).toMatchObject({ exitCode: 0, stderr: '' });
});
