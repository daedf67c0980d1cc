/** Plain functions under a mandate. */
import { findMandateError, mandate } from '@mandate/sdk';

const tools = mandate.createExecutor({
  agentId: 'accountant',
  mandate: {
    maxCostTotal: 10,
    allowedTools: ['read_invoice', 'pay'],
    toolPolicies: { pay: { cost: 4 } },
  },
  tools: {
    read_invoice: async ({ id }: { id: string }) => ({ id, amount: 4 }),
    pay: async ({ to }: { to: string }) => `paid ${to}`,
    delete_invoice: async ({ id }: { id: string }) => `deleted ${id}`,
  },
});

console.log(await tools.run('read_invoice', { id: 'inv-7' }));
for (const to of ['ann', 'bob', 'eve']) {
  console.log(await tools.run('pay', { to }).catch(said));
}
console.log(await tools.run('delete_invoice', { id: 'inv-7' }).catch(said));
console.log('spent', (await mandate.getCost('accountant')).totalMicros / 1_000_000, 'dollars');

await mandate.kill('accountant', 'enough for today');
console.log(await tools.run('read_invoice', { id: 'inv-8' }).catch(said));

/** Returns what the model should read. */
function said(error: unknown): string {
  return findMandateError(error)?.message ?? String(error);
}
