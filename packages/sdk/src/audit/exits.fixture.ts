/** A program that records 30 decisions while its output is away, and exits without closing anything. */
import { Audit } from '../audit.ts';
import type { AuditRecord } from './audit-output.ts';

const [, , spillFolder = ''] = process.argv;
const away = () => Promise.reject(new Error('away'));
const audit = new Audit({ outputs: [away], spillFolder, maxRecords: 10 }, () => {});
for (let at = 0; at < 30; at += 1) {
  // Only the id matters here, and the real record would need the test data of vitest.
  audit.record({ event: 'action.decided', decision: { id: `dec_${at}` } } as unknown as AuditRecord);
}
process.exit(0);
