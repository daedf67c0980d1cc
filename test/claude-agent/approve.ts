/** A process that approves one question: `approve.ts <options of an instance as JSON> <approvalId>`. */
import { Mandate, type MandateOptions } from '@mandate/sdk';

const [, , options = '{}', approvalId = ''] = process.argv;
const mandate = new Mandate(JSON.parse(options) as MandateOptions);
await mandate.approve(approvalId, { by: 'op', reason: 'fine' });
await mandate.close();
process.exit(0);
