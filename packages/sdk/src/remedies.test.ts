/** Tests that a user of the SDK without a plane can follow the remedies. */
import { expect, test } from 'vitest';
import { Mandate } from './index.ts';
import type { MandateDocument } from './types.ts';

/** Returns the remedy of the second call of `pay` at the latest. */
async function remedyUnder(mandate: MandateDocument | undefined): Promise<string> {
  const tools = new Mandate({ agentId: 'bot', ...(mandate && { mandate }) }).createExecutor();
  const pay = () => tools.run('pay', {}, () => 'paid');
  return pay()
    .then(pay)
    .then(
      () => '',
      ({ remedy }) => remedy,
    );
}

test('an agent without a mandate is told to state one', async () => {
  expect(await remedyUnder(undefined)).toMatch(
    /^In the SDK, state the `mandate` of the agent\. On a plane, /,
  );
});

test('a deferred call names the function that approves it, before the commands of a plane', async () => {
  const remedy = await remedyUnder({ toolPolicies: { pay: { requiresConfirmation: true } } });
  expect(remedy).toMatch(
    /In the SDK, a person approves the call with `mandate\.approve\(error\)`\. On a plane, run `mandate approvals approve dec_\w+`, or POST/,
  );
});

test('a spent budget can be raised without a plane', async () => {
  const remedy = await remedyUnder({ maxCostTotal: 5, toolPolicies: { pay: { cost: 5 } } });
  expect(remedy).toMatch(/^Raise the budget, then ask under a new id\. On a plane, /);
});
