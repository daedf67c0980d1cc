/** A sub-agent under its parent: it may do less, and spends the budget of its parent as well. */
import { findMandateError, Mandate } from '@mandate/sdk';

const lead = new Mandate({
  agentId: 'lead',
  mandate: { maxCostTotal: 10, allowedTools: ['search', 'pay'], toolPolicies: { pay: { cost: 4 } } },
});
const buyer = lead.delegate({ agentId: 'lead.buyer', mandate: { maxCostTotal: 8, allowedTools: ['*'] } });

const functions = {
  search: ({ text }: { text: string }) => `found ${text}`,
  pay: ({ to }: { to: string }) => `paid ${to}`,
  delete_account: ({ id }: { id: string }) => `deleted ${id}`,
};
const own = lead.tools(functions);
const delegated = buyer.tools(functions);

console.log('lead:', await own.pay({ to: 'ann' }).catch(said));
console.log('buyer:', await delegated.pay({ to: 'bob' }).catch(said));
// The buyer has four dollars left, but its parent has only two.
console.log('buyer:', await delegated.pay({ to: 'eve' }).catch(said));
// The mandate of the buyer allows every tool, but the mandate of its parent does not.
console.log('buyer:', await delegated.delete_account({ id: 'acc-7' }).catch(said));
console.log('left for the lead:', (await lead.getRemainingBudget()) ?? 0, 'micro-dollars');

function said(error: unknown): string {
  return findMandateError(error)?.message ?? String(error);
}
