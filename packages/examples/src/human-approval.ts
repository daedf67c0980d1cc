/** A call that a person must approve. The agent waits for the answer, and the call then runs once, as it was approved. */
import { findMandateError, Mandate, type MandateDeferredError } from '@mandate/sdk';

const mandate = new Mandate({
  agentId: 'accountant',
  mandate: { maxCostTotal: 100, toolPolicies: { pay: { cost: 40, requiresConfirmation: true } } },
});
const tools = mandate.createExecutor({ tools: { pay: ({ to }: { to: string }) => `paid ${to}` } });

// The first ask gives a question to a person.
const question = await tools
  .run('pay', { to: 'ann' })
  .then(() => null)
  .catch((error) => findMandateError(error) as MandateDeferredError);
if (question === null) throw new Error('the call ran without an approval');
console.log(question.code, question.action);

// Elsewhere, a person answers. With a plane, this is `mandate approvals approve`.
await mandate.approve(question, { by: 'eva', reason: 'the invoice is right' });

// The agent sends the same call again. It would also get the answer with `onDefer: 'wait'`.
const again = { actionId: question.action.id };
console.log(await tools.run('pay', { to: 'ann' }, again));
console.log(await tools.run('pay', { to: 'ann' }, again).catch((error) => findMandateError(error)?.code));
console.log('spent', (await mandate.getCost()).totalMicros / 1_000_000, 'dollars');
