/** Writes each record of the audit as a line of JSON to the standard output. */
import type { AuditOutput } from './audit-output.ts';

export function stdoutOutput(): AuditOutput {
  return {
    name: 'stdout',
    write: (_records, lines) =>
      new Promise((resolve, reject) => {
        process.stdout.write(`${lines.join('\n')}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
