/** A process that approves the questions of another process: `approver.fixture.ts <options of an instance as JSON>`. */
import { Mandate, type MandateOptions } from '../index.ts';

const mandate = new Mandate(JSON.parse(process.argv[2] ?? '{}') as MandateOptions);

process.on('message', async ({ approvalId }: { approvalId: string }) => {
  try {
    await mandate.approve(approvalId, { by: 'op', reason: 'fine' });
    process.send?.({ approvalId, error: null });
  } catch (error) {
    process.send?.({ approvalId, error: String(error) });
  }
});
process.send?.('ready');
